//! Reading request bodies: bounded in size and time.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use kontor_errors::{ApiError, ApiResult, Code};
use std::time::Duration;

/// Largest body in bytes; the limit of one resource (public documentation).
pub(crate) const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bodies up to here are read before anything else.
const SMALL_BYTES_MAX: usize = 64 * 1024;
/// A client may take this long to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// All bytes of a body of at most `bytes_max`.
pub(crate) async fn read(headers: &HeaderMap, body: Body, bytes_max: usize) -> ApiResult<Bytes> {
    let declared = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<usize>().ok());
    if declared.is_some_and(|length| length > bytes_max) {
        return Err(too_large(bytes_max));
    }
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, bytes_max).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large(bytes_max)),
        Ok(Err(_)) => Err(ApiError::invalid_input("The request body could not be read to its end.")),
        Err(_) => Err(ApiError::invalid_input(format!(
            "The request body was not complete after {} seconds.",
            BODY_TIMEOUT.as_secs()
        ))),
    }
}

/// The declared length of a body; 0 where none is declared.
fn declared_bytes(headers: &HeaderMap) -> usize {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    length.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// True for a body that may still be on its way when the request is answered: whoever answers early must
/// close the connection, and say so.
pub(crate) fn is_large(headers: &HeaderMap) -> bool {
    declared_bytes(headers) > SMALL_BYTES_MAX || headers.contains_key(header::TRANSFER_ENCODING)
}

/// A small body as it arrives, read to its end; any other untouched. A request that is refused before its
/// body is looked at would otherwise cost the client its connection.
pub(crate) async fn at_hand(headers: &HeaderMap, body: Body) -> ApiResult<Body> {
    if declared_bytes(headers) == 0 || is_large(headers) {
        return Ok(body);
    }
    read(headers, body, SMALL_BYTES_MAX).await.map(Body::from)
}

fn too_large(bytes_max: usize) -> ApiError {
    ApiError::new(
        Code::ContentTooLarge,
        format!(
            "Content too large. The request body has more than {bytes_max} bytes, the most that is accepted."
        ),
    )
}
