//! Request metadata for the access log and the log of requests.

use crate::sent_body::SentBody;
use axum::http::request::Parts;
use kontor_auth::Grant;
use std::sync::OnceLock;

/// The log target of the access log: `--log info,kontor_http::requests=off` turns it off.
pub(crate) const TARGET: &str = "kontor_http::requests";

/// Request metadata, filled in while the request is processed. It is an extension of the request, apart from requests on
/// the fast path while no log needs it.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestMetadata {
    /// The position of the operation in the model's table.
    pub(crate) operation: OnceLock<usize>,
    /// The key of the project.
    pub(crate) project: OnceLock<String>,
    /// The id of the API client whose token was sent.
    pub(crate) client: OnceLock<String>,
    /// The e-mail address of the operator whose token or session was sent.
    pub(crate) operator: OnceLock<String>,
    /// Code and message of the error response.
    pub(crate) reason: OnceLock<String>,
    /// Set if a test asked for a fault of this request.
    pub(crate) fault: OnceLock<()>,
    /// The beginning of the body, on servers with test controls.
    pub(crate) sent_body: Option<SentBody>,
}

impl RequestMetadata {
    /// Returns the metadata of a request, if any.
    pub(crate) fn from_parts(parts: &Parts) -> Option<&RequestMetadata> {
        parts.extensions.get()
    }

    /// Records why a request is refused, unless that is known already.
    pub(crate) fn set_reason(parts: &Parts, reason: impl FnOnce() -> String) {
        if let Some(noted) = Self::from_parts(parts) {
            _ = noted.reason.get_or_init(reason);
        }
    }

    /// Records the client or operator of a token.
    pub(crate) fn set_caller(&self, grant: &Grant) {
        if let Some(client) = grant.client_id() {
            _ = self.client.set(client.to_owned());
        }
        if let Some(operator) = grant.operator() {
            _ = self.operator.set(operator.email.clone());
        }
    }

    /// Returns the trace id that the request's header names (W3C `traceparent`: version, trace, parent, flags).
    pub(crate) fn trace_id(parts: &Parts) -> Option<&str> {
        let sent = parts.headers.get("traceparent")?.to_str().ok()?;
        let trace = sent.split('-').nth(1)?;
        let is_one = trace.len() == 32 && trace.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then_some(trace)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use axum::http::Request;

    #[test]
    fn the_trace_is_the_second_part_of_its_header() {
        let trace = |sent: &str| {
            let (parts, ()) = Request::builder().header("traceparent", sent).body(()).unwrap().into_parts();
            RequestMetadata::trace_id(&parts).map(str::to_owned)
        };
        let given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(trace(given).unwrap(), "4bf92f3577b34da6a3ce929d0e0e4736");
        for none in ["", "00", "00-xyz-1-01", "00-4bf92f35-1-01"] {
            assert_eq!(trace(none), None, "{none}");
        }
    }
}
