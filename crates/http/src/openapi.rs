//! `/openapi.json` and `/openapi`, the page that shows it. Both are for everybody: they tell what the server can do,
//! nothing of what is in it.

use crate::server::Server;
use axum::http::{HeaderValue, StatusCode, header};
use bytes::Bytes;
use kontor_rest::answer::{self, Answer};
use std::sync::LazyLock;

/// The page has its style and script in it and reads one thing, from this server.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'",
);

static PAGE: LazyLock<String> = LazyLock::new(kontor_openapi::page);

/// `GET /openapi.json`: made when it is first asked for.
pub(crate) fn document(server: &Server) -> Answer {
    let body = server.openapi.get_or_init(|| {
        Bytes::from(kontor_openapi::document(&server.model, "", env!("CARGO_PKG_VERSION")).to_string())
    });
    answer::json_bytes(StatusCode::OK, body.clone())
}

/// `GET /openapi`.
pub(crate) fn page() -> Answer {
    let mut answer = answer::text(StatusCode::OK, "text/html; charset=utf-8", PAGE.clone());
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    answer
}
