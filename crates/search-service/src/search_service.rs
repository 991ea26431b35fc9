//! The entrance to all searches of a server, for REST and GraphQL: [`SearchService`].

use crate::query_search::ReadySearch;
use crate::unready_error;
use kontor_engine::Shop;
use kontor_errors::{ApiError, ApiResult};
use kontor_indexing::{IndexingStatus, SearchHandle, Searches};
use kontor_model::{KindId, Model, ParameterSearchModel, Search};
use std::sync::Arc;
use std::time::Duration;

/// All searches of a server, by kind.
pub struct SearchService {
    pub(crate) model: Arc<Model>,
    searches: Arc<Searches>,
    pub(crate) slow: Option<Duration>,
}

impl SearchService {
    /// Creates the searches that the model describes, on the indexes of `searches`.
    pub fn new(model: Arc<Model>, searches: Arc<Searches>) -> Self {
        Self { model, searches, slow: None }
    }

    /// Logs searches that take `slow` or longer; `None`: logs none.
    #[must_use]
    pub fn log_slow_searches(self, slow: Option<Duration>) -> Self {
        Self { slow, ..self }
    }

    /// Returns the search of a kind (`@search` in the model), and records that it was used. `ab_test_id` is the value of
    /// the header of that name; values that no search knows have no effect. Fails with the documented error if the
    /// search is off or not indexed yet.
    pub fn open(&self, shop: &Arc<Shop>, kind: KindId, ab_test_id: Option<&str>) -> ApiResult<ReadySearch> {
        let search = self.search_of(kind)?;
        let mut ready = self.searches.find_ready_search(shop, &search.name)?;
        let tested = ab_test_id.and_then(|test| self.searches.name_in_ab_test(shop, &search.name, test));
        if let Some(tested) = tested {
            ready = self.searches.find_ready_search(shop, tested)?;
        }
        let ready = ready.map_err(|why| unready_error::query_search_error(why, search))?;
        Ok(ReadySearch {
            model: Arc::clone(&self.model),
            shop: Arc::clone(shop),
            kind,
            ready,
            slow: self.slow,
        })
    }

    /// Returns whether the search of a kind is ready, and records that it was used. Fails if the kind has no search, or
    /// if the index fails.
    pub fn is_open(&self, shop: &Arc<Shop>, kind: KindId) -> ApiResult<bool> {
        Ok(self.searches.find_ready_search(shop, &self.search_of(kind)?.name)?.is_ok())
    }

    /// Returns why searches are unavailable at the moment, if known.
    pub fn fault(&self) -> Option<String> {
        self.searches.fault()
    }

    /// Returns the indexing status of a kind; the default one if its search is off. Fails if the kind has no search.
    pub fn status(&self, shop: &Arc<Shop>, kind: KindId) -> ApiResult<IndexingStatus> {
        Ok(self.searches.status(shop, &self.search_of(kind)?.name).unwrap_or_default())
    }

    /// Returns the index of the current or the staged side of a kind with a search by parameters. Requests both, so
    /// that both count as used: they are turned on and off together.
    pub(crate) fn ready_side(
        &self,
        shop: &Arc<Shop>,
        search: &ParameterSearchModel,
        staged: bool,
    ) -> ApiResult<SearchHandle> {
        let current = self.searches.find_ready_search(shop, &search.current)?;
        let other = self.searches.find_ready_search(shop, &search.staged)?;
        let ready = if staged { other } else { current };
        ready.map_err(unready_error::parameter_search_error)
    }

    pub(crate) fn parameter_search_of(&self, kind: KindId) -> ApiResult<&ParameterSearchModel> {
        let kind = self.model.kind(kind);
        let missing = || ApiError::bug(format!("{} is not found by parameters", kind.name));
        kind.parameter_search.as_ref().ok_or_else(missing)
    }

    fn search_of(&self, kind: KindId) -> ApiResult<&Search> {
        let kind = self.model.kind(kind);
        kind.search.as_ref().ok_or_else(|| ApiError::bug(format!("{} is not searched", kind.name)))
    }
}

impl std::fmt::Debug for SearchService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Finder").finish_non_exhaustive()
    }
}
