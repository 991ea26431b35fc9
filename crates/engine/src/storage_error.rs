//! Converts storage errors to API errors.

use kontor_errors::{ApiError, Code};
use kontor_storage::{DamagedRow, Error};

/// Converts a storage error to the error for the client. The cause is logged, not sent.
pub fn storage_failure(error: Error) -> ApiError {
    match &error {
        Error::Full => {
            tracing::warn!(%error, "write refused");
            ApiError::new(
                Code::OverCapacity,
                "The disk is full: nothing can be written until there is room again.",
            )
        }
        Error::Unavailable(_) => {
            tracing::warn!(%error, "database unreachable");
            ApiError::new(
                Code::OverCapacity,
                "The database cannot be reached at the moment. Try again later.",
            )
        }
        Error::Gone(_) => {
            tracing::warn!(%error, "write refused");
            ApiError::new(
                Code::OverCapacity,
                "The data of the project cannot be written at the moment. GET /health/ready says why.",
            )
        }
        Error::Moved(_) => {
            tracing::debug!(%error, "write refused");
            ApiError::new(
                Code::OverCapacity,
                "The project is moving to another place. Try again in a moment.",
            )
        }
        Error::Busy | Error::Closed => {
            tracing::warn!(%error, "write refused");
            ApiError::new(Code::OverCapacity, "Write operations are temporarily unavailable.")
        }
        Error::DamagedRow(DamagedRow { kind, id, .. }) => {
            tracing::error!(%error, kind = &**kind, id = &**id, "storage failed");
            ApiError::internal()
        }
        _ => {
            tracing::error!(%error, "storage failed");
            ApiError::internal()
        }
    }
}
