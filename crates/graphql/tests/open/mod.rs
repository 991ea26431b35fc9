//! A GraphQL interface without authorization, for tests without HTTP.

use kontor_engine::{AccessScope, Shop};
use kontor_errors::ApiResult;
use kontor_graphql::{AccessControl, DocumentReach, ExternalKindStore, FieldOperation};
use kontor_indexing::{IndexMemory, Searches};
use kontor_model::{KindId, Model};
use kontor_search_service::SearchService;
use std::sync::Arc;

/// A gate that allows every caller everything.
pub(crate) struct OpenAccessControl;

impl AccessControl for OpenAccessControl {
    fn authorize(&self, _: &Shop, _: KindId, _: &DocumentReach, _: FieldOperation) -> ApiResult<AccessScope> {
        Ok(AccessScope::default())
    }
    fn holder(&self, _: KindId) -> Option<Arc<dyn ExternalKindStore>> {
        None
    }
}

/// Returns a finder without indexes.
pub(crate) fn search_service(model: &Arc<Model>) -> Arc<SearchService> {
    let searches = Searches::new(Vec::new(), Arc::new(IndexMemory::default()));
    Arc::new(SearchService::new(Arc::clone(model), Arc::new(searches)))
}
