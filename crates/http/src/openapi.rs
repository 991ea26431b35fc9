//! `/openapi.json`, and `/openapi`, the page that shows it. Both are public: they describe the API, but show no data.

use crate::compression::StaticBody;
use crate::html_page::unchanging_html_page;
use crate::server::Server;
use kontor_rest::response::HttpResponse;
use std::sync::LazyLock;

static PAGE: LazyLock<StaticBody> = LazyLock::new(|| StaticBody::new(kontor_openapi::page()));

/// Handles `GET /openapi.json`. The document is generated at the first request.
pub(crate) fn document(server: &Server) -> HttpResponse {
    let body = server.openapi.get_or_init(|| {
        StaticBody::new(kontor_openapi::document(&server.model, "", env!("CARGO_PKG_VERSION")).to_string())
    });
    body.respond("application/json; charset=utf-8")
}

/// Handles `GET /openapi`.
pub(crate) fn page() -> HttpResponse {
    unchanging_html_page(&PAGE)
}
