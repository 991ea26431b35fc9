//! The part of the operator API about operators of the console.
//!
//! ```text
//! POST   /_operator/operators {"email", "name"?, "roles", "password"?}   returns {"operator", "link"}
//! GET    /_operator/operators
//! DELETE /_operator/operators/{email}
//! POST   /_operator/operators/{email}/roles {"roles": [{"project", "role"}]}
//! POST   /_operator/operators/{email}/link                            returns {"link"}
//! DELETE /_operator/operators/{email}/password                        returns {"link"} to set a new one
//! GET    /_operator/roles
//! ```

use crate::operator_api::{OperatorApiState, OperatorHttpResponse, now_ms, read_body, respond, text};
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use kontor_auth::{OperatorAccount, OperatorDraft, OperatorRole, RoleAssignment, check_operator_password};
use kontor_engine::hash_password;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Map, Value, json};
use secrecy::ExposeSecret as _;

/// Returns the routes.
pub(crate) fn routes() -> Router<OperatorApiState> {
    Router::new()
        .route("/_operator/operators", post(create_operator).get(list_operators))
        .route("/_operator/operators/{email}", delete(remove_operator))
        .route("/_operator/operators/{email}/roles", post(set_roles))
        .route("/_operator/operators/{email}/link", post(create_link))
        .route("/_operator/operators/{email}/password", delete(remove_password))
        .route("/_operator/roles", get(list_roles))
}

async fn create_operator(State(served): State<OperatorApiState>, request: Request) -> OperatorHttpResponse {
    respond(async {
        let given = read_body(request).await?;
        let password_hash = match text(&given, "password") {
            Some(password) => {
                check_operator_password(&password)?;
                Some(hash_password(password).await?)
            }
            None => None,
        };
        let draft = OperatorDraft {
            email: text(&given, "email").ok_or_else(|| ApiError::required_field("email"))?,
            name: text(&given, "name").unwrap_or_default(),
            roles: parse_roles(&given)?,
            password_hash,
        };
        let operator = served.platform.auth.create_operator(draft, now_ms()).await?;
        let link = link_of(&served, &operator).await?;
        Ok((StatusCode::CREATED, json!({"operator": operator.to_json(), "link": link})))
    })
    .await
}

async fn list_operators(State(served): State<OperatorApiState>) -> OperatorHttpResponse {
    respond(async {
        let operators = served.platform.auth.operators()?;
        let operators: Vec<Value> = operators.iter().map(OperatorAccount::to_json).collect();
        Ok((StatusCode::OK, json!({"results": operators})))
    })
    .await
}

async fn remove_operator(
    State(served): State<OperatorApiState>,
    Path(email): Path<String>,
) -> OperatorHttpResponse {
    respond(async {
        let operator = find(&served, &email)?;
        served.platform.auth.remove_operator(&operator).await?;
        Ok((StatusCode::OK, operator.to_json()))
    })
    .await
}

async fn set_roles(
    State(served): State<OperatorApiState>,
    Path(email): Path<String>,
    request: Request,
) -> OperatorHttpResponse {
    respond(async {
        let roles = parse_roles(&read_body(request).await?)?;
        let operator = find(&served, &email)?;
        let changed = served.platform.auth.update_operator(&operator, None, Some(roles)).await?;
        Ok((StatusCode::OK, changed.to_json()))
    })
    .await
}

async fn create_link(
    State(served): State<OperatorApiState>,
    Path(email): Path<String>,
) -> OperatorHttpResponse {
    respond(async {
        let operator = find(&served, &email)?;
        Ok((StatusCode::CREATED, json!({"link": link_of(&served, &operator).await?})))
    })
    .await
}

async fn remove_password(
    State(served): State<OperatorApiState>,
    Path(email): Path<String>,
) -> OperatorHttpResponse {
    respond(async {
        let operator = find(&served, &email)?;
        let operator = served.platform.auth.remove_operator_password(&operator).await?;
        Ok((StatusCode::OK, json!({"link": link_of(&served, &operator).await?})))
    })
    .await
}

async fn list_roles(State(served): State<OperatorApiState>) -> OperatorHttpResponse {
    respond(async {
        let roles = served.platform.auth.operator_roles()?;
        let roles: Vec<Value> = roles.iter().map(OperatorRole::to_json).collect();
        Ok((StatusCode::OK, json!({"results": roles})))
    })
    .await
}

fn find(served: &OperatorApiState, email: &str) -> ApiResult<OperatorAccount> {
    let found = served.platform.auth.operator_by_email(email)?;
    found.ok_or_else(|| ApiError::not_found(&format!("operator '{email}'")))
}

/// Returns a link to sign in. Its address is that of the server, if that is known.
async fn link_of(served: &OperatorApiState, operator: &OperatorAccount) -> ApiResult<String> {
    let token = served.platform.auth.create_operator_link(operator, now_ms()).await?;
    Ok(served.server.console_link(token.expose_secret()))
}

fn parse_roles(given: &Map) -> ApiResult<Vec<RoleAssignment>> {
    RoleAssignment::list_from_json(given.get("roles").unwrap_or(&Value::Null))
}
