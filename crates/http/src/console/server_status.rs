//! The state of the server and of a project: disk, searches, deliveries, the last requests.

use super::console_request::{ConsoleRequest, ConsoleResult};
use crate::server::Server;
use axum::http::StatusCode;
use kontor_auth::{OperatorSession, ScopeName};
use kontor_engine::{NOTIFICATION, Shop, format_time, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value, json};
use kontor_outbound::{Outbound, RecordedDelivery};
use kontor_rest::response::{self, HttpResponse};
use kontor_storage::disk_bytes;
use std::sync::Arc;

/// The parameter that names the project.
const PROJECT: &str = "project";
/// How many entries a list has unless the request says otherwise, and at most.
const LIMIT_DEFAULT: usize = 100;
const LIMIT_MAX: usize = 1_000;

/// Handles a call; `None` for other calls.
pub(super) async fn respond(
    request: &ConsoleRequest<'_>,
    session: &OperatorSession,
) -> ConsoleResult<Option<HttpResponse>> {
    let answer = match request.call() {
        ("GET", ["status"]) => status(request, session).await?,
        ("GET", ["requests"]) => requests(request, session)?,
        ("GET", ["deliveries"]) => deliveries(request, session)?,
        _ => return Ok(None),
    };
    Ok(Some(response::json(StatusCode::OK, &answer)))
}

/// Returns the project of the request, in which the operator must have one of these scopes; none: any role is enough.
fn project<'r>(
    request: &'r ConsoleRequest<'_>,
    session: &OperatorSession,
    any_of: &[ScopeName],
) -> ApiResult<&'r str> {
    let key = request.parameter(PROJECT).ok_or_else(|| ApiError::required_field(PROJECT))?;
    let system = &request.server.auth;
    let role = system.project(key).and_then(|_| session.operator.role_in(key));
    let role = match role {
        Some(name) => system.operator_role(name)?,
        None => None,
    };
    let has_one = |scopes: &[ScopeName]| {
        any_of.is_empty() || scopes.iter().any(|own| any_of.iter().any(|scope| own.implies(*scope)))
    };
    if role.is_some_and(|role| has_one(&role.scopes)) {
        return Ok(key);
    }
    if any_of.is_empty() {
        let message = format!("You have no role in a project '{key}'.");
        return Err(ApiError::new(Code::InsufficientScope, message));
    }
    Err(kontor_auth::insufficient_scope(any_of))
}

async fn status(request: &ConsoleRequest<'_>, session: &OperatorSession) -> ConsoleResult<Value> {
    let key = project(request, session, &[])?;
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

fn limit(request: &ConsoleRequest<'_>) -> ApiResult<usize> {
    let Some(sent) = request.parameter("limit") else { return Ok(LIMIT_DEFAULT) };
    match sent.parse() {
        Ok(limit @ 1..=LIMIT_MAX) => Ok(limit),
        _ => {
            let expected = format!("Expected: an integer from 1 to {LIMIT_MAX}.");
            Err(ApiError::invalid_field("limit", &json!(sent), &expected, None))
        }
    }
}

/// Handles `GET requests`. Administrators may leave the project out, and then see all requests, e.g. for tokens.
fn requests(request: &ConsoleRequest<'_>, session: &OperatorSession) -> ConsoleResult<Value> {
    let sees_all = session.operator.is_administrator() && request.parameter(PROJECT).is_none();
    let of_project = match sees_all {
        true => None,
        false => Some(project(request, session, &[ScopeName::ViewAuditLog])?),
    };
    Ok(json!(request.server.request_log.last(of_project, limit(request)?)))
}

/// Handles `GET deliveries`: the last deliveries to the document that a parameter names, e.g. `subscription={id}`. The
/// bodies contain resources: an operator who manages such documents can have them sent anywhere.
fn deliveries(request: &ConsoleRequest<'_>, session: &OperatorSession) -> ConsoleResult<Value> {
    let mut kinds = request.server.model.kinds().map(|(_, kind)| kind).filter(|kind| kind.type_id != PROJECT);
    let found = kinds.find_map(|kind| Some((kind, request.parameter(&kind.type_id)?)));
    let Some((kind, id)) = found else {
        let message = "Expected: a parameter that is named like the type of a receiver, with its id.";
        return Err(ApiError::invalid_input(message).into());
    };
    let scopes: Vec<_> = kind.manage_scopes.iter().filter_map(|scope| ScopeName::parse(scope)).collect();
    let key = project(request, session, &scopes)?;
    let log = request.server.options.outbound.as_ref().map(Outbound::deliveries);
    let receiver = format!("{}/{id}", kind.type_id);
    let last = log.map(|log| log.last(key, &receiver)).unwrap_or_default();
    Ok(json!(last.iter().map(delivery_json).collect::<Vec<_>>()))
}

fn delivery_json(delivery: &RecordedDelivery) -> Value {
    let at = jiff::Timestamp::from_millisecond(delivery.at_ms).unwrap_or_default();
    let mut shown = json!({
        "at": format_time(at),
        "status": if delivery.error.is_none() { "delivered" } else { "failed" },
        "durationMs": delivery.duration.as_millis() as u64,
        "body": delivery.body,
    });
    if let Some(error) = &delivery.error {
        shown["error"] = json!(error);
    }
    shown
}
