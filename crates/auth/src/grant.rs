//! The grant of a valid token: its owner and scopes.

use std::sync::Arc;

use kontor_errors::{ApiError, Code};

use crate::{ApiClient, ScopeName, ScopeSet, TokenSubject};

/// The operator of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedOperator {
    /// The id.
    pub id: String,
    /// The e-mail address, for logs.
    pub email: String,
}

/// The grant of a valid access token. Shared by all requests with that token.
#[derive(Debug)]
pub struct Grant {
    /// The client that got the token. `None` if an external server issued it, or if an operator has it.
    pub(crate) client: Option<Arc<ApiClient>>,
    /// The operator that got the token.
    pub(crate) operator: Option<Arc<GrantedOperator>>,
    pub(crate) scopes: Arc<ScopeSet>,
    pub(crate) subject: TokenSubject,
    /// The user named by an external server.
    pub(crate) external_user_id: Option<String>,
    pub(crate) store_key: Option<String>,
    pub(crate) issued_at_ms: i64,
    pub(crate) expires_at_ms: i64,
}

impl Grant {
    /// Returns the client that got the token. `None` for tokens of operators, and for those of an external server,
    /// which have no client here.
    pub fn client_id(&self) -> Option<&str> {
        self.client.as_ref().map(|client| client.id())
    }

    /// Returns the operator that got the token, if it is one of an operator.
    pub fn operator(&self) -> Option<&GrantedOperator> {
        self.operator.as_deref()
    }

    /// Returns the project that the token is for.
    pub fn project_key(&self) -> &str {
        self.scopes.project_key()
    }

    /// Returns the scopes of the token.
    pub fn scopes(&self) -> &ScopeSet {
        &self.scopes
    }

    /// Returns the subject on whose behalf the token acts.
    pub fn subject(&self) -> &TokenSubject {
        &self.subject
    }

    /// Returns the user of an external server, as the scope of its token names them: `external_user_id:{id}`.
    pub fn external_user_id(&self) -> Option<&str> {
        self.external_user_id.as_deref()
    }

    /// Returns the Store that the token is limited to (password flow of a Store).
    pub fn store_key(&self) -> Option<&str> {
        self.store_key.as_deref()
    }

    /// When it was issued, in milliseconds since 1970.
    pub fn issued_at_ms(&self) -> i64 {
        self.issued_at_ms
    }

    /// When it ends, in milliseconds since 1970.
    pub fn expires_at_ms(&self) -> i64 {
        self.expires_at_ms
    }

    /// Whether the client may still use it: tokens end with their client.
    pub(crate) fn is_alive(&self, now_ms: i64) -> bool {
        self.client.as_ref().is_none_or(|client| client.is_alive(now_ms))
    }

    /// Returns whether one of the scopes is held for the whole of a project.
    pub fn allows(&self, project_key: &str, any_of: &[ScopeName]) -> bool {
        self.project_key() == project_key && self.store_key.is_none() && self.scopes.allows(any_of)
    }

    /// Returns whether one of the scopes is held for a Store of a project.
    pub fn allows_in_store(&self, project_key: &str, store_key: &str, any_of: &[ScopeName]) -> bool {
        self.project_key() == project_key
            && self.store_key.as_deref().is_none_or(|own| own == store_key)
            && self.scopes.allows_in_store(store_key, any_of)
    }

    /// Returns 403 `insufficient_scope` unless one of the scopes is held for the whole project in the address. A token
    /// of another project has no scope in it.
    pub fn require(&self, project_key: &str, any_of: &[ScopeName]) -> Result<(), ApiError> {
        if self.allows(project_key, any_of) { Ok(()) } else { Err(insufficient_scope(any_of)) }
    }

    /// Returns 403 `insufficient_scope` unless one of the scopes is held for this Store of the project.
    pub fn require_in_store(
        &self,
        project_key: &str,
        store_key: &str,
        any_of: &[ScopeName],
    ) -> Result<(), ApiError> {
        if self.allows_in_store(project_key, store_key, any_of) {
            Ok(())
        } else {
            Err(insufficient_scope(any_of))
        }
    }
}

/// Returns 403 `insufficient_scope`, listing the sufficient scopes without the project, as the platform does.
pub fn insufficient_scope(any_of: &[ScopeName]) -> ApiError {
    let names: Vec<_> = any_of.iter().map(|scope| scope.as_str()).collect();
    ApiError::new(
        Code::InsufficientScope,
        format!("Insufficient scope. One of the following scopes is missing: {}.", names.join(", ")),
    )
}
