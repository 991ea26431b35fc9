//! Health, readiness and metrics, for operators.

use crate::server::{NO_PROJECTS, Server};
use axum::http::StatusCode;
use kontor_json::{Value, json};
use kontor_rest::response::{self, HttpResponse, ResponseBugs};

/// Handles `GET /health`: 200 while the server serves.
pub(crate) fn respond_health(server: &Server) -> HttpResponse {
    response::json(
        StatusCode::OK,
        &json!({"status": "ok", "version": env!("CARGO_PKG_VERSION"), "projects": server.auth.projects().len()}),
    )
}

/// Handles `GET /health/live`: 200 while the process responds at all.
pub(crate) fn respond_live() -> HttpResponse {
    response::json(StatusCode::OK, &json!({"status": "live"}))
}

/// Handles `GET /health/ready`: 200 if everything can be served, or everything except searches or writes to a full
/// disk, which the body says; otherwise 503 with the reasons.
pub(crate) async fn respond_ready(server: &Server) -> HttpResponse {
    let mut reasons = server.not_ready_reasons();
    if let Err(error) = server.auth.catch_up().await {
        reasons.push(error.to_string());
    } else if server.is_waiting_for_projects() {
        reasons.push(NO_PROJECTS.to_owned());
    }
    if reasons.is_empty() {
        return response::json(StatusCode::OK, &ready_body(server));
    }
    let mut http_response =
        response::json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "not ready", "reasons": reasons}));
    // This 503 is not logged as a failure: probes repeat it every few seconds, and the reason was logged when it arose.
    http_response.extensions_mut().insert(ResponseBugs(Vec::new()));
    http_response
}

/// Returns the body of a server that is ready, with the functions that are unavailable. A load balancer must not remove
/// such a server: a missing search server affects all servers alike, and with a full disk reads and deletions still
/// work.
fn ready_body(server: &Server) -> Value {
    let (mut without, mut reasons) = (Vec::new(), Vec::new());
    let full = server.shops.full_projects();
    if !full.is_empty() {
        without.push("writes");
        let projects = full.join("', '");
        reasons.push(format!("The disk is full: only deletions are written in the projects '{projects}'."));
    }
    if let Some(why) = server.rest.search_service.fault() {
        without.push("search");
        reasons.push(format!("The search server is out of reach: {why}"));
    }
    if without.is_empty() {
        return json!({"status": "ready"});
    }
    json!({"status": "ready", "without": without, "reasons": reasons})
}

/// Handles `GET /metrics` in the text format of Prometheus.
pub(crate) fn respond_metrics(server: &Server) -> HttpResponse {
    response::text(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", server.metrics.render())
}
