//! Rarely needed properties of the sender of a request, calculated on demand, so that other requests do not
//! pay for them.

use kontor_errors::{ApiError, ApiResult, Code};
use std::sync::Arc;

/// Properties of the sender of a request.
pub trait SenderDetails: Send + Sync {
    /// Whether the sender has a scope for the whole project, or for the Store with this key.
    fn has_scope(&self, scope: &str, store: Option<&str>) -> bool;

    /// The correlation id of the request, from the header `X-Correlation-ID`.
    fn correlation_id(&self) -> Option<&str>;
}

/// The sender of a request. The default is the server itself, which needs no scopes and has no correlation
/// id.
#[derive(Clone, Default)]
pub struct Sender(Option<Arc<dyn SenderDetails>>);

/// The server itself.
pub(crate) static SERVER: Sender = Sender(None);

impl Sender {
    /// Creates a sender.
    pub fn new(sends: impl SenderDetails + 'static) -> Self {
        Self(Some(Arc::new(sends)))
    }

    /// The correlation id of the request; `None` if it has none.
    pub(crate) fn correlation_id(&self) -> Option<&str> {
        self.0.as_ref().and_then(|sends| sends.correlation_id())
    }

    /// Fails with 403 `insufficient_scope` if the sender lacks the scope.
    pub(crate) fn require(&self, scope: &str) -> ApiResult<()> {
        match &self.0 {
            Some(sends) if !sends.has_scope(scope, None) => Err(ApiError::new(
                Code::InsufficientScope,
                format!("Insufficient scope. One of the following scopes is missing: {scope}."),
            )),
            _ => Ok(()),
        }
    }

    /// Whether the sender has one of the scopes, for a Store or for the whole project.
    pub(crate) fn allow_in_store(&self, any_of: &[&str], store: &str) -> bool {
        self.0.as_ref().is_none_or(|sends| any_of.iter().any(|scope| sends.has_scope(scope, Some(store))))
    }
}

impl std::fmt::Debug for Sender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Sender(of a request)" } else { "Sender(the server)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has `manage_states`, but not in the Store `berlin`.
    struct ManagesStates;

    impl SenderDetails for ManagesStates {
        fn has_scope(&self, scope: &str, store: Option<&str>) -> bool {
            scope == "manage_states" && store != Some("berlin")
        }

        fn correlation_id(&self) -> Option<&str> {
            Some("mine")
        }
    }

    #[test]
    fn requires_scopes_of_tokens_only() {
        assert!(SERVER.require("manage_states").is_ok());
        let sender = Sender::new(ManagesStates);
        assert!(sender.require("manage_states").is_ok());
        assert_eq!(sender.require("view_states").unwrap_err().code(), Code::InsufficientScope);
        assert!(sender.allow_in_store(&["view_states", "manage_states"], "paris"));
        assert!(!sender.allow_in_store(&["manage_states"], "berlin"));
        assert!(SERVER.allow_in_store(&["manage_states"], "berlin"));
        assert_eq!((sender.correlation_id(), SERVER.correlation_id()), (Some("mine"), None));
    }
}
