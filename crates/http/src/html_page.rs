//! A page for people. It has its style and script in it and asks one thing, this server.

use axum::http::{HeaderValue, StatusCode, header};
use kontor_rest::answer::{self, Answer};

const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'",
);

/// The answer with the HTML of a page.
pub(crate) fn html_page(html: String) -> Answer {
    let mut answer = answer::text(StatusCode::OK, "text/html; charset=utf-8", html);
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    answer
}
