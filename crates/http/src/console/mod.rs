//! The console below `/console`: its files, `config.json`, `model.json`, and the endpoints of its page at `/console/api`.
//!
//! Resources are read and changed by the public API alone, with an access token of the operator
//! ([`sign_in`](sign_in)). The endpoints here are about operators and the server. They are not in the table of
//! operations: they belong to the page of the same release, and are no API.

mod console_request;
mod oidc;
mod operators;
mod server_status;
mod sign_in;

use crate::console_model::ConsoleModel;
use crate::fixed_paths::CONSOLE;
use crate::oauth;
use crate::server::Server;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use console_request::{ConsoleError, ConsoleRequest};
use kontor_console::{add_security_headers, is_unchanged, unchanged};
use kontor_errors::{ApiError, Code};
use kontor_json::{Value, json};
use kontor_rest::response::{self, HttpResponse};
use std::sync::Arc;

/// Returns the path below `/console/`; `None` if the path is not the console's. The path `/console` is empty as well.
pub(crate) fn path_below(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(CONSOLE)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Handles a request below `/console`; `path` is the rest of its path.
pub(crate) async fn respond(server: &Arc<Server>, path: &str, parts: &Parts, body: Body) -> HttpResponse {
    let mut response = match path.strip_prefix("api/") {
        Some(call) => respond_to_call(server, call, parts, body).await,
        None => respond_to_page(server, path, parts),
    };
    add_security_headers(response.headers_mut());
    response
}

fn respond_to_page(server: &Server, path: &str, parts: &Parts) -> HttpResponse {
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return response::error(&ApiError::new(Code::MethodNotAllowed, "Method Not Allowed"));
    }
    if parts.uri.path() == CONSOLE {
        let mut http_response = response::empty(StatusCode::PERMANENT_REDIRECT);
        http_response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/console/"));
        return http_response;
    }
    match path {
        "config.json" => configuration(server),
        "model.json" => model_file(server, parts),
        _ => kontor_console::respond(path, &parts.headers).map_or_else(
            || response::error(&ApiError::uri_not_found(parts.uri.path())),
            |http_response| http_response.map(Body::from),
        ),
    }
}

/// Handles `GET config.json`.
fn configuration(server: &Server) -> HttpResponse {
    let has_operators = match server.auth.has_operators() {
        Ok(has_operators) => has_operators,
        Err(error) => return response::error(&error.into()),
    };
    let mut http_response = response::json(
        StatusCode::OK,
        &json!({
            "version": env!("CARGO_PKG_VERSION"),
            "mode": "embedded",
            "apiBase": "",
            "setup": !has_operators,
            "oidc": server.oidc.as_ref().map_or(Value::Null, |oidc| json!({"name": oidc.name()})),
            "testControls": server.options.test_controls,
        }),
    );
    http_response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    http_response
}

/// Handles `GET model.json`. The document is derived at the first request.
fn model_file(server: &Server, parts: &Parts) -> HttpResponse {
    let file = server.console_model.get_or_init(|| ConsoleModel::from_model(&server.model));
    let mut response = match is_unchanged(&parts.headers, &file.tag) {
        true => unchanged(file.tag.clone()).map(Body::from),
        false => file.body.respond("application/json; charset=utf-8"),
    };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, file.tag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Handles a call of the page.
async fn respond_to_call(server: &Arc<Server>, call: &str, parts: &Parts, body: Body) -> HttpResponse {
    let outcome = async {
        let request = ConsoleRequest::read(server, call, parts, body).await?;
        if let Some(http_response) = sign_in::respond(&request).await? {
            return Ok(http_response);
        }
        if let Some(http_response) = oidc::respond(&request).await? {
            return Ok(http_response);
        }
        let session = request.session().await?;
        if let Some(http_response) = sign_in::respond_signed_in(&request, &session).await? {
            return Ok(http_response);
        }
        if let Some(http_response) = operators::respond(&request, &session).await? {
            return Ok(http_response);
        }
        if let Some(http_response) = server_status::respond(&request, &session).await? {
            return Ok(http_response);
        }
        Err(ConsoleError::from(ApiError::uri_not_found(parts.uri.path())))
    };
    let mut http_response = match Box::pin(outcome).await {
        Ok(http_response) => http_response,
        Err(ConsoleError::Api(error)) => response::error(&error),
        Err(ConsoleError::RateLimit(error)) => oauth::error_response(&error),
    };
    http_response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    http_response
}
