//! Work that would hold up the threads that serve sockets.

use crate::answer::{self, Answer};
use axum::http::StatusCode;
use bytes::Bytes;
use kontor_engine::{ResponseMeter, Turns};
use kontor_errors::{ApiError, ApiResult, catch_panic};

/// Runs what reads or parses for long on a thread of its own.
pub async fn blocking<T: Send + 'static>(
    run: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(|| catch_panic(run)).await {
        Ok(result) => result?,
        Err(error) => Err(ApiError::bug(format!("a blocking task ended early: {error}"))),
    }
}

/// Answers a page, which may be large, when it is its turn. The turn goes along with the answer: it ends when who sends the answer
/// has counted what it holds of memory.
pub async fn page(
    turns: &Turns,
    run: impl FnOnce(&ResponseMeter) -> ApiResult<Bytes> + Send + 'static,
) -> ApiResult<Answer> {
    let (body, turn) = turns.work_out(run).await?;
    let mut answer = answer::json_bytes(StatusCode::OK, body);
    answer.extensions_mut().insert(turn);
    Ok(answer)
}
