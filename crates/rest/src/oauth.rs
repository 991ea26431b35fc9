//! The authorization service over HTTP: document A, "Authentication".

use crate::answer::{self, Answer};
use crate::body;
use crate::face::Face;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use bytes::Bytes;
use kontor_auth::{FORM_BYTES_MAX, OAuthError, OAuthRequest};
use kontor_errors::ApiError;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

/// What a path below `/oauth` is for.
#[derive(Debug, PartialEq, Eq)]
enum Endpoint<'a> {
    Token,
    Introspect,
    Revoke,
    Anonymous { project: Cow<'a, str> },
    Customers { project: Cow<'a, str>, store: Option<Cow<'a, str>> },
}

impl Face {
    /// Answers a request below `/oauth`.
    pub(crate) async fn oauth(&self, parts: &Parts, body: Body) -> Answer {
        let mut answer = self.oauth_answer(parts, body).await;
        if self.is_at_alias(parts) {
            answer.headers_mut().insert(DEPRECATION, HeaderValue::from_static("true"));
        }
        answer
    }

    async fn oauth_answer(&self, parts: &Parts, body: Body) -> Answer {
        let path = parts.uri.path();
        let Some(endpoint) = endpoint(path).filter(|_| parts.method == Method::POST) else {
            return answer::error(&ApiError::uri_not_found(path));
        };
        let body = match body::read(&parts.headers, body, FORM_BYTES_MAX).await {
            Ok(body) => body,
            // Whoever revokes with a request that cannot be read is told what one with nothing to revoke is told.
            Err(_) if endpoint == Endpoint::Revoke => Bytes::new(),
            Err(error) => return refusal(&OAuthError::invalid_request(error.message())),
        };
        let text = |name| only(&parts.headers, name);
        let request = OAuthRequest {
            authorization: text(header::AUTHORIZATION),
            content_type: text(header::CONTENT_TYPE),
            query: parts.uri.query().unwrap_or_default(),
            body: &body,
            address: self.sender(parts),
        };
        let clock = |project: &str| self.now_ms(project);
        let result = match endpoint {
            Endpoint::Token => self.system.token(&request, &clock).await.map(|token| token.to_json()),
            Endpoint::Anonymous { project } => {
                // Without a shop there is nothing that could belong to a session; the project is refused anyway.
                let shop = self.shop(&project).await.ok();
                let is_in_use = |id: &str| shop.as_ref().map_or(Ok(false), |shop| shop.knows_session(id));
                let token = self.system.anonymous_token_unless(&project, &request, &clock, is_in_use).await;
                token.map(|token| token.to_json())
            }
            Endpoint::Customers { project, store } => {
                let token =
                    self.system.customer_token(&project, store.as_deref(), &request, self, &clock).await;
                token.map(|token| token.to_json())
            }
            Endpoint::Introspect => self.system.introspect(&request, &clock).map(|found| found.to_json()),
            Endpoint::Revoke => {
                let revoked = self.system.revoke(&request, &clock).await;
                return kept_by_nobody(
                    revoked.map_or_else(|error| refusal(&error), |()| answer::empty(StatusCode::OK)),
                );
            }
        };
        kept_by_nobody(
            result.map_or_else(|error| refusal(&error), |answered| answer::json(StatusCode::OK, &answered)),
        )
    }

    /// Whether a request was sent to one of the names that are going away (document A has two).
    fn is_at_alias(&self, parts: &Parts) -> bool {
        let aliases = &self.options.auth_alias_hosts;
        if aliases.is_empty() {
            return false;
        }
        let sent = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = parts.uri.host().or(sent.map(without_port)).unwrap_or_default();
        aliases.iter().any(|alias| alias.eq_ignore_ascii_case(host))
    }
}

/// The value of a header that stands once. Of two, others on the way may have believed the other one.
pub(crate) fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() { None } else { first.to_str().ok() }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // An IPv6 address has colons of its own, inside of brackets.
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn endpoint(path: &str) -> Option<Endpoint<'_>> {
    let segments: Vec<&str> = path.strip_prefix("/oauth/")?.split('/').collect();
    Some(match *segments {
        ["token"] => Endpoint::Token,
        ["introspect"] => Endpoint::Introspect,
        ["token", "revoke"] => Endpoint::Revoke,
        [project, "anonymous", "token"] => Endpoint::Anonymous { project: decoded(project)? },
        [project, "customers", "token"] => Endpoint::Customers { project: decoded(project)?, store: None },
        [project, "in-store", store, "customers", "token"] => {
            let store = decoded(store)?.strip_prefix("key=").map(|key| Cow::Owned(key.to_owned()))?;
            Endpoint::Customers { project: decoded(project)?, store: Some(store) }
        }
        _ => return None,
    })
}

fn decoded(segment: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(segment).decode_utf8().ok().filter(|text| !text.is_empty())
}

/// Tokens are nobody's to keep on the way (RFC 6749, section 5.1).
fn kept_by_nobody(mut answer: Answer) -> Answer {
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer.headers_mut().insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    answer
}

/// The answer that a refusal is.
pub(crate) fn refusal(error: &OAuthError) -> Answer {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let mut answer = answer::json(status, &error.body());
    if let Some(challenge) = error.www_authenticate() {
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    if let Some(seconds) = error.retry_after_s() {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_endpoint_has_its_path() {
        let project = || Cow::Borrowed("shop");
        assert_eq!(endpoint("/oauth/token"), Some(Endpoint::Token));
        assert_eq!(endpoint("/oauth/token/revoke"), Some(Endpoint::Revoke));
        assert_eq!(endpoint("/oauth/introspect"), Some(Endpoint::Introspect));
        assert_eq!(endpoint("/oauth/shop/anonymous/token"), Some(Endpoint::Anonymous { project: project() }));
        assert_eq!(
            endpoint("/oauth/shop/customers/token"),
            Some(Endpoint::Customers { project: project(), store: None })
        );
        for path in [
            "/oauth/shop/in-store/key=berlin/customers/token",
            "/oauth/shop/in-store/key%3Dberlin/customers/token",
        ] {
            let store = Some(Cow::Borrowed("berlin"));
            assert_eq!(endpoint(path), Some(Endpoint::Customers { project: project(), store }), "{path}");
        }
    }

    #[test]
    fn other_paths_are_nothing() {
        for path in [
            "/oauth",
            "/oauth/",
            "/oauth/token/",
            "/oauth/shop/token",
            "/oauth//anonymous/token",
            "/oauth/shop/in-store/berlin/customers/token",
            "/oauth/%ff/anonymous/token",
        ] {
            assert_eq!(endpoint(path), None, "{path}");
        }
    }

    #[test]
    fn a_host_is_compared_without_its_port() {
        assert_eq!(without_port("auth.example.com:8080"), "auth.example.com");
        assert_eq!(without_port("auth.example.com"), "auth.example.com");
        assert_eq!(without_port("[::1]"), "[::1]");
        assert_eq!(without_port("[::1]:80"), "[::1]");
    }
}
