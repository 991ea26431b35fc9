//! `/openapi.json` and `/openapi`, the page that shows it. Both are for everybody: they tell what the server can do,
//! nothing of what is in it.

use crate::html_page::html_page;
use crate::server::Server;
use axum::http::StatusCode;
use bytes::Bytes;
use kontor_rest::answer::{self, Answer};
use std::sync::LazyLock;

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
    html_page(PAGE.clone())
}
