//! The parts of an HTTP request for the endpoints under `/oauth`: Basic credentials and form parameters. Start at
//! [`OAuthRequest`].

use std::{borrow::Cow, net::IpAddr};

use base64::{Engine, prelude::BASE64_STANDARD};
use secrecy::{ExposeSecret, SecretString};

use crate::OAuthError;

/// The longest form and query that are read, in bytes. Scopes make up most of a request, and all scopes of a
/// project together take some 4 KB.
pub const FORM_BYTES_MAX: usize = 64 * 1024;

const FORM_MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// The parts of an HTTP request that matter here, as they came in.
#[derive(Clone, Copy, Default)]
pub struct OAuthRequest<'a> {
    /// The header `Authorization`.
    pub authorization: Option<&'a str>,
    /// The header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The query string, without the question mark. The specification sends a form; the reference's
    /// description of the service has the same parameters in the query, so both are read.
    pub query: &'a str,
    /// The body.
    pub body: &'a [u8],
    /// The sender's address. Without it, wrong secrets are not limited: a limit would affect all callers.
    pub address: Option<IpAddr>,
}

impl std::fmt::Debug for OAuthRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // All the rest may hold secrets.
        f.debug_struct("OAuthRequest").field("content_type", &self.content_type).finish_non_exhaustive()
    }
}

/// A client's id and secret as sent.
#[derive(Debug)]
pub(crate) struct Credentials {
    pub(crate) client_id: String,
    pub(crate) secret: SecretString,
}

/// The parameters of a request: each at most once, none of them empty.
pub(crate) struct OAuthParameters<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl OAuthRequest<'_> {
    /// Returns the client's credentials, `None` if they are missing or malformed.
    pub(crate) fn credentials(&self) -> Option<Credentials> {
        let (scheme, encoded) = self.authorization?.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("Basic") {
            return None;
        }
        let decoded = String::from_utf8(BASE64_STANDARD.decode(encoded.trim()).ok()?).ok()?;
        let decoded = SecretString::from(decoded);
        let (client_id, secret) = decoded.expose_secret().split_once(':')?;
        Some(Credentials { client_id: client_id.to_owned(), secret: secret.into() })
    }

    /// The parameters of body and query together.
    pub(crate) fn parameters(&self) -> Result<OAuthParameters<'_>, OAuthError> {
        if self.body.len() + self.query.len() > FORM_BYTES_MAX {
            return Err(OAuthError::invalid_request(format!(
                "The request has more than {FORM_BYTES_MAX} bytes of parameters."
            )));
        }
        if !self.body.is_empty() && !self.content_type.is_some_and(is_form) {
            return Err(OAuthError::invalid_request(format!(
                "The body must have the Content-Type {FORM_MEDIA_TYPE}."
            )));
        }
        let mut all: Vec<(Cow<str>, Cow<str>)> = Vec::new();
        for text in [self.body, self.query.as_bytes()] {
            for (name, value) in form_urlencoded::parse(text) {
                // RFC 6749, section 3.2: a parameter without a value counts as omitted; none may occur twice.
                if value.is_empty() {
                    continue;
                }
                if all.iter().any(|(known, _)| *known == name) {
                    // The name, never the value, which may be a token or a password.
                    let name: String = name.chars().take(64).collect();
                    return Err(OAuthError::invalid_request(format!("The parameter {name} is sent twice.")));
                }
                all.push((name, value));
            }
        }
        Ok(OAuthParameters(all))
    }
}

impl OAuthParameters<'_> {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    pub(crate) fn require(&self, name: &str) -> Result<&str, OAuthError> {
        self.get(name).ok_or_else(|| OAuthError::invalid_request(format!("The parameter {name} is missing.")))
    }
}

impl Credentials {
    /// Returns the credentials with `%`-escapes resolved, if there are any. RFC 6749, section 2.3.1, wants id and
    /// secret escaped before they are joined; most clients do not do it, some do.
    pub(crate) fn unescape(&self) -> Option<Credentials> {
        let secret = self.secret.expose_secret();
        (self.client_id.contains('%') || secret.contains('%'))
            .then(|| Credentials { client_id: unescape(&self.client_id), secret: unescape(secret).into() })
    }
}

fn unescape(text: &str) -> String {
    let as_value = format!("v={}", text.replace('&', "%26"));
    form_urlencoded::parse(as_value.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn is_form(content_type: &str) -> bool {
    content_type
        .split(';')
        .next()
        .is_some_and(|media_type| media_type.trim().eq_ignore_ascii_case(FORM_MEDIA_TYPE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(body: &str) -> OAuthRequest<'_> {
        OAuthRequest {
            content_type: Some("application/x-www-form-urlencoded; charset=UTF-8"),
            body: body.as_bytes(),
            ..OAuthRequest::default()
        }
    }

    fn credentials(plain: &str) -> Option<(String, String)> {
        let header = format!("Basic {}", BASE64_STANDARD.encode(plain));
        let request = OAuthRequest { authorization: Some(&header), ..OAuthRequest::default() };
        request.credentials().map(|found| (found.client_id, found.secret.expose_secret().to_owned()))
    }

    #[test]
    fn basic_credentials_are_split_at_the_first_colon() {
        assert_eq!(credentials("id:se:cret"), Some(("id".into(), "se:cret".into())));
        assert_eq!(credentials("id"), None);
    }

    #[test]
    fn other_schemes_and_broken_headers_are_no_credentials() {
        for header in ["", "Basic", "Basic ????", "Bearer aWQ6c2VjcmV0", "Basic /w=="] {
            let request = OAuthRequest { authorization: Some(header), ..OAuthRequest::default() };
            assert!(request.credentials().is_none(), "{header}");
        }
    }

    #[test]
    fn escaped_credentials_are_resolved() {
        let sent = Credentials { client_id: "i%2Dd".into(), secret: "a%26b%3D&c".into() };
        let unescaped = sent.unescape().unwrap();
        assert_eq!(unescaped.client_id, "i-d");
        assert_eq!(unescaped.secret.expose_secret(), "a&b=&c");
        assert!(Credentials { client_id: "id".into(), secret: "s".into() }.unescape().is_none());
    }

    #[test]
    fn parameters_come_from_the_body_and_from_the_query() {
        let mut request = form("grant_type=client_credentials&scope=a%3Ademo+b%3Ademo&empty=");
        request.query = "token=t";
        let parameters = request.parameters().unwrap();
        assert_eq!(parameters.get("scope"), Some("a:demo b:demo"));
        assert_eq!(parameters.get("token"), Some("t"));
        assert_eq!(parameters.get("empty"), None);
        assert_eq!(parameters.require("code").unwrap_err().error(), "invalid_request");
    }

    #[test]
    fn refuses_a_repeated_parameter_without_its_value() {
        let error = form("token=secret1&token=secret2").parameters().err().unwrap();
        assert_eq!(error.description(), "The parameter token is sent twice.");
        let mut request = form("token=secret1");
        request.query = "token=secret2";
        assert!(request.parameters().is_err());
    }

    #[test]
    fn a_body_that_is_no_form_is_refused() {
        let mut request = form("{\"grant_type\": \"client_credentials\"}");
        request.content_type = Some("application/json");
        assert_eq!(request.parameters().err().unwrap().error(), "invalid_request");
        request.content_type = None;
        assert!(request.parameters().is_err());
        // Nothing in the body, nothing to misread.
        request.body = b"";
        request.content_type = Some("application/json");
        assert!(request.parameters().is_ok());
    }

    #[test]
    fn debug_output_shows_no_secret() {
        let mut request = form("password=hunter2");
        request.authorization = Some("Basic aWQ6c2VjcmV0");
        let shown = format!("{request:?}");
        assert!(!shown.contains("hunter2") && !shown.contains("aWQ6"), "{shown}");
    }
}
