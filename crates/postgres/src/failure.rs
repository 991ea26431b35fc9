//! Converts failures of the server into storage errors.

use std::error::Error as _;

use deadpool_postgres::PoolError;
use kontor_storage::Error;
use tokio_postgres::error::SqlState;

/// The error code of writes to moved tables (`schema`): the message is the new place.
pub(crate) const MOVED: &str = "KM001";

/// Converts a failure of a statement or of the connection.
pub(crate) fn failure(error: &tokio_postgres::Error) -> Error {
    let text = describe(error);
    let Some(code) = error.code() else {
        // Without an error of the server, it is the connection or a certificate.
        return match error.is_closed() || is_io(error) {
            true => Error::Unavailable(text.into()),
            false => Error::Server(text.into()),
        };
    };
    let is_unavailable = [
        &SqlState::ADMIN_SHUTDOWN,
        &SqlState::CRASH_SHUTDOWN,
        &SqlState::CANNOT_CONNECT_NOW,
        &SqlState::TOO_MANY_CONNECTIONS,
        &SqlState::READ_ONLY_SQL_TRANSACTION,
        &SqlState::LOCK_NOT_AVAILABLE,
        &SqlState::QUERY_CANCELED,
        &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        &SqlState::T_R_SERIALIZATION_FAILURE,
        &SqlState::T_R_DEADLOCK_DETECTED,
    ]
    .contains(&code);
    if code.code() == MOVED {
        let place = error.as_db_error().map_or(text.as_str(), tokio_postgres::error::DbError::message);
        Error::Moved(place.into())
    } else if *code == SqlState::DISK_FULL {
        Error::Full
    } else if is_unavailable || code.code().starts_with("08") {
        Error::Unavailable(text.into())
    } else {
        Error::Server(text.into())
    }
}

/// Converts a failure to get a connection.
pub(crate) fn no_connection(error: &PoolError) -> Error {
    match error {
        PoolError::Backend(error) => match failure(error) {
            Error::Server(text) => Error::Unavailable(text),
            other => other,
        },
        PoolError::Closed => Error::Closed,
        other => Error::Unavailable(other.to_string().into()),
    }
}

/// Returns whether a retry on another connection may succeed.
pub(crate) fn is_transient(error: &Error) -> bool {
    matches!(error, Error::Unavailable(_))
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<std::io::Error>() {
            return true;
        }
        cause = inner.source();
    }
    false
}

/// Returns the failure with its causes: the client's own text lacks the server's message.
fn describe(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}
