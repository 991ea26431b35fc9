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

/// `GET /health/live`: 200 while the process answers at all.
pub(crate) fn live() -> Answer {
    answer::json(StatusCode::OK, &json!({"status": "live"}))
}

/// `GET /health/ready`: 200 where all that the server has can be served, otherwise 503 with the reasons.
pub(crate) async fn ready(server: &Server) -> Answer {
    let mut reasons = server.not_ready.read().clone();
    if let Err(error) = server.system.catch_up().await {
        reasons.push(error.to_string());
    }
    if reasons.is_empty() {
        return answer::json(StatusCode::OK, &json!({"status": "ready"}));
    }
    answer::json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "not ready", "reasons": reasons}))
}

/// `GET /metrics`: the text format of Prometheus.
pub(crate) fn metrics(server: &Server) -> Answer {
    answer::text(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", server.metrics.render())
}
