//! HTML pages with a Content Security Policy: a page may send requests to this server only.

use crate::compression::StaticBody;
use axum::http::{HeaderValue, StatusCode, header};
use kontor_rest::response::{self, HttpResponse};

const HTML: &str = "text/html; charset=utf-8";

/// The policy of a page with its style and script inside.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; \
     frame-ancestors 'none'; form-action 'self'",
);

/// The policy of a page with further files, whose styles contain small images.
const PAGE_WITH_FILES_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; img-src data:; \
     connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
);

/// Returns the response with an HTML page that is one file.
pub(crate) fn html_page(html: String) -> HttpResponse {
    with_policy(PAGE_POLICY, response::text(StatusCode::OK, HTML, html))
}

/// Returns the response with such a page that never changes.
pub(crate) fn unchanging_html_page(html: &StaticBody) -> HttpResponse {
    with_policy(PAGE_POLICY, html.respond(HTML))
}

/// Returns the response with an HTML page that never changes and loads further files from this server.
pub(crate) fn html_page_with_files(html: &StaticBody) -> HttpResponse {
    with_policy(PAGE_WITH_FILES_POLICY, html.respond(HTML))
}

fn with_policy(policy: HeaderValue, mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}
