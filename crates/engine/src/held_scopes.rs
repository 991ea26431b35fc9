//! The scopes of who makes a change, for rules that ask for more than the operation does.

use kontor_errors::{ApiError, ApiResult, Code};
use std::sync::Arc;

/// Says whether a scope is held for the whole of the project, or also for the Store with this key.
type Holds = dyn Fn(&str, Option<&str>) -> bool + Send + Sync;

/// Which scopes somebody holds. The default is who needs none: the server itself, and its operator.
#[derive(Clone, Default)]
pub struct HeldScopes(Option<Arc<Holds>>);

/// Those of who needs none.
pub(crate) static EVERY_SCOPE: HeldScopes = HeldScopes(None);

impl HeldScopes {
    /// Those of a token, by their names.
    pub fn of(holds: impl Fn(&str, Option<&str>) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(holds)))
    }

    /// 403 `insufficient_scope` where the scope is not held.
    pub(crate) fn require(&self, scope: &str) -> ApiResult<()> {
        match &self.0 {
            Some(holds) if !holds(scope, None) => Err(ApiError::new(
                Code::InsufficientScope,
                format!("Insufficient scope. One of the following scopes is missing: {scope}."),
            )),
            _ => Ok(()),
        }
    }

    /// Whether one of the scopes is held for a Store, or for the whole of the project.
    pub(crate) fn allow_in_store(&self, any_of: &[&str], store: &str) -> bool {
        self.0.as_ref().is_none_or(|holds| any_of.iter().any(|scope| holds(scope, Some(store))))
    }
}

impl std::fmt::Debug for HeldScopes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "HeldScopes(of a token)" } else { "HeldScopes(every)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_required_of_tokens_alone() {
        assert!(EVERY_SCOPE.require("manage_states").is_ok());
        let held = HeldScopes::of(|scope, store| scope == "manage_states" && store != Some("berlin"));
        assert!(held.require("manage_states").is_ok());
        assert_eq!(held.require("view_states").unwrap_err().code(), Code::InsufficientScope);
        assert!(held.allow_in_store(&["view_states", "manage_states"], "paris"));
        assert!(!held.allow_in_store(&["manage_states"], "berlin"));
        assert!(EVERY_SCOPE.allow_in_store(&["manage_states"], "berlin"));
    }
}
