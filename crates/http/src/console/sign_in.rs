//! Signing in and out, setting a password, and access tokens.

use super::console_request::{COOKIE, ConsoleError, ConsoleRequest, ConsoleResult, now_ms};
use axum::http::{StatusCode, header};
use kontor_auth::{
    LoginAttempt, OperatorDraft, OperatorLink, OperatorSession, SESSION_VALIDITY_S, ScopeName, Secret,
    check_operator_password,
};
use kontor_console::session_cookie;
use kontor_engine::{format_time, hash_password, verify_password};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_rest::response::{self, HttpResponse};
use secrecy::ExposeSecret as _;

/// The prefix of accounts of operators in the rate limit of wrong passwords: no project and no client has this name.
const ACCOUNT_PREFIX: &str = "console\n";

/// Handles calls without a session; `None` for other calls.
pub(super) async fn respond(request: &ConsoleRequest<'_>) -> ConsoleResult<Option<HttpResponse>> {
    Ok(Some(match request.call() {
        ("POST", ["sign-in"]) => sign_in(request).await?,
        ("POST", ["sign-in-link"]) => sign_in_by_link(request).await?,
        ("POST", ["setup"]) => set_up(request).await?,
        _ => return Ok(None),
    }))
}

/// Handles calls about the own session; `None` for other calls.
pub(super) async fn respond_signed_in(
    request: &ConsoleRequest<'_>,
    session: &OperatorSession,
) -> ConsoleResult<Option<HttpResponse>> {
    Ok(Some(match request.call() {
        ("GET", ["session"]) => response::json(StatusCode::OK, &session_json(request, session)?),
        ("POST", ["sign-out"]) => {
            request.server.auth.end_operator_sessions(&session.operator).await?;
            tracing::info!(operator = session.operator.email, "signed out of the console");
            let mut http_response = response::empty(StatusCode::NO_CONTENT);
            if let Some(cookie) = session_cookie(COOKIE, "", 0, request.is_secure()) {
                http_response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            http_response
        }
        ("POST", ["password"]) => set_password(request, session).await?,
        ("POST", ["token"]) => issue_token(request, session).await?,
        ("GET", ["projects"]) => {
            let session = session_json(request, session)?;
            response::json(StatusCode::OK, &session["projects"])
        }
        _ => return Ok(None),
    }))
}

async fn sign_in(request: &ConsoleRequest<'_>) -> ConsoleResult<HttpResponse> {
    let (email, password) = (request.require("email")?, request.require("password")?);
    let system = &request.server.auth;
    let account = account(email);
    let attempt = LoginAttempt { account: &account, address: request.address() };
    system.admit_attempt(&attempt).map_err(ConsoleError::RateLimit)?;
    let operator = system.operator_by_email(email)?;
    let hash = operator.as_ref().and_then(|operator| operator.password_hash.clone());
    let is_right = verify_password(password.to_owned(), hash).await?;
    system.record_attempt(&attempt, is_right);
    match operator {
        Some(operator) if is_right => {
            let (token, session) = system.begin_operator_session(&operator, now_ms()).await?;
            tracing::info!(operator = operator.email, "signed in to the console");
            session_response(request, &token, &session)
        }
        _ => {
            tracing::warn!("a sign-in to the console failed");
            Err(ApiError::new(Code::AccessDenied, "The e-mail address or the password is wrong.").into())
        }
    }
}

fn account(email: &str) -> String {
    format!("{ACCOUNT_PREFIX}{}", email.trim().to_lowercase())
}

async fn sign_in_by_link(request: &ConsoleRequest<'_>) -> ConsoleResult<HttpResponse> {
    let token = request.require("token")?;
    let system = &request.server.auth;
    match system.operator_link(token, now_ms())? {
        OperatorLink::SetUp => Ok(response::json(StatusCode::OK, &json!({"setup": true}))),
        OperatorLink::SignIn(operator) => {
            let (token, session) = system.use_operator_link(token, *operator, now_ms()).await?;
            tracing::info!(operator = session.operator.email, "signed in to the console by a link");
            session_response(request, &token, &session)
        }
    }
}

async fn set_up(request: &ConsoleRequest<'_>) -> ConsoleResult<HttpResponse> {
    let system = &request.server.auth;
    let (token, password) = (request.require("token")?, request.require("password")?);
    // Hashing takes time: only a caller with a valid link may cause it.
    system.operator_link(token, now_ms())?;
    check_operator_password(password)?;
    let draft = OperatorDraft {
        email: request.require("email")?.to_owned(),
        name: request.text("name").unwrap_or_default().to_owned(),
        roles: Vec::new(),
        password_hash: Some(hash_password(password.to_owned()).await?),
    };
    let (token, session) = system.set_up_operators(token, draft, now_ms()).await?;
    tracing::info!(operator = session.operator.email, "the first operator was created");
    session_response(request, &token, &session)
}

/// Returns the response that gives the browser its session.
fn session_response(
    request: &ConsoleRequest<'_>,
    token: &Secret,
    session: &OperatorSession,
) -> ConsoleResult<HttpResponse> {
    with_session(request, response::json(StatusCode::OK, &session_json(request, session)?), token)
}

/// Returns a response with the cookie of a session.
pub(super) fn with_session(
    request: &ConsoleRequest<'_>,
    mut http_response: HttpResponse,
    token: &Secret,
) -> ConsoleResult<HttpResponse> {
    let cookie = session_cookie(COOKIE, token.expose_secret(), SESSION_VALIDITY_S, request.is_secure());
    let cookie = cookie.ok_or_else(|| ApiError::bug("the token of a session does not fit into a cookie"))?;
    http_response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(http_response)
}

async fn set_password(
    request: &ConsoleRequest<'_>,
    session: &OperatorSession,
) -> ConsoleResult<HttpResponse> {
    let (system, operator) = (&request.server.auth, &session.operator);
    let new = request.require("new")?;
    check_operator_password(new)?;
    // Without a password, the session was begun by a link, which an administrator has sent.
    if operator.password_hash.is_some() {
        let current = request.require("current")?;
        let account = account(&operator.email);
        let attempt = LoginAttempt { account: &account, address: request.address() };
        system.admit_attempt(&attempt).map_err(ConsoleError::RateLimit)?;
        let is_right = verify_password(current.to_owned(), operator.password_hash.clone()).await?;
        system.record_attempt(&attempt, is_right);
        if !is_right {
            return Err(ApiError::new(Code::InvalidCurrentPassword, "The current password is wrong.").into());
        }
    }
    let hash = hash_password(new.to_owned()).await?;
    let (token, _) = system.set_own_operator_password(operator, Some(hash), now_ms()).await?;
    tracing::info!(operator = operator.email, "set a new password for the console");
    with_session(request, response::empty(StatusCode::NO_CONTENT), &token)
}

async fn issue_token(request: &ConsoleRequest<'_>, session: &OperatorSession) -> ConsoleResult<HttpResponse> {
    let project = request.require("project")?;
    let now_ms = request.server.now_ms(project);
    let issued = request.server.auth.issue_operator_token(session, project, now_ms).await?;
    let scopes: Vec<&str> = issued.scope.split(' ').collect();
    let body = json!({
        "accessToken": issued.access_token.expose_secret(),
        "expiresIn": issued.expires_in_s,
        "scope": scopes,
    });
    Ok(response::json(StatusCode::OK, &body))
}

/// Returns the session as the page sees it.
fn session_json(request: &ConsoleRequest<'_>, session: &OperatorSession) -> ApiResult<Value> {
    let (system, operator) = (&request.server.auth, &session.operator);
    let roles = system.operator_roles()?;
    let mut projects = Vec::new();
    for project in system.projects() {
        let role = operator.role_in(project.key());
        let Some(role) = role.and_then(|name| roles.iter().find(|role| role.name == name)) else { continue };
        // With the implied ones, so that the page compares names only.
        let is_held = |scope: &&ScopeName| role.scopes.iter().any(|own| own.implies(**scope));
        let scopes: Vec<&str> = ScopeName::ALL.iter().filter(is_held).map(|scope| scope.as_str()).collect();
        projects.push(json!({
            "key": project.key(), "name": project.name(), "role": role.name, "scopes": scopes,
        }));
    }
    let ends = jiff::Timestamp::from_millisecond(session.expires_at_ms).unwrap_or_default();
    Ok(json!({
        "operator": {"id": operator.id, "email": operator.email, "name": operator.name},
        "administrator": operator.is_administrator(),
        // The page offers to set a password, without the current one.
        "setPassword": operator.password_hash.is_none(),
        "projects": projects,
        "expiresAt": format_time(ends),
    }))
}
