//! A search, read and checked.

use crate::{Field, Query, Value};

/// A request to an index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// Which entries are wanted; `None`: all.
    pub query: Option<Query>,
    /// Which of these are answered, after the facets were counted.
    pub post_filter: Option<Query>,
    /// In which sequence. Empty: by score, the best first. Where all else is equal, by id.
    pub sort: Vec<Sort>,
    /// The requested facets.
    pub facets: Vec<Facet>,
    /// How many are skipped.
    pub offset: usize,
    /// The maximum number of hits.
    pub limit: usize,
    /// Whether hits tell which of their parts match.
    pub mark_matching: bool,
}

/// One criterion of the sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Sort {
    /// The compared value.
    pub by: SortBy,
    /// The greatest first. Entries without a value come last either way.
    pub descending: bool,
    /// The value that is compared if there are several. Default: the smallest when ascending, the greatest
    /// when descending.
    pub mode: Option<SortMode>,
    /// Restricts the values to nodes that match.
    pub filter: Option<Query>,
}

/// The value that a sort compares.
#[derive(Debug, Clone, PartialEq)]
pub enum SortBy {
    /// How well the entry fits the query.
    Score,
    /// The values of a field.
    Field(Field),
}

/// The selection of one value of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortMode {
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// The mean; of numbers only.
    Avg,
    /// The sum; of numbers only.
    Sum,
}

/// A count in addition to the hits.
#[derive(Debug, Clone, PartialEq)]
pub struct Facet {
    /// The name of its result.
    pub name: String,
    /// Which entries are counted.
    pub scope: Scope,
    /// Which of these; `None`: all.
    pub filter: Option<Query>,
    /// The counted nodes.
    pub counted: Counted,
    /// How they are counted.
    pub kind: FacetKind,
    /// The counted moments are days, and shown as days.
    pub holds_days: bool,
}

/// Which entries a facet counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// The entries found by the query.
    #[default]
    Query,
    /// All of the index.
    All,
}

/// The nodes that a facet counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counted {
    /// Entries, each once in a bucket.
    #[default]
    Entries,
    /// Their children: Product Variants, those that match.
    Children,
}

/// How a facet counts.
#[derive(Debug, Clone, PartialEq)]
pub enum FacetKind {
    /// How many there are.
    Count,
    /// How many have each value.
    Distinct {
        /// Of which field.
        field: Field,
        /// Which buckets are answered; `None`: all.
        includes: Option<Vec<String>>,
        /// In which sequence.
        order: BucketOrder,
        /// The greatest first.
        descending: bool,
        /// The maximum number of buckets, including that for missing values.
        limit: usize,
        /// The key of the bucket of those without a value; `None`: they are not counted.
        missing: Option<String>,
    },
    /// How many have a value in each range.
    Ranges {
        /// Of which field.
        field: Field,
        /// The ranges, in the order of the response.
        ranges: Vec<FacetRange>,
    },
    /// The least, the greatest, the mean and the sum of the values.
    Stats {
        /// Of which field.
        field: Field,
    },
}

/// The order of a facet's buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BucketOrder {
    /// By how many they hold; by key where that is equal.
    #[default]
    Count,
    /// By their key.
    Key,
}

/// A range of a facet.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetRange {
    /// The name of its bucket.
    pub key: String,
    /// The least value that is in it; `None`: no least.
    pub from: Option<Value>,
    /// The least value that is beyond it; `None`: none is.
    pub to: Option<Value>,
}
