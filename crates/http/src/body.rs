//! Reads request bodies, limited in size and time.

use crate::in_flight::{BodyBudget, over_capacity};
use crate::server::Server;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_rest::LazyBody;
use std::time::Duration;

/// Maximum size of a body in bytes; the limit of one resource (public documentation).
pub(crate) const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Maximum size of a body of customers and anonymous sessions, and of any body below `/me`, in bytes.
pub(crate) const OWN_BODY_BYTES_MAX: usize = 1024 * 1024;
/// Bodies up to this size are read before anything else.
const SMALL_BYTES_MAX: usize = 64 * 1024;
/// Timeout for receiving a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Reads a body of at most `bytes_max` bytes. Returns a 503 if all requests together hold their maximum of memory.
pub(crate) async fn read_body(parts: &Parts, body: Body, bytes_max: usize) -> ApiResult<Bytes> {
    if declared_bytes(&parts.headers) > bytes_max {
        return Err(too_large(bytes_max));
    }
    match tokio::time::timeout(BODY_TIMEOUT, collect_frames(BodyBudget::from_parts(parts), body, bytes_max))
        .await
    {
        Ok(result) => result,
        Err(_) => Err(ApiError::invalid_input(format!(
            "The request body was not complete after {} seconds.",
            BODY_TIMEOUT.as_secs()
        ))),
    }
}

/// Returns the body of a request to a service. It is read when the future is awaited.
pub(crate) fn lazy_body<'a>(parts: &'a Parts, body: Body, server: &'a Server) -> LazyBody<'a> {
    LazyBody::new(Some(Box::pin(read_body(parts, body, BODY_BYTES_MAX))), &server.rest.limiter)
}

/// Reads the frames of a body into one buffer.
async fn collect_frames(budget: Option<&BodyBudget>, mut body: Body, bytes_max: usize) -> ApiResult<Bytes> {
    let (mut first, mut all, mut length) = (None, BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let unreadable = |_| ApiError::invalid_input("The request body could not be read to its end.");
        // Frames without data are trailers, which are ignored.
        let Ok(data) = frame.map_err(unreadable)?.into_data() else { continue };
        length += data.len();
        if length > bytes_max {
            return Err(too_large(bytes_max));
        }
        if budget.is_some_and(|budget| !budget.try_grow(data.len())) {
            return Err(over_capacity());
        }
        if first.is_none() && all.is_empty() {
            // Most bodies are a single frame, which needs no copy.
            first = Some(data);
        } else {
            all.extend(first.take());
            all.extend_from_slice(&data);
        }
    }
    Ok(first.unwrap_or_else(|| all.freeze()))
}

/// Returns the declared length of a body in bytes; 0 if none is declared.
fn declared_bytes(headers: &HeaderMap) -> usize {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    length.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Returns whether a body may still be arriving when the response is sent: then the connection must be closed, and the
/// response must announce that.
fn is_large(headers: &HeaderMap) -> bool {
    declared_bytes(headers) > SMALL_BYTES_MAX || headers.contains_key(header::TRANSFER_ENCODING)
}

/// Returns true for a request with a body.
pub(crate) fn has_body(headers: &HeaderMap) -> bool {
    declared_bytes(headers) > 0 || headers.contains_key(header::TRANSFER_ENCODING)
}

/// Returns whether a body is small and fits into the budget. It is read completely before anything else:
/// otherwise an early refusal would cost the client its connection.
pub(crate) fn is_read_first(headers: &HeaderMap, budget: &BodyBudget) -> bool {
    !is_large(headers) && budget.reserve(declared_bytes(headers))
}

/// Reads a small body completely.
pub(crate) async fn read_small(parts: &Parts, body: Body) -> ApiResult<Body> {
    read_body(parts, body, SMALL_BYTES_MAX).await.map(Body::from)
}

fn too_large(bytes_max: usize) -> ApiError {
    ApiError::new(
        Code::ContentTooLarge,
        format!(
            "Content too large. The request body has more than {bytes_max} bytes, the most that is accepted."
        ),
    )
}
