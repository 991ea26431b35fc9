//! Runs slow work away from the threads that serve sockets.

use crate::response::{self, HttpResponse};
use axum::http::StatusCode;
use bytes::Bytes;
use kontor_engine::{ResponseMeter, SlowRequestLimiter};
use kontor_errors::{ApiError, ApiResult, catch_panic};

/// Runs slow reading or parsing on a thread for blocking work. Fails with the error of `run`, and with an internal
/// error if it panics.
pub async fn blocking<T: Send + 'static>(
    run: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(|| catch_panic(run)).await {
        Ok(result) => result?,
        Err(error) => Err(ApiError::bug(format!("a blocking task ended early: {error}"))),
    }
}

/// Produces a page, which may be large, once a permit for slow requests is free. The permit is in the response's
/// extensions: it is released when the memory of the response has been accounted for. Fails with the error of `run`.
pub async fn page(
    limiter: &SlowRequestLimiter,
    run: impl FnOnce(&ResponseMeter) -> ApiResult<Bytes> + Send + 'static,
) -> ApiResult<HttpResponse> {
    let (body, permit) = limiter.run(run).await?;
    let mut http_response = response::json_bytes(StatusCode::OK, body);
    http_response.extensions_mut().insert(permit);
    Ok(http_response)
}
