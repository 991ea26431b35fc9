//! Work that would hold up the threads that serve sockets.

use kontor_errors::{ApiError, ApiResult};

/// Runs what reads or parses for long on a thread of its own.
pub async fn blocking<T: Send + 'static>(
    run: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(run).await {
        Ok(result) => result,
        Err(error) => Err(ApiError::bug(format!("a blocking task ended early: {error}"))),
    }
}
