//! What operators ask: health and metrics.

use crate::server::Server;
use axum::http::StatusCode;
use kontor_rest::answer::{self, Answer};
use serde_json::json;

/// `GET /health`: 200 while the server serves.
pub(crate) fn health(server: &Server) -> Answer {
    answer::json(
        StatusCode::OK,
        &json!({"status": "ok", "version": env!("CARGO_PKG_VERSION"), "projects": server.system.projects().len()}),
    )
}

/// `GET /metrics`: the text format of Prometheus.
pub(crate) fn metrics(server: &Server) -> Answer {
    answer::text(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", server.metrics.render())
}
