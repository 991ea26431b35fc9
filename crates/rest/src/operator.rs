//! What operators ask: health and metrics.

use crate::answer::{self, Answer};
use crate::face::Face;
use axum::http::StatusCode;
use serde_json::json;

impl Face {
    /// `GET /health`: 200 while the server serves.
    pub(crate) fn health(&self) -> Answer {
        answer::json(
            StatusCode::OK,
            &json!({"status": "ok", "version": env!("CARGO_PKG_VERSION"), "projects": self.system.projects().len()}),
        )
    }

    /// `GET /metrics`: the text format of Prometheus.
    pub(crate) fn show_metrics(&self) -> Answer {
        answer::text(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", self.metrics.render())
    }
}
