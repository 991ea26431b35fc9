//! The OAuth endpoints over HTTP: tokens, introspection, revocation (document A, "Authentication").

use crate::body;
use crate::headers::single_value;
use crate::peer::client_address;
use crate::request_metadata::RequestMetadata;
use crate::server::Server;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use kontor_auth::{FORM_BYTES_MAX, OAuthError, OAuthRequest};
use kontor_json::Value;
use kontor_rest::response::{self, DEPRECATION, HttpResponse};

/// The OAuth endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OAuthOperation<'a> {
    /// A token for an API client, or for a refresh token.
    Token,
    /// A token for an anonymous session.
    Anonymous { project: &'a str },
    /// A token for a customer.
    Customer { project: &'a str, store: Option<&'a str> },
    /// Introspection of a token.
    Introspect,
    /// Revocation of a token.
    Revoke,
}

/// Handles a request to an OAuth endpoint.
pub(crate) async fn respond(
    server: &Server,
    requested: OAuthOperation<'_>,
    parts: &Parts,
    body: Body,
) -> HttpResponse {
    let mut http_response = match requested {
        OAuthOperation::Revoke => revoke(server, parts, body).await,
        _ => match token_response(server, requested, parts, body).await {
            Ok(token) => response::json(StatusCode::OK, &token),
            Err(error) => {
                RequestMetadata::set_reason(parts, || format!("{}: {}", error.error(), error.description()));
                error_response(&error)
            }
        },
    };
    // Intermediaries must not cache tokens (RFC 6749, section 5.1).
    http_response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    http_response.headers_mut().insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    if is_at_alias(server, parts) {
        http_response.headers_mut().insert(DEPRECATION, HeaderValue::from_static("true"));
    }
    http_response
}

async fn token_response(
    server: &Server,
    requested: OAuthOperation<'_>,
    parts: &Parts,
    body: Body,
) -> Result<Value, OAuthError> {
    let body = body::read_body(parts, body, FORM_BYTES_MAX).await;
    let body = body.map_err(|error| OAuthError::invalid_request(error.message()))?;
    let request = request(server, parts, &body);
    let clock = |project: &str| server.now_ms(project);
    let auth = &server.auth;
    if let Some(noted) = RequestMetadata::from_parts(parts)
        && let Some(client) = auth.named_client(&request)
    {
        // The request is one of the client's project, whose developers look for the reason of a refusal.
        _ = noted.client.set(client.id().to_owned());
        _ = noted.project.set(client.project_key().to_owned());
    }
    Ok(match requested {
        OAuthOperation::Token | OAuthOperation::Revoke => auth.token(&request, &clock).await?.to_json(),
        OAuthOperation::Anonymous { project } => {
            // A project that does not exist has no sessions; the request fails for that reason later.
            let shop = server.shop(project).await.ok();
            let is_in_use = |id: &str| shop.as_ref().map_or(Ok(false), |shop| shop.has_session_documents(id));
            auth.anonymous_token_unless(project, &request, &clock, is_in_use).await?.to_json()
        }
        OAuthOperation::Customer { project, store } => {
            auth.customer_token(project, store, &request, server, &clock).await?.to_json()
        }
        OAuthOperation::Introspect => auth.introspect(&request, &clock)?.to_json(),
    })
}

async fn revoke(server: &Server, parts: &Parts, body: Body) -> HttpResponse {
    // An unreadable revocation request gets the same response as one without a token.
    let body = body::read_body(parts, body, FORM_BYTES_MAX).await.unwrap_or_default();
    let clock = |project: &str| server.now_ms(project);
    match server.auth.revoke(&request(server, parts, &body), &clock).await {
        Ok(()) => response::empty(StatusCode::OK),
        Err(error) => error_response(&error),
    }
}

fn request<'a>(server: &Server, parts: &'a Parts, body: &'a [u8]) -> OAuthRequest<'a> {
    OAuthRequest {
        authorization: single_value(&parts.headers, header::AUTHORIZATION),
        content_type: single_value(&parts.headers, header::CONTENT_TYPE),
        query: parts.uri.query().unwrap_or_default(),
        body,
        address: client_address(server, parts),
    }
}

/// Returns whether a request was sent to one of the deprecated host names (document A has two).
fn is_at_alias(server: &Server, parts: &Parts) -> bool {
    let aliases = &server.options.auth_alias_hosts;
    if aliases.is_empty() {
        return false;
    }
    let sent = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = parts.uri.host().or(sent.map(without_port)).unwrap_or_default();
    aliases.iter().any(|alias| alias.eq_ignore_ascii_case(host))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // An IPv6 address has colons of its own, within brackets.
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Returns the response for an error.
pub(crate) fn error_response(error: &OAuthError) -> HttpResponse {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let mut http_response = response::json(status, &error.body());
    if let Some(challenge) = error.www_authenticate() {
        http_response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    if let Some(seconds) = error.retry_after_s() {
        http_response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    http_response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_compared_without_its_port() {
        assert_eq!(without_port("auth.example.com:8080"), "auth.example.com");
        assert_eq!(without_port("auth.example.com"), "auth.example.com");
        assert_eq!(without_port("[::1]"), "[::1]");
        assert_eq!(without_port("[::1]:80"), "[::1]");
    }
}
