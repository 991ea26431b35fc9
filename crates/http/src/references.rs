//! Determines which documents the references of a request may lead to, by its token and its path.

use crate::access::CallerAccess;
use crate::scope_table::ScopeTable;
use crate::server::Server;
use kontor_auth::{Grant, ScopeName, TokenSubject};
use kontor_engine::{ActingAssociate, DocumentOwner, Principal, ReferenceAccess, ReferenceScope};
use kontor_model::KindId;
use std::sync::Arc;

/// The view rights of a token.
struct TokenReferenceAccess {
    scope_table: Arc<ScopeTable>,
    grant: Arc<Grant>,
    /// The Stores of the request: a token may have a scope for own documents in one of them only.
    stores: Vec<String>,
}

impl ReferenceAccess for TokenReferenceAccess {
    fn may_view(&self, kind: KindId, whose: DocumentOwner<'_>) -> bool {
        let (grant, project) = (&self.grant, self.grant.project_key());
        match whose {
            // References also lead to documents that only a query shows.
            DocumentOwner::Anyone => grant.allows(project, self.scope_table.query(kind)),
            DocumentOwner::Store(store) => {
                grant.allows_in_store(project, store, self.scope_table.query(kind))
            }
            DocumentOwner::Caller => {
                let scopes = self.scope_table.for_kind(kind, false, true, false);
                grant.allows(project, scopes)
                    || self.stores.iter().any(|store| grant.allows_in_store(project, store, scopes))
            }
        }
    }
}

/// Where a request acts.
pub(crate) struct RequestPlace<'a> {
    /// The Stores of the path.
    pub(crate) stores: &'a [String],
    /// The associate of the path.
    pub(crate) associate: Option<&'a ActingAssociate>,
    /// True for a request below `/me`.
    pub(crate) is_mine: bool,
    /// Any one of these allows the request.
    pub(crate) scopes: &'a [ScopeName],
}

impl RequestPlace<'_> {
    /// Returns the documents that references in the response may lead to; `None`: all.
    pub(crate) fn visible_references(
        &self,
        server: &Server,
        access: &CallerAccess,
    ) -> Option<Arc<ReferenceScope>> {
        let CallerAccess::Granted(grant) = access else { return None };
        let is_theirs = self.is_mine || self.associate.is_some();
        if !is_theirs && grant.allows(grant.project_key(), &[ScopeName::ManageProject]) {
            return None;
        }
        let (scope_table, grant, stores) =
            (Arc::clone(&server.scope_table), Arc::clone(grant), self.stores.to_vec());
        let access =
            Arc::new(TokenReferenceAccess { scope_table, grant: Arc::clone(&grant), stores: stores.clone() });
        let mut scope = ReferenceScope::for_client(access).in_stores(stores, self.is_limited(&grant));
        match grant.subject() {
            TokenSubject::Client => {}
            TokenSubject::Customer { id } => {
                scope = scope.with_principal(Principal::Customer(id.to_string()))
            }
            TokenSubject::Anonymous { id } => {
                scope = scope.with_principal(Principal::Session(id.to_string()))
            }
        }
        if self.is_mine {
            scope = scope.below_me();
        }
        if let Some(associate) = self.associate {
            scope = scope.as_associate(associate.clone());
        }
        Some(Arc::new(scope))
    }

    /// Returns the documents that a draft or an update action may refer to; `None`: all.
    pub(crate) fn nameable_references(
        &self,
        server: &Server,
        access: &CallerAccess,
    ) -> Option<Arc<ReferenceScope>> {
        let CallerAccess::Granted(grant) = access else { return None };
        let is_client = *grant.subject() == TokenSubject::Client && !self.is_mine && self.associate.is_none();
        if is_client && !self.is_limited(grant) { None } else { self.visible_references(server, access) }
    }

    /// Returns whether the token allows the request in Stores only.
    fn is_limited(&self, grant: &Grant) -> bool {
        !self.stores.is_empty() && !grant.allows(grant.project_key(), self.scopes)
    }
}
