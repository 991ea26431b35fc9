//! Searches by a JSON query (`@search` in the model), e.g. Product Search.
//!
//! Start at [`ReadySearch::find`]. The type has nothing to do with an OpenSearch server.

use crate::slow_search_log::{SearchTimer, without_values};
use bytes::Bytes;
use kontor_engine::{ResponseMeter, Shop, ViewOptions};
use kontor_errors::{ApiError, ApiResult};
use kontor_indexing::SearchHandle;
use kontor_json::{Map, Value};
use kontor_model::{KindId, Model};
use kontor_search::{
    FieldUse, IndexRequest, Leaf, LeafTest, MatchingChildren, NamedFacetResult, RequestSpelling, SearchQuery,
    SearchShape, SearchValue as Word, json_response,
};
use std::sync::Arc;
use std::time::Duration;

/// A ready search of one kind in one shop: its index exists and is complete.
pub struct ReadySearch {
    pub(crate) model: Arc<Model>,
    pub(crate) shop: Arc<Shop>,
    pub(crate) kind: KindId,
    pub(crate) ready: SearchHandle,
    pub(crate) slow: Option<Duration>,
}

/// A search by a JSON query.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The request to the index, parsed by [`ReadySearch::read`].
    pub request: IndexRequest,
    /// Keys of the Stores whose documents are searched; `None`: all documents.
    pub stores: Option<Vec<String>>,
    /// Returns projections next to ids, if set.
    pub projections: Option<Projections>,
    /// The JSON of the request, for the log of slow searches.
    pub sent: Map,
}

/// How the projections of a search are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Projections {
    /// View options.
    pub view_options: ViewOptions,
    /// Expansion paths.
    pub expand: Vec<String>,
}

/// The result of a [`SearchRequest`].
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResponse {
    /// The number of matches on all pages.
    pub total: u64,
    /// The number of skipped matches.
    pub offset: usize,
    /// The maximum number of hits.
    pub limit: usize,
    /// The facets, in the order of the request.
    pub facets: Vec<CountedFacet>,
    /// One page of hits.
    pub hits: Vec<SearchHit>,
}

/// The counts of one facet.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedFacet {
    reply: NamedFacetResult,
    holds_days: bool,
}

/// A document that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// Its id.
    pub id: String,
    /// The score.
    pub relevance: f32,
    /// Which parts of the document match, if requested.
    pub matching: Option<MatchingChildren>,
    /// The projection, if requested; `None` for a document deleted since it was indexed.
    pub projection: Option<Bytes>,
}

impl ReadySearch {
    /// Parses the JSON of a search. Ignores properties that the interface reads itself, e.g.
    /// `productProjectionParameters`. Fails with 400 for an invalid property, at its position in the body.
    pub fn read(&self, sent: &Map, spelling: &RequestSpelling<'_>) -> ApiResult<IndexRequest> {
        let kind = self.model.kind(self.kind);
        let search = kind.search.as_ref();
        let shape = match search.and_then(|search| search.parts.as_ref()) {
            Some(parts) => {
                SearchShape::Storefront { entries: &kind.path, children: &parts.name, mark: &parts.mark }
            }
            None if search.is_some_and(|search| search.hits) => SearchShape::Hits,
            None => SearchShape::BackOffice,
        };
        kontor_search::read(sent, shape, spelling, &*self.ready.fields)
    }

    /// Searches. Blocks the thread, and charges `meter` for the projections. Fails if projections are
    /// requested of a kind that has none, or if the index cannot be reached.
    pub fn find(&self, requested: SearchRequest, meter: &ResponseMeter) -> ApiResult<SearchResponse> {
        let SearchRequest { mut request, stores, projections, sent } = requested;
        let mut steps = SearchTimer::new(self.slow);
        let projections = projections.map(|requested| Ok((self.projection()?, requested))).transpose()?;
        if let Some((kind, requested)) = &projections {
            self.shop.validate_view_options(*kind, &requested.view_options)?;
        }
        if let Some(stores) = stores {
            self.limit_to_stores(&mut request, &stores);
        }
        let found = self.ready.search(&request)?;
        steps.add_index_steps(&found);
        let mut shown = Vec::new();
        if let Some((kind, requested)) = projections {
            let ids: Vec<&str> = found.hits.iter().map(|hit| hit.id.as_str()).collect();
            shown = self.shop.render_many(kind, &ids, &requested.view_options, &requested.expand, meter)?;
            steps.add_step("projections");
        }
        let kind = self.model.kind(self.kind);
        let is_storefront = kind.search.as_ref().is_some_and(|search| search.parts.is_some());
        steps.log_if_slow(&self.shop, &kind.path, found.total, || match is_storefront {
            true => Value::Object(sent),
            // Back-office searches contain names and addresses of people, which must not be logged.
            false => without_values(&sent),
        });
        let mut shown = shown.into_iter();
        let hits = found.hits.into_iter().map(|hit| SearchHit {
            id: hit.id,
            relevance: hit.score,
            matching: hit.matching,
            projection: shown.next().flatten(),
        });
        let facets = found.facets.into_iter().zip(&request.facets);
        Ok(SearchResponse {
            total: found.total,
            offset: request.offset,
            limit: request.limit,
            facets: facets
                .map(|(response, requested)| CountedFacet {
                    reply: response,
                    holds_days: requested.holds_days,
                })
                .collect(),
            hits: hits.collect(),
        })
    }

    /// Returns the kind of the projections, e.g. Product Projection.
    fn projection(&self) -> ApiResult<KindId> {
        let kind = self.model.kind(self.kind);
        let projection = kind.search.as_ref().and_then(|search| search.projection);
        projection.ok_or_else(|| ApiError::bug(format!("{} is found without projections", kind.name)))
    }

    /// Adds the condition that a document belongs to one of the Stores.
    fn limit_to_stores(&self, request: &mut IndexRequest, stores: &[String]) {
        let Some(in_store) = &self.model.kind(self.kind).in_store else { return };
        let ways = [&in_store.at, &in_store.also].into_iter().filter_map(|way| {
            let name = way.join(".");
            let used = FieldUse { name: &name, language: None, field_type: None };
            Some(SearchQuery::Leaf(Leaf {
                field: self.ready.fields.find(&used).ok()?.field,
                boost: 1.0,
                test: LeafTest::Exact {
                    values: stores.iter().map(|store| Word::Text(store.clone())).collect(),
                    case_insensitive: false,
                },
            }))
        });
        let belongs = SearchQuery::Filter(vec![SearchQuery::Or(ways.collect())]);
        if request.query.is_none() && request.post_filter.is_none() {
            // Without a query, the scores must be the same as without Stores: a post filter does not score.
            request.post_filter = Some(belongs);
            return;
        }
        let mut all: Vec<SearchQuery> = request.query.take().into_iter().collect();
        all.push(belongs);
        request.query = Some(SearchQuery::And(all));
    }
}

impl CountedFacet {
    /// Returns the facet as JSON: reference types `ProductSearchFacetResult…`.
    pub fn to_json(&self) -> Value {
        json_response::facet(&self.reply, self.holds_days)
    }
}
