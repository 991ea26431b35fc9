//! The errors of the endpoints under `/oauth`, with the codes of RFC 6749 and the body of the platform. Start at
//! [`OAuthError`].

use std::fmt;

use kontor_errors::{ApiError, Code};
use kontor_json::{Value, json};

use crate::{Error, ScopeSet};

/// Why a request to the authorization service is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthError {
    status: u16,
    error: &'static str,
    /// The code of the platform, where it has one of its own for what RFC 6749 calls `error`.
    code: &'static str,
    description: String,
    retry_after_s: Option<u64>,
}

impl OAuthError {
    fn new(status: u16, error: &'static str, description: impl Into<String>) -> Self {
        OAuthError { status, error, code: error, description: description.into(), retry_after_s: None }
    }

    /// 401: no client credentials, wrong ones, or those of a client that is gone.
    pub fn invalid_client() -> Self {
        // The same message for all causes: it must not reveal whether the id or the secret is wrong.
        Self::new(
            401,
            "invalid_client",
            "Please provide valid client credentials using HTTP Basic Authentication.",
        )
    }

    /// 400: the request is not a form, or a parameter is missing or repeated.
    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new(400, "invalid_request", description)
    }

    /// 400: the endpoint does not support this grant type.
    pub fn unsupported_grant_type(sent: &str, expected: &str) -> Self {
        Self::new(
            400,
            "unsupported_grant_type",
            format!("The grant_type '{}' is not supported here. Expected: {expected}.", shortened(sent)),
        )
    }

    /// 400: the text is not a list of scopes of the client's project.
    pub fn invalid_scope() -> Self {
        // The platform's sentence: tests of official clients compare it.
        Self::new(400, "invalid_scope", "Malformed parameter: scope: Invalid scope.")
    }

    /// 400: the client requested scopes that it does not have.
    pub fn permissions_exceeded(held: &ScopeSet) -> Self {
        Self::new(
            400,
            "invalid_scope",
            format!("Permissions exceeded. Only the following permissions can be requested: {held}"),
        )
    }

    /// 400: the refresh token was never issued to this client, was revoked, or has expired.
    pub fn invalid_refresh_token() -> Self {
        Self::new(400, "invalid_grant", "The refresh token was not found. It may have expired.")
    }

    /// 400: no Customer has this email and password. The message does not reveal which of the two is wrong.
    pub fn invalid_customer_credentials() -> Self {
        Self::new(
            400,
            "invalid_customer_account_credentials",
            "Customer account with the given credentials not found.",
        )
    }

    /// 400: a session with the chosen id is alive (reference type `AnonymousIdAlreadyInUseError`).
    pub fn anonymous_id_in_use() -> Self {
        OAuthError {
            code: Code::AnonymousIdAlreadyInUse.name(),
            ..Self::new(400, "invalid_request", "The given anonymous ID is already in use.")
        }
    }

    /// 403: the client may not use the flow in this project.
    pub fn insufficient_scope(description: impl Into<String>) -> Self {
        Self::new(403, "insufficient_scope", description)
    }

    /// 429: too many requests of the client, or too many wrong secrets. The response has the header `Retry-After`.
    pub fn too_many_requests(retry_after_s: u64) -> Self {
        OAuthError {
            retry_after_s: Some(retry_after_s),
            ..Self::new(429, "too_many_requests", "There are too many requests. Try again later.")
        }
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the code, for example `invalid_client`.
    pub fn error(&self) -> &'static str {
        self.error
    }

    /// Returns the description for people.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the value of the header `Retry-After`, in seconds, if any.
    pub fn retry_after_s(&self) -> Option<u64> {
        self.retry_after_s
    }

    /// Returns the value of the header `WWW-Authenticate` of the response (RFC 6749, section 5.2).
    pub fn www_authenticate(&self) -> Option<&'static str> {
        (self.status == 401).then_some("Basic realm=\"kontor\"")
    }

    /// The body, reference type `AuthErrorResponse`.
    pub fn body(&self) -> Value {
        json!({
            "statusCode": self.status,
            "message": self.description,
            "errors": [{"code": self.code, "message": self.description}],
            "error": self.error,
            "error_description": self.description,
        })
    }
}

/// The value of `Retry-After` while the disk is full, in seconds.
const DISK_RETRY_AFTER_S: u64 = 30;
/// Maximum number of characters of the request that a description repeats.
const QUOTED_CHARS_MAX: usize = 200;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Maps a failure of the system store: 503 if a retry helps, otherwise 500. The cause goes to the log.
impl From<Error> for OAuthError {
    fn from(error: Error) -> Self {
        error.log();
        match error {
            Error::Busy | Error::Unavailable(_) => {
                Self::new(503, "temporarily_unavailable", "The service is over capacity. Try again later.")
            }
            Error::Moved(_) => Self::new(
                503,
                "temporarily_unavailable",
                "The project is moving to another place. Try again in a moment.",
            ),
            Error::Gone(_) => Self::new(
                503,
                "temporarily_unavailable",
                "No token can be kept at the moment. GET /health/ready says why.",
            ),
            Error::Full => OAuthError {
                retry_after_s: Some(DISK_RETRY_AFTER_S),
                ..Self::new(
                    503,
                    "temporarily_unavailable",
                    "The disk is full: the token cannot be kept. Try again later.",
                )
            },
            _ => Self::new(
                500,
                "server_error",
                "The request could not be completed because of an internal error. Try again later.",
            ),
        }
    }
}

/// Maps an error of a called service, e.g. the check of a Customer's password. Its message is already for clients.
impl From<ApiError> for OAuthError {
    fn from(error: ApiError) -> Self {
        match error.status() {
            503 => Self::new(503, "temporarily_unavailable", error.message()),
            status if status >= 500 => Self::new(500, "server_error", error.message()),
            _ => Self::invalid_request(error.message()),
        }
    }
}

impl fmt::Display for OAuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status, self.error, self.description)
    }
}

impl std::error::Error for OAuthError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_that_of_the_platform() {
        let sentence = "Please provide valid client credentials using HTTP Basic Authentication.";
        assert_eq!(
            OAuthError::invalid_client().body(),
            json!({
                "statusCode": 401,
                "message": sentence,
                "errors": [{"code": "invalid_client", "message": sentence}],
                "error": "invalid_client",
                "error_description": sentence,
            })
        );
    }

    #[test]
    fn a_description_repeats_only_the_beginning_of_what_was_sent() {
        assert!(
            OAuthError::unsupported_grant_type(&"ä".repeat(100_000), "password").description().len() < 600
        );
    }
}
