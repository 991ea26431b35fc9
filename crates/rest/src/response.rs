//! Builds responses: JSON bodies, errors, and their headers.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use bytes::Bytes;
use kontor_errors::{ApiError, Bug};
use kontor_json::Value;

/// Initial capacity for headers, enough for most responses, those with CORS included: growing means rehashing. A larger
/// map would need a larger allocation.
const HEADERS_USUAL: usize = 6;

/// A response.
pub type HttpResponse = Response<Body>;

/// The bugs behind an error response, as an extension of it: the sender of the response knows the correlation id and
/// logs them.
#[derive(Debug, Clone)]
pub struct ResponseBugs(pub Vec<Bug>);

/// The header that tells clients that they should use something else.
pub const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// Returns a response with JSON bytes.
pub fn json_bytes(status: StatusCode, body: Bytes) -> HttpResponse {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = HeaderMap::with_capacity(HEADERS_USUAL);
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

/// Returns a response with a JSON value.
pub fn json(status: StatusCode, body: &Value) -> HttpResponse {
    json_bytes(status, body.to_string().into())
}

/// Returns a response without a body.
pub fn empty(status: StatusCode) -> HttpResponse {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Returns the response for an error, in the documented form.
pub fn error(error: &ApiError) -> HttpResponse {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = json(status, &error.body());
    if let Some(bug) = error.broken() {
        response.extensions_mut().insert(ResponseBugs(vec![bug.clone()]));
    }
    if status == StatusCode::UNAUTHORIZED {
        // RFC 6750, section 3.
        response.headers_mut().insert(
            header::WWW_AUTHENTICATE,
            HeaderValue::from_static("Bearer realm=\"kontor\", error=\"invalid_token\""),
        );
    }
    response
}

/// Returns a response with text of a content type.
pub fn text(status: StatusCode, content_type: &'static str, body: impl Into<Body>) -> HttpResponse {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
