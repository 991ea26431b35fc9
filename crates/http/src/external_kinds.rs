//! Kinds whose documents are stored outside of the project's storage, e.g. API Clients.
//!
//! The model describes them like any other kind (`@resource(held: …)`); the store of these documents handles their
//! requests.

use crate::api_clients::ApiClients;
use kontor_auth::AuthService;
use kontor_model::{KindId, Model};
use std::sync::Arc;

/// A holder that handles requests of both REST and GraphQL.
trait ExternalKind: kontor_rest::ExternalKindHandler + kontor_graphql::ExternalKindStore {}
impl<T: kontor_rest::ExternalKindHandler + kontor_graphql::ExternalKindStore> ExternalKind for T {}

/// The holders by kind.
pub(crate) struct ExternalKinds(Vec<Option<Arc<dyn ExternalKind>>>);

impl ExternalKinds {
    /// Joins the model's `held` names with holders. Fails for a name without a holder.
    pub(crate) fn new(model: &Model, auth: Arc<AuthService>) -> Result<Self, String> {
        let mut holders = Vec::new();
        for (_, kind) in model.kinds() {
            holders.push(match kind.external_store.as_deref() {
                None => None,
                Some("clients") => {
                    Some(Arc::new(ApiClients::new(Arc::clone(&auth))) as Arc<dyn ExternalKind>)
                }
                Some(other) => return Err(format!("{}: there is no holder '{other}'", kind.name)),
            });
        }
        Ok(Self(holders))
    }

    /// Returns the holders for REST, by kind.
    pub(crate) fn for_rest(&self) -> Vec<Option<Arc<dyn kontor_rest::ExternalKindHandler>>> {
        let shared =
            |holder: &Arc<dyn ExternalKind>| Arc::clone(holder) as Arc<dyn kontor_rest::ExternalKindHandler>;
        self.0.iter().map(|holder| holder.as_ref().map(shared)).collect()
    }

    /// Returns the holder of a kind for GraphQL.
    pub(crate) fn for_graphql(&self, kind: KindId) -> Option<Arc<dyn kontor_graphql::ExternalKindStore>> {
        let holder = self.0.get(kind.index())?.clone()?;
        Some(holder)
    }
}
