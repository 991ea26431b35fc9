//! Searches with parameters, and suggestions: `@searchByParameters` in the model.

use crate::finder::Finder;
use crate::matching::marked;
use crate::slow::Steps;
use bytes::Bytes;
use kontor_engine::{ResponseMeter, Shop, Sight};
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_search::parameters::{Facets, ParameterSearch, Words};
use kontor_search::suggestions::{Suggested, SuggestionSearch};
use std::sync::Arc;

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterRequest {
    /// What is to be found.
    pub search: ParameterSearch,
    /// How it is to be shown. What selects prices also says which price is filtered by.
    pub sight: Sight,
    /// The references that are followed.
    pub expand: Vec<String>,
}

/// What a search with parameters found.
#[derive(Debug)]
pub struct FoundDocuments {
    /// How many there are, all pages together.
    pub total: u64,
    /// How many were skipped.
    pub offset: usize,
    /// How many are answered at most.
    pub limit: usize,
    /// What was counted; `None`: nothing was to be.
    pub facets: Option<Facets>,
    /// One page of what was found, as it is shown. What is gone since it was indexed is left out.
    pub results: Vec<Bytes>,
}

impl Finder {
    /// The words of a kind that parameters of its search have in them.
    pub fn words(&self, kind: KindId) -> Words<'_> {
        let stored = self.model.kind(self.model.stored(kind));
        let parts = stored.search.as_ref().and_then(|search| search.parts.as_ref());
        Words { entries: &stored.path, mark: parts.map_or("", |parts| &parts.mark) }
    }

    /// What a search finds of a kind, for who may see what is to be shown. Holds the thread. The meter is
    /// charged for the documents.
    pub fn find_by_parameters(
        &self,
        shop: &Arc<Shop>,
        kind: KindId,
        asked: ParameterRequest,
        meter: &ResponseMeter,
    ) -> ApiResult<FoundDocuments> {
        let ParameterRequest { search, sight, expand } = asked;
        let entry = self.parameter_search_of(kind)?;
        // Found documents are shown otherwise than those that were asked for one by one.
        let sight = Sight { found: true, found_by_parameters: true, ..sight };
        shop.admit_sight(kind, &sight)?;
        let ready = self.side(shop, entry, sight.staged)?;
        let (request, asked) = search.request(&*ready.fields, &sight.parameters)?;
        let mut steps = Steps::new(self.slow);
        let found = ready.search(&request)?;
        steps.answered(&found);
        let ids: Vec<&str> = found.hits.iter().map(|hit| hit.id.as_str()).collect();
        let shown = shop.show_many(kind, &ids, &sight, &expand, meter)?;
        steps.done("documents");
        let path = &self.model.kind(kind).path;
        steps.tell(shop, path, found.total, || format!("{:?} {request:?}", sight.parameters));
        let parts: Vec<&str> = self.model.parts_with(kind, &entry.marks).collect();
        let mut results = Vec::with_capacity(shown.len());
        for (hit, document) in found.hits.iter().zip(shown) {
            let Some(document) = document else { continue };
            results.push(match &hit.matching {
                Some(matching) => marked(&document, matching, &parts, &entry.marks)?,
                None => document,
            });
        }
        let entry_count = || format!("{}Count", self.model.kind(self.model.stored(kind)).camel_name());
        let facets =
            (!asked.is_empty()).then(|| Facets { asked, counted: found.facets, entry_count: entry_count() });
        let (offset, limit) = (request.offset, request.limit);
        Ok(FoundDocuments { total: found.total, offset, limit, facets, results })
    }

    /// How search keywords of a kind go on. Holds the thread.
    pub fn suggest(
        &self,
        shop: &Arc<Shop>,
        kind: KindId,
        asked: &SuggestionSearch,
        staged: bool,
    ) -> ApiResult<Vec<Suggested>> {
        let ready = self.side(shop, self.parameter_search_of(kind)?, staged)?;
        let mut suggested = Vec::new();
        for completion in asked.completions(&*ready.fields)? {
            let counted = ready.search(&completion.request)?.facets;
            completion.add_to(&mut suggested, counted);
        }
        Ok(suggested)
    }
}
