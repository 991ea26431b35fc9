//! Endpoints of the console to list, create, change and remove operators and roles. Only administrators of all projects
//! may call them.

use super::console_request::{ConsoleRequest, ConsoleResult, now_ms};
use super::sign_in::with_session;
use axum::http::StatusCode;
use kontor_auth::{
    OperatorAccount, OperatorDraft, OperatorRole, OperatorSession, RoleAssignment, is_administrator,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_rest::response::{self, HttpResponse};
use secrecy::ExposeSecret as _;

/// Handles a call; `None` for other calls.
pub(super) async fn respond(
    request: &ConsoleRequest<'_>,
    session: &OperatorSession,
) -> ConsoleResult<Option<HttpResponse>> {
    let system = &request.server.auth;
    if request.call() == ("GET", &["roles"]) {
        let roles: Vec<Value> = system.operator_roles()?.iter().map(OperatorRole::to_json).collect();
        return Ok(Some(response::json(StatusCode::OK, &json!(roles))));
    }
    if !matches!(request.path.first(), Some(&"operators" | &"roles")) {
        return Ok(None);
    }
    if !session.operator.is_administrator() {
        let message = "Only administrators of all projects can manage operators and roles.";
        return Err(ApiError::new(Code::InsufficientScope, message).into());
    }
    Ok(Some(match request.call() {
        ("GET", ["operators"]) => {
            let all: Vec<Value> = system.operators()?.iter().map(OperatorAccount::to_json).collect();
            response::json(StatusCode::OK, &json!(all))
        }
        ("POST", ["operators"]) => create(request, session).await?,
        ("POST", ["operators", id]) => update(request, session, id).await?,
        ("DELETE", ["operators", id]) => {
            let operator = find(request, id)?;
            must_leave_an_administrator(request, &operator)?;
            system.remove_operator(&operator).await?;
            tracing::info!(
                operator = session.operator.email,
                removed = operator.email,
                "removed an operator"
            );
            response::empty(StatusCode::NO_CONTENT)
        }
        ("POST", ["roles"]) => {
            let role = parse_role(request)?;
            system.put_operator_role(&role).await?;
            tracing::info!(operator = session.operator.email, role = role.name, "changed a role");
            response::json(StatusCode::OK, &role.to_json())
        }
        ("DELETE", ["roles", name]) => {
            system.remove_operator_role(name).await?;
            tracing::info!(operator = session.operator.email, role = name, "removed a role");
            response::empty(StatusCode::NO_CONTENT)
        }
        _ => return Ok(None),
    }))
}

fn find(request: &ConsoleRequest<'_>, id: &str) -> ApiResult<OperatorAccount> {
    let found = request.server.auth.operator(id)?;
    found.ok_or_else(|| ApiError::not_found(&format!("operator with ID '{id}'")))
}

async fn create(request: &ConsoleRequest<'_>, session: &OperatorSession) -> ConsoleResult<HttpResponse> {
    let system = &request.server.auth;
    let draft = OperatorDraft {
        email: request.require("email")?.to_owned(),
        name: request.text("name").unwrap_or_default().to_owned(),
        roles: parse_roles(request)?.unwrap_or_default(),
        password_hash: None,
    };
    let operator = system.create_operator(draft, now_ms()).await?;
    let link = system.create_operator_link(&operator, now_ms()).await?;
    tracing::info!(operator = session.operator.email, created = operator.email, "created an operator");
    let body = json!({"operator": operator.to_json(), "link": request.link(link.expose_secret())});
    Ok(response::json(StatusCode::CREATED, &body))
}

async fn update(
    request: &ConsoleRequest<'_>,
    session: &OperatorSession,
    id: &str,
) -> ConsoleResult<HttpResponse> {
    let system = &request.server.auth;
    let mut operator = find(request, id)?;
    let (name, roles) = (request.text("name").map(str::to_owned), parse_roles(request)?);
    if name.is_some() || roles.is_some() {
        if roles.as_deref().is_some_and(|roles| !is_administrator(roles)) {
            must_leave_an_administrator(request, &operator)?;
        }
        operator = system.update_operator(&operator, name, roles).await?;
        tracing::info!(operator = session.operator.email, changed = operator.email, "changed an operator");
    }
    let (mut body, mut renewed) = (json!({}), None);
    if request.body.get("resetPassword").and_then(Value::as_bool).unwrap_or_default() {
        if operator.id == session.operator.id {
            let (token, begun) = system.set_own_operator_password(&operator, None, now_ms()).await?;
            (operator, renewed) = (begun.operator, Some(token));
        } else {
            operator = system.remove_operator_password(&operator).await?;
        }
        let link = system.create_operator_link(&operator, now_ms()).await?;
        tracing::info!(operator = session.operator.email, changed = operator.email, "reset a password");
        body["link"] = json!(request.link(link.expose_secret()));
    }
    body["operator"] = operator.to_json();
    let http_response = response::json(StatusCode::OK, &body);
    match renewed {
        Some(token) => with_session(request, http_response, &token),
        None => Ok(http_response),
    }
}

/// Refuses a change after which no administrator would be left.
fn must_leave_an_administrator(request: &ConsoleRequest<'_>, changed: &OperatorAccount) -> ApiResult<()> {
    let others = request.server.auth.operators()?;
    let is_other = |other: &OperatorAccount| other.id != changed.id && other.is_administrator();
    if !changed.is_administrator() || others.iter().any(is_other) {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{} is the last administrator of all projects. Make another one first.",
        changed.email
    )))
}

fn parse_roles(request: &ConsoleRequest<'_>) -> ApiResult<Option<Vec<RoleAssignment>>> {
    let given = request.body.get("roles").filter(|given| !given.is_null());
    given.map(RoleAssignment::list_from_json).transpose()
}

fn parse_role(request: &ConsoleRequest<'_>) -> ApiResult<OperatorRole> {
    let malformed = || ApiError::invalid_json("scopes: expected a list of strings.");
    let scopes = request.body.get("scopes").and_then(Value::as_array).ok_or_else(malformed)?;
    let scopes = scopes.iter().map(|scope| scope.as_str().ok_or_else(malformed));
    OperatorRole::new(request.require("name")?, &scopes.collect::<ApiResult<Vec<_>>>()?)
}
