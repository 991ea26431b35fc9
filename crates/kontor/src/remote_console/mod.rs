//! `kontor console`: serves the console on this machine for a project elsewhere, with that project's own API client.
//!
//! The page signs in by the printed link, which works once, and gets access tokens of minutes that are valid here only.
//! `/upstream` forwards its requests to the API ([`proxy`]) with a token of the client, which never reaches the browser.

mod proxy;
mod session;

use crate::arguments::ConsoleArguments;
use crate::operator::run_command;
use crate::operator_api::{error_response, json_response};
use crate::remote::RemoteProject;
use anyhow::{Context as _, bail};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use kontor_auth::{OPERATOR_TOKEN_VALIDITY_S, SESSION_IDLE_S};
use kontor_console::{
    CALL_BYTES_MAX, add_security_headers, cookie, entity_tag, foreign_request_reason, is_unchanged,
    model_document, session_cookie, sign_in_link, unchanged,
};
use kontor_errors::{ApiError, Code};
use kontor_http::serve_on_loopback;
use kontor_json::{Value, json};
use kontor_model::Model;
use session::LocalSessions;
use std::io::Write as _;
use std::sync::Arc;
use tokio::net::TcpListener;

/// The cookie of the session. Cookies of `127.0.0.1` are shared by all ports, so it differs from that of a server.
const COOKIE: &str = "kontor_console_remote";
/// The path below which requests are forwarded.
const UPSTREAM: &str = "/upstream";

/// The state that all requests share.
struct RemoteConsole {
    remote: RemoteProject,
    project: String,
    /// The host of the address that is listened on, e.g. `127.0.0.1:8990`.
    host: String,
    sessions: LocalSessions,
    model: String,
    model_tag: HeaderValue,
}

/// Runs the command.
pub(crate) fn run(arguments: ConsoleArguments) -> anyhow::Result<()> {
    run_command(async move {
        if !arguments.listen.ip().is_loopback() {
            bail!(
                "--listen {} is not loopback: the console would let others use the client",
                arguments.listen
            );
        }
        let Some(remote) = RemoteProject::connect(&arguments.server).await? else {
            bail!("--url is missing: the URL of the API, e.g. https://api.example.com");
        };
        let listener = TcpListener::bind(arguments.listen)
            .await
            .with_context(|| format!("cannot listen on {}", arguments.listen))?;
        let host = listener.local_addr()?.to_string();
        let (sessions, link) = LocalSessions::new();
        let model =
            Model::embedded().map_err(|problems| anyhow::anyhow!("the model has mistakes:\n{problems}"))?;
        let model = model_document(&model, env!("CARGO_PKG_VERSION")).to_string();
        let base = format!("http://{host}");
        let console = RemoteConsole {
            remote,
            project: arguments.project,
            host,
            sessions,
            model_tag: entity_tag(model.as_bytes()),
            model,
        };
        let mut out = std::io::stdout();
        writeln!(out, "kontor listening on {base}")?;
        writeln!(out, "console (signs in once): {}", sign_in_link(&base, &link))?;
        out.flush()?;
        let router = Router::new().fallback(respond).with_state(Arc::new(console));
        let stop = async {
            // Without a signal handler the process ends at once, which is fine too.
            let _ = tokio::signal::ctrl_c().await;
        };
        serve_on_loopback(listener, router, Box::pin(stop)).await;
        Ok(())
    })
}

async fn respond(State(console): State<Arc<RemoteConsole>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let outcome = if is_own_host(&console, &parts) {
        let path = parts.uri.path().to_owned();
        match path.strip_prefix(UPSTREAM).filter(|rest| rest.starts_with('/')) {
            Some(rest) => proxy::forward(&console, rest, &parts, body).await,
            None => respond_to_page(&console, &path, &parts, body).await,
        }
    } else {
        // Another name may lead to this address (DNS rebinding).
        Err(ApiError::new(Code::InsufficientScope, "The header Host names another address."))
    };
    let mut response = outcome.unwrap_or_else(|error| uncached(error_response(&error)));
    add_security_headers(response.headers_mut());
    response
}

/// Returns whether a request was sent to the address that is listened on.
fn is_own_host(console: &RemoteConsole, parts: &Parts) -> bool {
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = console.host.rsplit_once(':').map_or("", |(_, port)| port);
    host == console.host || host == format!("localhost:{port}")
}

async fn respond_to_page(
    console: &RemoteConsole,
    path: &str,
    parts: &Parts,
    body: Body,
) -> Result<Response<Body>, ApiError> {
    let Some(rest) = path.strip_prefix("/console") else {
        return match path {
            "/" => Ok(redirect()),
            _ => Err(ApiError::uri_not_found(path)),
        };
    };
    match rest {
        "" => Ok(redirect()),
        "/config.json" => Ok(uncached_json(&configuration())),
        "/model.json" => Ok(model_response(console, parts)),
        _ => match (rest.strip_prefix("/api/"), rest.strip_prefix('/')) {
            (Some(call), _) => respond_to_call(console, call, parts, body).await,
            (None, Some(file)) if matches!(parts.method, Method::GET | Method::HEAD) => {
                let response = kontor_console::respond(file, &parts.headers);
                Ok(response.ok_or_else(|| ApiError::uri_not_found(path))?.map(Body::from))
            }
            _ => Err(ApiError::uri_not_found(path)),
        },
    }
}

fn configuration() -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "mode": "remote",
        "apiBase": UPSTREAM,
        "setup": false,
        "oidc": null,
        "testControls": false,
    })
}

fn model_response(console: &RemoteConsole, parts: &Parts) -> Response<Body> {
    if is_unchanged(&parts.headers, &console.model_tag) {
        return unchanged(console.model_tag.clone()).map(Body::from);
    }
    let mut response = Response::new(Body::from(console.model.clone()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    headers.insert(header::ETAG, console.model_tag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

async fn respond_to_call(
    console: &RemoteConsole,
    call: &str,
    parts: &Parts,
    body: Body,
) -> Result<Response<Body>, ApiError> {
    if parts.method != Method::GET
        && let Some(reason) = foreign_request_reason(&parts.headers, None)
    {
        return Err(ApiError::new(Code::InsufficientScope, reason));
    }
    let token = cookie(&parts.headers, COOKIE);
    let sessions = &console.sessions;
    let signed_out = || ApiError::new(Code::AccessDenied, "You are not signed in.");
    match (parts.method.as_str(), call) {
        ("POST", "sign-in-link") => {
            let bytes = to_bytes(body, CALL_BYTES_MAX).await.unwrap_or_default();
            let sent: Value = kontor_json::from_slice(&bytes).unwrap_or_default();
            let session = sessions.use_link(sent["token"].as_str().unwrap_or_default()).ok_or_else(|| {
                ApiError::new(Code::InvalidToken, "This link was used already. Start `kontor console` again.")
            })?;
            let mut response = uncached_json(&session_json(console).await?);
            if let Some(cookie) = session_cookie(COOKIE, &session, SESSION_IDLE_S, false) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            Ok(response)
        }
        _ if !token.is_some_and(|token| sessions.is_signed_in(token)) => Err(signed_out()),
        ("GET", "session") => Ok(uncached_json(&session_json(console).await?)),
        ("GET", "projects") => Ok(uncached_json(&session_json(console).await?["projects"])),
        ("POST", "token") => {
            let scopes = console.remote.scopes().await.map_err(|error| unreachable_api(&error))?;
            let body = json!({
                "accessToken": sessions.issue_token(), "expiresIn": OPERATOR_TOKEN_VALIDITY_S, "scope": scopes,
            });
            Ok(uncached_json(&body))
        }
        ("POST", "sign-out") => {
            sessions.sign_out();
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            Ok(response)
        }
        _ => Err(ApiError::uri_not_found(parts.uri.path())),
    }
}

async fn session_json(console: &RemoteConsole) -> Result<Value, ApiError> {
    let scopes = console.remote.scopes().await.map_err(|error| unreachable_api(&error))?;
    let project = console.project.as_str();
    // Without the project, as in sessions of a server; scopes of a Store do not apply to the whole project.
    let names: Vec<&str> = scopes
        .iter()
        .filter_map(|scope| scope.split_once(':').filter(|(_, key)| *key == project))
        .map(|(name, _)| name)
        .collect();
    let client = console.remote.client_id();
    let ends = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(SESSION_IDLE_S);
    Ok(json!({
        "operator": {"id": client, "email": client, "name": client},
        "administrator": false,
        "setPassword": false,
        "projects": [{"key": project, "name": project, "role": "client", "scopes": names}],
        "expiresAt": kontor_engine::format_time(ends),
    }))
}

/// The error for an API that issues no token.
fn unreachable_api(error: &anyhow::Error) -> ApiError {
    ApiError::new(Code::BadGateway, format!("The API could not be asked: {error:#}"))
}

fn redirect() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/console/"));
    response
}

fn uncached_json(body: &Value) -> Response<Body> {
    uncached(json_response(StatusCode::OK, body))
}

/// Forbids caches to store a response.
fn uncached(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
