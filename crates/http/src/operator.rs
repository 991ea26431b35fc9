//! What operators ask: health and metrics.

use crate::server::{NO_PROJECTS, Server};
use axum::http::StatusCode;
use kontor_json::json;
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

/// `GET /health/ready`: 200 where all that the server has can be served, or all but searches, which is said;
/// otherwise 503 with the reasons.
pub(crate) async fn ready(server: &Server) -> Answer {
    let mut reasons = server.not_ready.read().clone();
    if let Err(error) = server.system.catch_up().await {
        reasons.push(error.to_string());
    } else if server.waits_for_projects() {
        reasons.push(NO_PROJECTS.to_owned());
    }
    if reasons.is_empty() {
        // Everything but search goes on, here as on all other servers: none of them is better asked instead.
        let body = match server.rest.finder.fault() {
            None => json!({"status": "ready"}),
            Some(why) => {
                json!({"status": "ready", "without": ["search"], "reasons": [format!("The search server is out of reach: {why}")]})
            }
        };
        return answer::json(StatusCode::OK, &body);
    }
    let mut answer =
        answer::json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "not ready", "reasons": reasons}));
    // The question has not failed: it is asked every few seconds, and why was logged when it came to be so.
    answer.extensions_mut().insert(Bugs(Vec::new()));
    answer
}

/// `GET /metrics`: the text format of Prometheus.
pub(crate) fn metrics(server: &Server) -> Answer {
    answer::text(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", server.metrics.render())
}
