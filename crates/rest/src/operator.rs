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

/// Counts a served request.
pub(crate) fn count(method: &str, status: StatusCode, seconds: f64) {
    // Methods and statuses are few, so the number of series stays bounded whatever clients send.
    let method = match method {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    };
    metrics::counter!("kontor_http_requests_total", "method" => method, "status" => status.as_str().to_owned())
        .increment(1);
    metrics::histogram!("kontor_http_request_duration_seconds", "method" => method).record(seconds);
}
