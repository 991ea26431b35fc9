//! What operators ask: health and metrics.

use crate::server::{NO_PROJECTS, Server};
use axum::http::StatusCode;
use kontor_json::{Value, json};
use kontor_rest::answer::{self, Answer, Bugs};

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

/// `GET /health/ready`: 200 where all that the server has can be served, or all but searches or writes to a full disk, which is said;
/// otherwise 503 with the reasons.
pub(crate) async fn ready(server: &Server) -> Answer {
    let mut reasons = server.not_ready.read().clone();
    reasons.extend(server.shops.troubles());
    if let Err(error) = server.system.catch_up().await {
        reasons.push(error.to_string());
    } else if server.waits_for_projects() {
        reasons.push(NO_PROJECTS.to_owned());
    }
    if reasons.is_empty() {
        return answer::json(StatusCode::OK, &ready_body(server));
    }
    let mut answer =
        answer::json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "not ready", "reasons": reasons}));
    // The question has not failed: it is asked every few seconds, and why was logged when it came to be so.
    answer.extensions_mut().insert(Bugs(Vec::new()));
    answer
}

/// Returns the body of a server that is ready, with the functions that are unavailable. A balancer keeps such a server: a missing
/// search server affects all servers alike, and on a full disk reads and deletions still work.
fn ready_body(server: &Server) -> Value {
    let (mut without, mut reasons) = (Vec::new(), Vec::new());
    let full = server.shops.full();
    if !full.is_empty() {
        without.push("writes");
        let projects = full.join("', '");
        reasons.push(format!("The disk is full: only deletions are written in the projects '{projects}'."));
    }
    if let Some(why) = server.rest.finder.fault() {
        without.push("search");
        reasons.push(format!("The search server is out of reach: {why}"));
    }
    if without.is_empty() {
        return json!({"status": "ready"});
    }
    json!({"status": "ready", "without": without, "reasons": reasons})
}

/// `GET /metrics`: the text format of Prometheus.
pub(crate) fn metrics(server: &Server) -> Answer {
    answer::text(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", server.metrics.render())
}
