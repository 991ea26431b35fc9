//! Protection of the console's own endpoints: against requests of other sites (CSRF), and the cookie of a session.

use axum::http::{HeaderMap, HeaderValue, header};

/// Maximum size of a body of the console's own endpoints, in bytes.
pub const CALL_BYTES_MAX: usize = 64 * 1024;
/// The header that every request that changes something must have. Pages of other origins cannot send it without
/// permission, which the console never gives.
pub const REQUEST_MARK: &str = "x-kontor-console";

/// Why a request that changes something is refused; `None` if it is one of the console's own page.
///
/// `further_origin` is the address of the server as operators configured it, e.g. `https://shop.example.com`.
pub fn foreign_request_reason(headers: &HeaderMap, further_origin: Option<&str>) -> Option<&'static str> {
    if headers.get(REQUEST_MARK).is_none_or(|mark| mark != "1") {
        return Some("The header X-Kontor-Console: 1 is missing.");
    }
    if headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none") {
        return Some("The request comes from another site.");
    }
    let origin = headers.get(header::ORIGIN)?;
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.split_once("://").map_or("", |(_, rest)| rest);
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_own = !authority.is_empty()
        && (authority.eq_ignore_ascii_case(host) || further_origin.is_some_and(|own| is_same(own, origin)));
    (!is_own).then_some("The header Origin names another site.")
}

/// Compares an address, which may have a path, with an origin.
fn is_same(address: &str, origin: &str) -> bool {
    let authority = |text: &str| {
        let (scheme, rest) = text.split_once("://")?;
        let host = rest.split('/').next().unwrap_or_default();
        Some(format!("{scheme}://{host}").to_ascii_lowercase())
    };
    authority(address).is_some_and(|own| Some(own) == authority(origin))
}

/// Returns the address of a link with a token that can be used once. The token is in the fragment, which browsers do not
/// send. `base` is the address of the server; empty: unknown.
pub fn sign_in_link(base: &str, token: &str) -> String {
    format!("{}/console/#link={token}", base.trim_end_matches('/'))
}

/// Returns the value of a cookie.
pub fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let sent = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = sent.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(known, _)| *known == name).map(|(_, value)| value).next()
}

/// Returns the `Set-Cookie` of a session that lives `seconds`; 0 removes it. Scripts cannot read the cookie, and requests
/// of other sites do not contain it.
pub fn session_cookie(name: &str, token: &str, seconds: i64, is_secure: bool) -> Option<HeaderValue> {
    hidden_cookie(name, token, "Path=/console", "Strict", seconds, is_secure)
}

/// Returns the `Set-Cookie` of a browser that signs in at a provider, like [`session_cookie`]. It is `Lax`, because the
/// provider's page leads back.
pub fn provider_cookie(name: &str, token: &str, seconds: i64, is_secure: bool) -> Option<HeaderValue> {
    hidden_cookie(name, token, "Path=/console/api/oidc", "Lax", seconds, is_secure)
}

fn hidden_cookie(
    name: &str,
    token: &str,
    path: &str,
    same_site: &str,
    seconds: i64,
    is_secure: bool,
) -> Option<HeaderValue> {
    let secure = if is_secure { "; Secure" } else { "" };
    let text = format!("{name}={token}; {path}; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}");
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(sent: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (axum::http::HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        sent.iter().map(pair).collect()
    }

    fn is_refused(sent: &[(&'static str, &str)]) -> bool {
        let mut all = vec![("host", "shop.example.com:8080"), (REQUEST_MARK, "1")];
        all.extend(sent);
        foreign_request_reason(&headers(&all), Some("https://public.example.com/base")).is_some()
    }

    #[test]
    fn admits_requests_of_the_own_page_only() {
        assert!(foreign_request_reason(&headers(&[("host", "a")]), None).is_some());
        assert!(!is_refused(&[]));
        assert!(!is_refused(&[("origin", "http://shop.example.com:8080")]));
        assert!(!is_refused(&[("origin", "https://public.example.com"), ("sec-fetch-site", "same-origin")]));
        for origin in
            ["null", "", "http://shop.example.com", "http://evil.example", "http://public.example.com"]
        {
            assert!(is_refused(&[("origin", origin)]), "{origin}");
        }
        assert!(is_refused(&[("sec-fetch-site", "cross-site")]));
        assert!(is_refused(&[("sec-fetch-site", "same-site")]));
    }

    #[test]
    fn finds_one_cookie_among_others() {
        let sent = headers(&[("cookie", "a=1; kontor_console=ks_x; kontor_console_remote=y")]);
        assert_eq!(cookie(&sent, "kontor_console"), Some("ks_x"));
        assert_eq!(cookie(&sent, "none"), None);
    }

    #[test]
    fn the_cookie_is_for_the_console_only() {
        let text = |is_secure| session_cookie("c", "t", 60, is_secure).unwrap().to_str().unwrap().to_owned();
        assert_eq!(text(false), "c=t; Path=/console; Max-Age=60; HttpOnly; SameSite=Strict");
        assert!(text(true).ends_with("; Secure"));
        assert!(session_cookie("c", "a\nb", 60, false).is_none());
    }
}
