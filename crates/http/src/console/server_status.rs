//! The state of the server and of a project: disk, searches, deliveries.

use super::console_request::{ConsoleRequest, ConsoleResult};
use crate::server::Server;
use axum::http::StatusCode;
use kontor_auth::OperatorSession;
use kontor_engine::{NOTIFICATION, Shop, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value, json};
use kontor_rest::response::{self, HttpResponse};
use kontor_storage::disk_bytes;
use std::sync::Arc;

/// The parameter that names the project.
const PROJECT: &str = "project";

/// Handles a call; `None` for other calls.
pub(super) async fn respond(
    request: &ConsoleRequest<'_>,
    session: &OperatorSession,
) -> ConsoleResult<Option<HttpResponse>> {
    let http_response = match request.call() {
        ("GET", ["status"]) => status(request, session).await?,
        _ => return Ok(None),
    };
    Ok(Some(response::json(StatusCode::OK, &http_response)))
}

/// Returns the project of the request, in which the operator must have a role.
fn project<'r>(request: &'r ConsoleRequest<'_>, session: &OperatorSession) -> ApiResult<&'r str> {
    let key = request.parameter(PROJECT).ok_or_else(|| ApiError::required_field(PROJECT))?;
    let system = &request.server.auth;
    let role = system.project(key).and_then(|_| session.operator.role_in(key));
    let role = match role {
        Some(name) => system.operator_role(name)?,
        None => None,
    };
    if role.is_some() {
        return Ok(key);
    }
    let message = format!("You have no role in a project '{key}'.");
    Err(ApiError::new(Code::InsufficientScope, message))
}

async fn status(request: &ConsoleRequest<'_>, session: &OperatorSession) -> ConsoleResult<Value> {
    let key = project(request, session)?;
    let server = request.server;
    let shop = server.shop(key).await?;
    let (served, shown) = (Arc::clone(server), Arc::clone(&shop));
    let status = tokio::task::spawn_blocking(move || describe(&served, &shown)).await;
    Ok(status.map_err(|error| ApiError::bug(format!("reading the status ended early: {error}")))??)
}

fn describe(server: &Server, shop: &Arc<Shop>) -> ApiResult<Value> {
    let mut reasons = server.not_ready_reasons();
    let is_full = server.shops.full_projects().contains(&shop.key);
    if is_full {
        reasons.push("The disk is full: only deletions are written.".to_owned());
    }
    reasons.extend(server.rest.search_service.fault());
    let mut disk = Map::new();
    // The folder is created when it is needed.
    let existing = server.options.snapshot_folder.ancestors().find(|folder| folder.exists());
    if let Some((free, total)) = existing.and_then(disk_bytes) {
        disk.insert("freeBytes", json!(free));
        disk.insert("totalBytes", json!(total));
    }
    disk.insert("full", json!(is_full));
    let waiting = shop.storage().count(NOTIFICATION).map_err(storage_failure)?;
    Ok(json!({
        "health": if reasons.is_empty() { "ok" } else { "degraded" },
        "reasons": reasons,
        "disk": disk,
        "search": searches(server, shop),
        "deliveries": {"waiting": waiting},
    }))
}

/// Returns the state of each search that is on.
fn searches(server: &Server, shop: &Arc<Shop>) -> Vec<Value> {
    let mut all = Vec::new();
    for (_, kind) in server.model.kinds() {
        let mut names: Vec<&str> = kind.search.iter().map(|search| search.name.as_str()).collect();
        if let Some(by_parameters) = &kind.parameter_search {
            names.extend([by_parameters.current.as_str(), by_parameters.staged.as_str()]);
        }
        for name in names {
            if let Some(status) = server.searches.status(shop, name) {
                let state = status.state.as_str();
                let lag = status.estimated_total.saturating_sub(status.indexed);
                let lag = if state == "Ready" { 0 } else { lag };
                all.push(json!({
                    "index": name, "state": state, "lag": lag, "indexed": status.indexed, "failed": status.failed,
                }));
            }
        }
    }
    all
}
