//! Runs slow work away from the threads that serve sockets.

use crate::answer::{self, Answer};
use axum::http::StatusCode;
use bytes::Bytes;
use kontor_engine::{ResponseMeter, Turns};
use kontor_errors::{ApiError, ApiResult, catch_panic};

/// Runs slow reading or parsing on a thread for blocking work.
pub async fn blocking<T: Send + 'static>(
    run: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(|| catch_panic(run)).await {
        Ok(result) => result?,
        Err(error) => Err(ApiError::bug(format!("a blocking task ended early: {error}"))),
    }
}

/// Produces a page, which may be large, once a permit for slow requests is free. The permit is in the response's
/// extensions: it is released when the memory of the response has been accounted for.
pub async fn page(
    turns: &Turns,
    run: impl FnOnce(&ResponseMeter) -> ApiResult<Bytes> + Send + 'static,
) -> ApiResult<Answer> {
    let (body, turn) = turns.work_out(run).await?;
    let mut answer = answer::json_bytes(StatusCode::OK, body);
    answer.extensions_mut().insert(turn);
    Ok(answer)
}
