//! Protects the test controls from web pages: only programs, and pages of this server, may call them.
//!
//! A test server often listens on a developer's machine, where any page in the browser could send requests to it.
//! Browsers send the page's origin, and ask with a preflight before they send JSON; programs do neither.

use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};
use kontor_errors::{ApiError, ApiResult, Code};
use std::net::IpAddr;

/// Rejects pages of other origins, and content types that a page may send without a preflight.
pub(super) fn admit_caller(parts: &Parts) -> ApiResult<()> {
    if let Some(origin) = parts.headers.get(header::ORIGIN) {
        let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = parts.uri.authority().map(Authority::as_str).or(host).unwrap_or_default();
        let is_own = origin.to_str().is_ok_and(|origin| is_own(origin, host));
        if !is_own {
            return Err(ApiError::new(
                Code::InsufficientScope,
                "The test controls reject pages of other origins. Call them from a program.",
            ));
        }
    }
    admit_content_type(&parts.headers)
}

/// Returns whether an origin is this server. Host names other than `localhost` are not trusted (DNS rebinding).
fn is_own(origin: &str, host: &str) -> bool {
    let Some((_, authority)) = origin.split_once("://") else { return false };
    authority.eq_ignore_ascii_case(host)
        && host.parse::<Authority>().is_ok_and(|host| is_ip_or_localhost(host.host()))
}

/// Returns true for an IP address or `localhost`, which DNS cannot redirect.
fn is_ip_or_localhost(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().is_ok() || host.eq_ignore_ascii_case("localhost")
}

fn admit_content_type(headers: &HeaderMap) -> ApiResult<()> {
    let has_body = headers.contains_key(header::TRANSFER_ENCODING)
        || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if !has_body || essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(ApiError::invalid_input(format!(
        "The test controls take the content type application/json, and found '{given}'. With curl: -H 'Content-Type: application/json' -d '{{…}}'."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admits_only_pages_of_the_server() {
        assert!(is_own("http://127.0.0.1:8989", "127.0.0.1:8989"));
        assert!(is_own("http://localhost:8989", "localhost:8989"));
        assert!(is_own("http://[::1]:8989", "[::1]:8989"));
        for (origin, host) in [
            ("http://127.0.0.1:3000", "127.0.0.1:8989"),
            ("https://example.com", "127.0.0.1:8989"),
            ("null", "127.0.0.1:8989"),
            // DNS rebinding: a name that leads here after its page was loaded.
            ("http://example.com:8989", "example.com:8989"),
            ("", ""),
        ] {
            assert!(!is_own(origin, host), "{origin} at {host}");
        }
    }
}
