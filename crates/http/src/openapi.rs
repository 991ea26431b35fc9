//! `/openapi.json`, and `/openapi`, the page that shows it. Both are public: they describe the API, but show no data.

use crate::compression::Unchanging;
use crate::html_page::unchanging_html_page;
use crate::server::Server;
use kontor_rest::answer::Answer;
use std::sync::LazyLock;

static PAGE: LazyLock<Unchanging> = LazyLock::new(|| Unchanging::new(kontor_openapi::page()));

/// Handles `GET /openapi.json`. The document is generated at the first request.
pub(crate) fn document(server: &Server) -> Answer {
    let body = server.openapi.get_or_init(|| {
        Unchanging::new(kontor_openapi::document(&server.model, "", env!("CARGO_PKG_VERSION")).to_string())
    });
    body.answer("application/json; charset=utf-8")
}

/// Handles `GET /openapi`.
pub(crate) fn page() -> Answer {
    unchanging_html_page(&PAGE)
}
