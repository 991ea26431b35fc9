//! Pages for people. They ask one thing, this server.

use crate::compression::Unchanging;
use axum::http::{HeaderValue, StatusCode, header};
use kontor_rest::answer::{self, Answer};

const HTML: &str = "text/html; charset=utf-8";

/// Of a page that has its style and script in it.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; \
     frame-ancestors 'none'; form-action 'self'",
);

/// Of a page that has further files, whose styles have small pictures in them.
const PAGE_WITH_FILES_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; img-src data:; \
     connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
);

/// The answer with the HTML of a page that is one file.
pub(crate) fn html_page(html: String) -> Answer {
    under(PAGE_POLICY, answer::text(StatusCode::OK, HTML, html))
}

/// The same of a page that never changes.
pub(crate) fn unchanging_html_page(html: &Unchanging) -> Answer {
    under(PAGE_POLICY, html.answer(HTML))
}

/// The answer with the HTML of a page that never changes and has further files from this server.
pub(crate) fn html_page_with_files(html: &Unchanging) -> Answer {
    under(PAGE_WITH_FILES_POLICY, html.answer(HTML))
}

fn under(policy: HeaderValue, mut answer: Answer) -> Answer {
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    answer
}
