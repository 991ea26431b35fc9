//! A request to the console's own endpoints: its body, its session, and the checks that all of them need.

use crate::body;
use crate::peer::client_address;
use crate::request_metadata::RequestMetadata;
use crate::server::Server;
use axum::body::Body;
use axum::extract::Query;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use kontor_auth::{OAuthError, OperatorSession};
use kontor_console::{CALL_BYTES_MAX, cookie, foreign_request_reason, sign_in_link};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Map, Value};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

/// The cookie of a session.
pub(super) const COOKIE: &str = "kontor_console";

/// Why a request is refused.
pub(super) enum ConsoleError {
    /// As in the API.
    Api(ApiError),
    /// Too many wrong passwords.
    RateLimit(OAuthError),
}

impl<E: Into<ApiError>> From<E> for ConsoleError {
    fn from(error: E) -> Self {
        ConsoleError::Api(error.into())
    }
}

/// The result of a request.
pub(super) type ConsoleResult<T> = Result<T, ConsoleError>;

/// A request that was sent by the console's own page.
pub(super) struct ConsoleRequest<'a> {
    pub(super) server: &'a Arc<Server>,
    /// The segments of the path below `/console/api/`.
    pub(super) path: Vec<&'a str>,
    parts: &'a Parts,
    /// The body; empty if there is none.
    pub(super) body: Map,
    query: HashMap<String, String>,
}

impl<'a> ConsoleRequest<'a> {
    /// Reads a request. Requests that change something must come from the console's own page.
    pub(super) async fn read(
        server: &'a Arc<Server>,
        call: &'a str,
        parts: &'a Parts,
        body: Body,
    ) -> ConsoleResult<Self> {
        if !matches!(parts.method, Method::GET | Method::HEAD)
            && let Some(reason) = foreign_request_reason(&parts.headers, server.options.public_url.as_deref())
        {
            return Err(ApiError::new(Code::InsufficientScope, reason).into());
        }
        let body = match parts.method {
            Method::POST => read_object(parts, body).await?,
            _ => Map::new(),
        };
        let query = Query::<HashMap<String, String>>::try_from_uri(&parts.uri);
        let query = query.map_err(|error| ApiError::invalid_input(error.to_string()))?;
        Ok(ConsoleRequest { server, path: call.split('/').collect(), parts, body, query: query.0 })
    }

    /// Returns method and path, for a `match`.
    pub(super) fn call(&self) -> (&str, &[&'a str]) {
        (self.parts.method.as_str(), &self.path)
    }

    /// Returns the session of the cookie. Fails with 401 if there is none.
    pub(super) async fn session(&self) -> ConsoleResult<OperatorSession> {
        let token = cookie(&self.parts.headers, COOKIE);
        let found = match token {
            Some(token) => self.server.auth.operator_session(token, now_ms()).await?,
            None => None,
        };
        let session = found.ok_or_else(|| ApiError::new(Code::AccessDenied, "You are not signed in."))?;
        if let Some(noted) = RequestMetadata::from_parts(self.parts) {
            _ = noted.operator.set(session.operator.email.clone());
        }
        self.server.services.requests().watch();
        Ok(session)
    }

    /// Returns a text of the body, which must not be empty.
    pub(super) fn require(&self, name: &str) -> ApiResult<&str> {
        match self.body.get(name) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text),
            Some(Value::String(_) | Value::Null) | None => Err(ApiError::required_field(name)),
            Some(_) => Err(ApiError::invalid_json(format!("{name}: expected a string."))),
        }
    }

    /// Returns a text of the body.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.body.get(name)?.as_str()
    }

    /// Returns a query parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }

    /// Returns the address of the client.
    pub(super) fn address(&self) -> Option<IpAddr> {
        client_address(self.server, self.parts)
    }

    /// Returns whether the browser reaches the server by https.
    pub(super) fn is_secure(&self) -> bool {
        let is_public = self.server.options.public_url.as_ref().is_some_and(|url| url.starts_with("https:"));
        is_public || text_of(&self.parts.headers, "x-forwarded-proto").eq_ignore_ascii_case("https")
    }

    /// Returns the address of a link with this token. The token is in the fragment, which browsers never send.
    pub(super) fn link(&self, token: &str) -> String {
        sign_in_link(&self.base(), token)
    }

    /// Returns the address at which the browser reaches the server, without a slash at its end.
    pub(super) fn base(&self) -> String {
        match &self.server.options.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => {
                let scheme = if self.is_secure() { "https" } else { "http" };
                format!("{scheme}://{}", text_of(&self.parts.headers, header::HOST.as_str()))
            }
        }
    }

    /// Returns the value of a cookie.
    pub(super) fn cookie(&self, name: &str) -> Option<&str> {
        cookie(&self.parts.headers, name)
    }
}

/// Returns the time of the machine: sessions and links do not follow the clocks of projects.
pub(super) fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

fn text_of<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

async fn read_object(parts: &Parts, body: Body) -> ApiResult<Map> {
    let content_type = text_of(&parts.headers, header::CONTENT_TYPE.as_str());
    if !content_type.starts_with("application/json") {
        return Err(ApiError::invalid_input("Expected: a body with Content-Type: application/json."));
    }
    let bytes = body::read_body(parts, body, CALL_BYTES_MAX).await?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    match kontor_json::from_slice(&bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(ApiError::invalid_json("Expected: an object.")),
        Err(error) => Err(ApiError::invalid_json(error.to_string())),
    }
}
