//! A GraphQL interface without authorization, for tests without HTTP.

use kontor_engine::{Bounds, Shop};
use kontor_errors::ApiResult;
use kontor_finding::Finder;
use kontor_graphql::{Doing, Gate, Holder, Reach};
use kontor_indexing::{IndexMemory, Searches};
use kontor_model::{KindId, Model};
use std::sync::Arc;

/// A gate that allows every caller everything.
pub(crate) struct Open;

impl Gate for Open {
    fn admit(&self, _: &Shop, _: KindId, _: &Reach, _: Doing) -> ApiResult<Bounds> {
        Ok(Bounds::default())
    }
    fn holder(&self, _: KindId) -> Option<Arc<dyn Holder>> {
        None
    }
}

/// Returns a finder without indexes.
pub(crate) fn finder(model: &Arc<Model>) -> Arc<Finder> {
    let searches = Searches::new(Vec::new(), Arc::new(IndexMemory::default()));
    Arc::new(Finder::new(Arc::clone(model), Arc::new(searches)))
}
