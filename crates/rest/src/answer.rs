//! Answers: JSON bodies, errors, and the headers that all have.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use bytes::Bytes;
use kontor_errors::{ApiError, Bug};
use kontor_json::Value;

/// Room for the headers of most answers, those for browsers among them: to grow means to sort them anew. More than so many
/// are more than the allocator takes for small.
const HEADERS_USUAL: usize = 6;

/// An answer on its way out.
pub type Answer = Response<Body>;

/// What is broken that an answer comes from, among its extensions: who sends the answer knows the correlation id, and logs it.
#[derive(Debug, Clone)]
pub struct Bugs(pub Vec<Bug>);

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// JSON bytes as they are.
pub fn json_bytes(status: StatusCode, body: Bytes) -> Answer {
    let mut answer = Response::new(Body::from(body));
    *answer.status_mut() = status;
    *answer.headers_mut() = HeaderMap::with_capacity(HEADERS_USUAL);
    answer.headers_mut().insert(header::CONTENT_TYPE, JSON);
    answer
}

/// A JSON value.
pub fn json(status: StatusCode, body: &Value) -> Answer {
    json_bytes(status, body.to_string().into())
}

/// No body.
pub fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = status;
    answer
}

/// An error in the documented body.
pub fn error(error: &ApiError) -> Answer {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut answer = json(status, &error.body());
    if let Some(bug) = error.broken() {
        answer.extensions_mut().insert(Bugs(vec![bug.clone()]));
    }
    if status == StatusCode::UNAUTHORIZED {
        // RFC 6750, section 3.
        answer.headers_mut().insert(
            header::WWW_AUTHENTICATE,
            HeaderValue::from_static("Bearer realm=\"kontor\", error=\"invalid_token\""),
        );
    }
    answer
}

/// Plain text, for operators.
pub fn text(status: StatusCode, content_type: &'static str, body: impl Into<Body>) -> Answer {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}
