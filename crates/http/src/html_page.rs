//! Pages for people. They ask one thing, this server.

use axum::http::{HeaderValue, StatusCode, header};
use kontor_rest::answer::{self, Answer};

/// Of a page that has its style and script in it.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'",
);

/// Of a page that has further files, whose styles have small pictures in them.
const PAGE_WITH_FILES_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; img-src data:; \
     connect-src 'self'; base-uri 'none'",
);

/// The answer with the HTML of a page that is one file.
pub(crate) fn html_page(html: String) -> Answer {
    page_under(PAGE_POLICY, html)
}

/// The answer with the HTML of a page that has further files from this server.
pub(crate) fn html_page_with_files(html: String) -> Answer {
    page_under(PAGE_WITH_FILES_POLICY, html)
}

fn page_under(policy: HeaderValue, html: String) -> Answer {
    let mut answer = answer::text(StatusCode::OK, "text/html; charset=utf-8", html);
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    answer
}
