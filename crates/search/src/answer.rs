//! The response of a search.

use crate::Value;
use std::time::Duration;

/// The entries that were found, and what was counted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// How many entries the query and the post-filter find, all pages together.
    pub total: u64,
    /// One page of them.
    pub hits: Vec<Hit>,
    /// The facets, in the order of the request.
    pub facets: Vec<FacetAnswer>,
    /// The duration of each step, in order; empty if the index does not measure it.
    pub took: Vec<(&'static str, Duration)>,
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// How well it fits.
    pub score: f32,
    /// Which of its children match; only where the request asks.
    pub matching: Option<Matching>,
}

/// Which children of an entry match a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching {
    /// The query asks nothing of children, so that all do.
    pub all: bool,
    /// Otherwise the labels of those that do, in their sequence, even where all do.
    pub labels: Vec<String>,
}

/// The result of one facet.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetAnswer {
    /// The name of the facet.
    pub name: String,
    /// Its result.
    pub result: FacetResult,
}

/// The result of a facet.
#[derive(Debug, Clone, PartialEq)]
pub enum FacetResult {
    /// Of [`FacetKind::Count`](crate::FacetKind::Count).
    Count(u64),
    /// Of [`FacetKind::Distinct`](crate::FacetKind::Distinct) and [`FacetKind::Ranges`](crate::FacetKind::Ranges).
    Buckets(Vec<Bucket>),
    /// Of [`FacetKind::Stats`](crate::FacetKind::Stats).
    Stats(Stats),
}

/// A bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Its key.
    pub key: String,
    /// How many are in it.
    pub count: u64,
}

/// Figures about the values of a field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stats {
    /// How many values there are.
    pub count: u64,
    /// The least; `None` where there is no value.
    pub min: Option<Value>,
    /// The greatest.
    pub max: Option<Value>,
    /// The mean; of numbers only.
    pub mean: Option<f64>,
    /// The sum; of numbers only.
    pub sum: Option<f64>,
}
