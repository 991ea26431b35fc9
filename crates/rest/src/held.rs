//! Kinds whose documents are held elsewhere than in the shop's storage.
//!
//! The model describes them like any other (`@resource(held: …)`); who holds them answers for them.

use crate::answer::Answer;
use crate::api_clients::ApiClients;
use crate::dispatch::Asked;
use crate::face::Face;
use axum::body::Body;
use kontor_auth::System;
use kontor_errors::ApiResult;
use kontor_model::{KindId, Model};
use std::pin::Pin;
use std::sync::Arc;

/// Answers requests to one kind. Route, operation and scopes have been checked.
pub(crate) trait Holder: Send + Sync {
    /// The answer.
    fn answer<'a>(
        &'a self,
        face: &'a Face,
        asked: &'a Asked<'a>,
        body: Body,
    ) -> Pin<Box<dyn Future<Output = ApiResult<Answer>> + Send + 'a>>;
}

/// One who answers both faces.
trait HoldsForBoth: Holder + kontor_graphql::Holder {}
impl<T: Holder + kontor_graphql::Holder> HoldsForBoth for T {}

/// The holders, by kind.
pub(crate) struct Held(Vec<Option<Arc<dyn HoldsForBoth>>>);

impl Held {
    /// Joins the model's `held` names with holders; every name needs one.
    pub(crate) fn new(model: &Model, system: Arc<System>) -> Result<Self, String> {
        let mut holders = Vec::new();
        for (_, kind) in model.kinds() {
            holders.push(match kind.held.as_deref() {
                None => None,
                Some("clients") => {
                    Some(Arc::new(ApiClients::new(Arc::clone(&system))) as Arc<dyn HoldsForBoth>)
                }
                Some(other) => return Err(format!("{}: nobody holds '{other}'", kind.name)),
            });
        }
        Ok(Self(holders))
    }

    pub(crate) fn of(&self, kind: KindId) -> Option<&dyn Holder> {
        let holder = self.0.get(kind.index())?.as_deref()?;
        Some(holder)
    }

    /// The same for the GraphQL face.
    pub(crate) fn for_graphql(&self, kind: KindId) -> Option<Arc<dyn kontor_graphql::Holder>> {
        let holder = self.0.get(kind.index())?.clone()?;
        Some(holder)
    }
}
