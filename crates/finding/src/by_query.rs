//! Searches by a query: `@search` in the model.

use crate::slow::{Steps, without_values};
use bytes::Bytes;
use kontor_engine::{ResponseMeter, Shop, Sight};
use kontor_errors::{ApiError, ApiResult};
use kontor_indexing::Ready;
use kontor_json::{Map, Value};
use kontor_model::{KindId, Model};
use kontor_search::{
    FacetAnswer, FieldUse, Leaf, Matching, Query, Request, Shape, Spelling, Test, Value as Word, write,
};
use std::sync::Arc;
use std::time::Duration;

/// A search of one kind in one shop that can be asked now.
pub struct OpenSearch {
    pub(crate) model: Arc<Model>,
    pub(crate) shop: Arc<Shop>,
    pub(crate) kind: KindId,
    pub(crate) ready: Ready,
    pub(crate) slow: Option<Duration>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The question to the index, by [`OpenSearch::read`].
    pub request: Request,
    /// The keys of the Stores that it is limited to; `None`: it is not.
    pub stores: Option<Vec<String>>,
    /// The projections that are wanted beside ids.
    pub projections: Option<Projections>,
    /// What was sent, for the log where the search is slow.
    pub sent: Map,
}

/// How projections are to be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Projections {
    /// How they are to be shown.
    pub sight: Sight,
    /// The references in them that are followed.
    pub expand: Vec<String>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// How many there are, all pages together.
    pub total: u64,
    /// How many were skipped.
    pub offset: usize,
    /// How many are answered at most.
    pub limit: usize,
    /// What was counted, in the sequence of the request.
    pub facets: Vec<CountedFacet>,
    /// One page of what was found.
    pub hits: Vec<Found>,
}

/// What one facet counted.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedFacet {
    answer: FacetAnswer,
    holds_days: bool,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its id.
    pub id: String,
    /// How well it fits.
    pub relevance: f32,
    /// Which of its parts match, where that was asked.
    pub matching: Option<Matching>,
    /// Its projection, where that was asked; what is gone since it was indexed has none.
    pub projection: Option<Bytes>,
}

impl OpenSearch {
    /// Reads what is asked. Properties that are none of a search are left to the face.
    pub fn read(&self, sent: &Map, spelling: &Spelling<'_>) -> ApiResult<Request> {
        let kind = self.model.kind(self.kind);
        let search = kind.search.as_ref();
        let shape = match search.and_then(|search| search.parts.as_ref()) {
            Some(parts) => {
                Shape::Storefront { entries: &kind.path, children: &parts.name, mark: &parts.mark }
            }
            None if search.is_some_and(|search| search.hits) => Shape::Hits,
            None => Shape::BackOffice,
        };
        kontor_search::read(sent, shape, spelling, &*self.ready.fields)
    }

    /// Finds. Holds the thread. The meter is charged for the projections.
    pub fn find(&self, asked: SearchRequest, meter: &ResponseMeter) -> ApiResult<SearchAnswer> {
        let SearchRequest { mut request, stores, projections, sent } = asked;
        let mut steps = Steps::new(self.slow);
        let projections = projections.map(|asked| Ok((self.projection()?, asked))).transpose()?;
        if let Some((kind, asked)) = &projections {
            self.shop.admit_sight(*kind, &asked.sight)?;
        }
        if let Some(stores) = stores {
            self.limit_to_stores(&mut request, &stores);
        }
        let found = self.ready.search(&request)?;
        steps.answered(&found);
        let mut shown = Vec::new();
        if let Some((kind, asked)) = projections {
            let ids: Vec<&str> = found.hits.iter().map(|hit| hit.id.as_str()).collect();
            shown = self.shop.show_many(kind, &ids, &asked.sight, &asked.expand, meter)?;
            steps.done("projections");
        }
        let kind = self.model.kind(self.kind);
        let is_storefront = kind.search.as_ref().is_some_and(|search| search.parts.is_some());
        steps.tell(&self.shop, &kind.path, found.total, || match is_storefront {
            true => Value::Object(sent),
            // The back office looks for people, by what they are called and where they live.
            false => without_values(&sent),
        });
        let mut shown = shown.into_iter();
        let hits = found.hits.into_iter().map(|hit| Found {
            id: hit.id,
            relevance: hit.score,
            matching: hit.matching,
            projection: shown.next().flatten(),
        });
        let facets = found.facets.into_iter().zip(&request.facets);
        Ok(SearchAnswer {
            total: found.total,
            offset: request.offset,
            limit: request.limit,
            facets: facets
                .map(|(answer, asked)| CountedFacet { answer, holds_days: asked.holds_days })
                .collect(),
            hits: hits.collect(),
        })
    }

    /// The kind of projections beside ids.
    fn projection(&self) -> ApiResult<KindId> {
        let kind = self.model.kind(self.kind);
        let projection = kind.search.as_ref().and_then(|search| search.projection);
        projection.ok_or_else(|| ApiError::bug(format!("{} is found without projections", kind.name)))
    }

    /// Finds only what belongs to one of the Stores.
    fn limit_to_stores(&self, request: &mut Request, stores: &[String]) {
        let Some(in_store) = &self.model.kind(self.kind).in_store else { return };
        let ways = [&in_store.at, &in_store.also].into_iter().filter_map(|way| {
            let name = way.join(".");
            let used = FieldUse { name: &name, language: None, field_type: None };
            Some(Query::Leaf(Leaf {
                field: self.ready.fields.find(&used).ok()?.field,
                boost: 1.0,
                test: Test::Exact {
                    values: stores.iter().map(|store| Word::Text(store.clone())).collect(),
                    case_insensitive: false,
                },
            }))
        });
        let belongs = Query::Filter(vec![Query::Or(ways.collect())]);
        if request.query.is_none() && request.post_filter.is_none() {
            // Nothing was asked, and what is found is as relevant as without Stores.
            request.post_filter = Some(belongs);
            return;
        }
        let mut all: Vec<Query> = request.query.take().into_iter().collect();
        all.push(belongs);
        request.query = Some(Query::And(all));
    }
}

impl CountedFacet {
    /// As the API has it: reference types `ProductSearchFacetResult…`.
    pub fn to_json(&self) -> Value {
        write::facet(&self.answer, self.holds_days)
    }
}
