//! The response of a search ([`SearchResult`]): the hits of a page, and the results of facets.

use crate::SearchValue;
use std::time::Duration;

/// The response of a search: hits and facets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchResult {
    /// The number of entries that match the query and the post-filter, on all pages.
    pub total: u64,
    /// The requested page of them.
    pub hits: Vec<Hit>,
    /// The facets, in the order of the request.
    pub facets: Vec<NamedFacetResult>,
    /// The duration of each step, in order; empty if the index does not measure it.
    pub step_durations: Vec<(&'static str, Duration)>,
}

/// An entry that matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// The relevance score.
    pub score: f32,
    /// The children that match, if the request has `mark_matching`.
    pub matching: Option<MatchingChildren>,
}

/// The children of an entry that match a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchingChildren {
    /// Whether the query has no condition on children, so that all of them match.
    pub all: bool,
    /// Otherwise the labels of the matching children, in order, even if all match.
    pub labels: Vec<String>,
}

/// The result of one facet.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedFacetResult {
    /// The name of the facet.
    pub name: String,
    /// Its result.
    pub result: FacetResult,
}

/// The result of a facet.
#[derive(Debug, Clone, PartialEq)]
pub enum FacetResult {
    /// The result of [`FacetKind::Count`](crate::FacetKind::Count).
    Count(u64),
    /// The result of [`FacetKind::Distinct`](crate::FacetKind::Distinct) and
    /// [`FacetKind::Ranges`](crate::FacetKind::Ranges).
    Buckets(Vec<Bucket>),
    /// The result of [`FacetKind::Stats`](crate::FacetKind::Stats).
    Stats(Stats),
}

/// A group of a facet: one value or range, with the number of its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Its key.
    pub key: String,
    /// The number of counted entries or children in it.
    pub count: u64,
}

/// Statistics of the values of a field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stats {
    /// The number of values.
    pub count: u64,
    /// The smallest value; `None` if there is none.
    pub min: Option<SearchValue>,
    /// The greatest value.
    pub max: Option<SearchValue>,
    /// The mean, of numbers only.
    pub mean: Option<f64>,
    /// The sum, of numbers only.
    pub sum: Option<f64>,
}
