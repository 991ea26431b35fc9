//! Requests to the introspection endpoint of an external OAuth server (RFC 7662), and their responses.

use futures_util::future::BoxFuture;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

/// Timeout of one introspection, including connecting and reading.
pub const INTROSPECTION_DEADLINE: Duration = Duration::from_millis(500);
/// Maximum length of a response, in bytes.
pub const INTROSPECTION_BYTES_MAX: usize = 64 * 1024;

/// One introspection request. It is a POST with the form `token={token}` as its body.
#[derive(Debug)]
pub struct IntrospectionCall {
    /// The key of the project whose token it is.
    pub project: String,
    /// The address.
    pub url: String,
    /// The value of the header `Authorization`.
    pub authorization: SecretString,
    /// The body, of type `application/x-www-form-urlencoded`.
    pub form: SecretString,
    /// The value of the header `X-Correlation-ID`.
    pub correlation_id: Option<String>,
}

impl IntrospectionCall {
    /// Returns the body in the clear, for the one place that sends it.
    pub fn form_bytes(&self) -> Vec<u8> {
        self.form.expose_secret().as_bytes().to_vec()
    }
}

/// A response before its interpretation.
#[derive(Debug)]
pub struct IntrospectionReply {
    /// The HTTP status. Redirects are not followed.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// Why an introspection failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExternalFailure {
    /// There was no response, or not in time.
    #[error("External OAuth did not respond in time.")]
    NoResponse,
    /// The response is invalid: another status than 200, too long, no JSON, not the JSON of RFC 7662.
    #[error("External OAuth did not respond according to RFC 7662.")]
    InvalidResponse,
    /// The header that opens the endpoint cannot be read.
    #[error("External OAuth is not configured completely.")]
    NotConfigured,
    /// Too many introspections are running.
    #[error("There are too many tokens to introspect. Try again later.")]
    Busy,
}

/// The future of a response.
pub type IntrospectionFuture = BoxFuture<'static, Result<IntrospectionReply, ExternalFailure>>;

/// The HTTP client of introspections. It respects [`INTROSPECTION_DEADLINE`] and [`INTROSPECTION_BYTES_MAX`],
/// and follows no redirect.
pub trait IntrospectionEndpoint: Send + Sync {
    /// Sends one request.
    fn call(&self, call: IntrospectionCall) -> IntrospectionFuture;
}
