//! Forwards requests of the console to the API, with a token of the client in place of the one of the page.
//!
//! The target is always below the base URL. Bodies are bounded; only a few headers are passed on.

use super::RemoteConsole;
use axum::body::{Body, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use kontor_errors::{ApiError, Code};
use percent_encoding::percent_decode_str;

/// Maximum size of a request body, in bytes: that of the API.
const REQUEST_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Maximum size of a response body, in bytes.
const RESPONSE_BYTES_MAX: usize = 128 * 1024 * 1024;

/// Headers of requests that are passed on.
const SENT: [HeaderName; 4] = [
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_TYPE,
    HeaderName::from_static("x-correlation-id"),
];
/// Headers of responses that are passed on.
const RECEIVED: [HeaderName; 5] = [
    header::CONTENT_TYPE,
    header::ETAG,
    header::RETRY_AFTER,
    HeaderName::from_static("x-correlation-id"),
    HeaderName::from_static("x-kontor-ignored"),
];

/// Forwards a request; `path` is its path below `/upstream`.
pub(super) async fn forward(
    console: &RemoteConsole,
    path: &str,
    parts: &Parts,
    body: Body,
) -> Result<Response<Body>, ApiError> {
    let token = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if !console.sessions.is_valid(token) {
        return Err(ApiError::new(Code::InvalidToken, "invalid_token"));
    }
    if !matches!(parts.method, Method::GET | Method::HEAD | Method::POST | Method::DELETE | Method::PUT) {
        return Err(ApiError::new(Code::MethodNotAllowed, "Method Not Allowed"));
    }
    if !is_below_base(path) {
        return Err(ApiError::uri_not_found(path));
    }
    let body = to_bytes(body, REQUEST_BYTES_MAX).await.map_err(|_| {
        let message = format!("The request body has more than {REQUEST_BYTES_MAX} bytes, or broke off.");
        ApiError::new(Code::ContentTooLarge, message)
    })?;
    let target = match parts.uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let send = || {
        let mut headers = axum::http::HeaderMap::new();
        for name in SENT {
            if let Some(value) = parts.headers.get(&name) {
                headers.insert(name, value.clone());
            }
        }
        console.remote.pass_on(parts.method.clone(), &target, headers, body.clone())
    };
    let failed =
        |error: anyhow::Error| ApiError::new(Code::BadGateway, format!("The API did not respond: {error:#}"));
    let mut response = send().await.map_err(failed)?;
    if response.status() == StatusCode::UNAUTHORIZED {
        // The token may have been revoked, or the server has another clock.
        console.remote.forget_token().await;
        response = send().await.map_err(failed)?;
    }
    receive(response).await
}

/// Returns whether a path stays below the base URL when it is joined with it.
fn is_below_base(path: &str) -> bool {
    let is_plain = |segment: &str| {
        let decoded = percent_decode_str(segment).decode_utf8_lossy();
        decoded != "." && decoded != ".." && !decoded.contains('\\')
    };
    path.starts_with('/') && !path.starts_with("//") && path.split('/').all(is_plain)
}

/// Reads a response of the API within the limit.
async fn receive(mut reply: reqwest::Response) -> Result<Response<Body>, ApiError> {
    let mut received = Response::new(Body::empty());
    *received.status_mut() = reply.status();
    for name in RECEIVED {
        if let Some(value) = reply.headers().get(&name) {
            received.headers_mut().insert(name, value.clone());
        }
    }
    received.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let mut content = Vec::new();
    let broken = |_| ApiError::new(Code::BadGateway, "The response of the API broke off.");
    while let Some(chunk) = reply.chunk().await.map_err(broken)? {
        if content.len() + chunk.len() > RESPONSE_BYTES_MAX {
            let message = format!("The response of the API has more than {RESPONSE_BYTES_MAX} bytes.");
            return Err(ApiError::new(Code::BadGateway, message));
        }
        content.extend_from_slice(&chunk);
    }
    *received.body_mut() = Body::from(content);
    Ok(received)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_base() {
        for path in ["/shop/states", "/shop/states/key=a.b", "/", "/shop/products/a%2Fb"] {
            assert!(is_below_base(path), "{path}");
        }
        for path in
            ["", "shop", "//evil.example/", "/../admin", "/shop/%2e%2E/x", "/./x", "/a\\..\\b", "/a/.."]
        {
            assert!(!is_below_base(path), "{path}");
        }
    }
}
