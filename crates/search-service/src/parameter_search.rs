//! Product Projection Search and its kind (`@searchByParameters` in the model): searches with query
//! parameters, and search keyword suggestions.
//!
//! Start at [`SearchService::find_by_parameters`].

use crate::matching::mark_matching_parts;
use crate::search_service::SearchService;
use crate::slow_search_log::SearchTimer;
use bytes::Bytes;
use kontor_engine::{ResponseMeter, Shop, ViewOptions};
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_search::parameters::{FacetResponse, ParameterSearchRequest, ParameterWords};
use kontor_search::suggestions::{LanguageSuggestions, SuggestionSearch};
use std::sync::Arc;

/// A search by query parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterRequest {
    /// The conditions, sorts, facets and page.
    pub search: ParameterSearchRequest,
    /// View options of the results. Its price selection also selects the price that filters compare.
    pub view_options: ViewOptions,
    /// Expansion paths.
    pub expand: Vec<String>,
}

/// The result of a [`ParameterRequest`].
#[derive(Debug)]
pub struct ParameterSearchResponse {
    /// The number of matches on all pages.
    pub total: u64,
    /// The number of skipped matches.
    pub offset: usize,
    /// The maximum number of results.
    pub limit: usize,
    /// The facets; `None` if none were requested.
    pub facets: Option<FacetResponse>,
    /// One page of matching documents as JSON, without those deleted since they were indexed.
    pub results: Vec<Bytes>,
}

impl SearchService {
    /// Returns the words that query parameters of a kind's search contain: the path of its entries (e.g.
    /// `products`) and the name of the mark of matching parts.
    pub fn words(&self, kind: KindId) -> ParameterWords<'_> {
        let stored = self.model.kind(self.model.stored_kind(kind));
        let parts = stored.search.as_ref().and_then(|search| search.parts.as_ref());
        ParameterWords { entries: &stored.path, mark: parts.map_or("", |parts| &parts.mark) }
    }

    /// Searches a kind, and returns one page of documents. Blocks the thread, and charges `meter` for the
    /// documents. Fails if the search is off or not indexed yet, if the request is invalid, or if `view_options`
    /// selects prices in an invalid way.
    pub fn find_by_parameters(
        &self,
        shop: &Arc<Shop>,
        kind: KindId,
        requested: ParameterRequest,
        meter: &ResponseMeter,
    ) -> ApiResult<ParameterSearchResponse> {
        let ParameterRequest { search, view_options, expand } = requested;
        let entry = self.parameter_search_of(kind)?;
        // Search results are shown differently from single documents.
        let view_options = ViewOptions { found: true, found_by_parameters: true, ..view_options };
        shop.validate_view_options(kind, &view_options)?;
        let ready = self.ready_side(shop, entry, view_options.staged)?;
        let (request, requested) = search.request(&*ready.fields, &view_options.parameters)?;
        let mut steps = SearchTimer::new(self.slow);
        let found = ready.search(&request)?;
        steps.add_index_steps(&found);
        let ids: Vec<&str> = found.hits.iter().map(|hit| hit.id.as_str()).collect();
        let shown = shop.render_many(kind, &ids, &view_options, &expand, meter)?;
        steps.add_step("documents");
        let path = &self.model.kind(kind).path;
        steps.log_if_slow(shop, path, found.total, || format!("{:?} {request:?}", view_options.parameters));
        let parts: Vec<&str> = self.model.parts_with(kind, &entry.marks).collect();
        let mut results = Vec::with_capacity(shown.len());
        for (hit, document) in found.hits.iter().zip(shown) {
            let Some(document) = document else { continue };
            results.push(match &hit.matching {
                Some(matching) => mark_matching_parts(&document, matching, &parts, &entry.marks)?,
                None => document,
            });
        }
        let entry_count = || format!("{}Count", self.model.kind(self.model.stored_kind(kind)).camel_name());
        let facets = (!requested.is_empty()).then(|| FacetResponse {
            requested,
            counted: found.facets,
            entry_count: entry_count(),
        });
        let (offset, limit) = (request.offset, request.limit);
        Ok(ParameterSearchResponse { total: found.total, offset, limit, facets, results })
    }

    /// Returns completions of the search keywords of a kind. Blocks the thread. Fails with 400 for an unknown language
    /// or a limit that is too large, and if the search is not ready or its index fails.
    pub fn suggest(
        &self,
        shop: &Arc<Shop>,
        kind: KindId,
        requested: &SuggestionSearch,
        staged: bool,
    ) -> ApiResult<Vec<LanguageSuggestions>> {
        let ready = self.ready_side(shop, self.parameter_search_of(kind)?, staged)?;
        let mut suggested = Vec::new();
        for completion in requested.completions(&*ready.fields)? {
            let counted = ready.search(&completion.request)?.facets;
            completion.add_to(&mut suggested, counted);
        }
        Ok(suggested)
    }
}
