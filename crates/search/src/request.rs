//! [`IndexRequest`]: a parsed and validated search.

use crate::{SearchField, SearchQuery, SearchValue};

/// A request to an index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexRequest {
    /// The query; `None`: all entries match.
    pub query: Option<SearchQuery>,
    /// A filter for the hits, applied after the facets were counted.
    pub post_filter: Option<SearchQuery>,
    /// The sort criteria. Empty: by score, the best first. Ties are sorted by id.
    pub sort: Vec<HitSort>,
    /// The requested facets.
    pub facets: Vec<Facet>,
    /// The number of hits to skip.
    pub offset: usize,
    /// The maximum number of hits.
    pub limit: usize,
    /// Whether hits contain the children that match.
    pub mark_matching: bool,
}

/// One sort criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct HitSort {
    /// The compared value.
    pub by: SortBy,
    /// Whether the greatest value comes first. Entries without a value come last in both directions.
    pub descending: bool,
    /// The value that is compared if there are several. Default: the smallest when ascending, the greatest
    /// when descending.
    pub mode: Option<SortMode>,
    /// Restricts the values to nodes that match.
    pub filter: Option<SearchQuery>,
}

/// The value that a sort compares.
#[derive(Debug, Clone, PartialEq)]
pub enum SortBy {
    /// The relevance of the entry for the query.
    Score,
    /// The values of a field.
    Field(SearchField),
}

/// The selection of one value of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortMode {
    /// The smallest.
    Min,
    /// The greatest.
    Max,
    /// The mean, of numbers only.
    Avg,
    /// The sum, of numbers only.
    Sum,
}

/// A count in addition to the hits.
#[derive(Debug, Clone, PartialEq)]
pub struct Facet {
    /// The name of its result.
    pub name: String,
    /// The entries that are considered.
    pub scope: FacetScope,
    /// A filter for these; `None`: all.
    pub filter: Option<SearchQuery>,
    /// The counted nodes.
    pub counted: CountedNodes,
    /// How they are counted.
    pub kind: FacetKind,
    /// Whether the counted values are dates, which responses show without a time.
    pub holds_days: bool,
}

/// The entries that a facet considers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FacetScope {
    /// The entries found by the query.
    #[default]
    Query,
    /// All entries of the index.
    All,
}

/// The nodes that a facet counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CountedNodes {
    /// Entries, each once in a bucket.
    #[default]
    Entries,
    /// Their matching children, e.g. product variants.
    Children,
}

/// The computation of a facet.
#[derive(Debug, Clone, PartialEq)]
pub enum FacetKind {
    /// The number of counted nodes.
    Count,
    /// The number of counted nodes with each value.
    Distinct {
        /// The field with the values.
        field: SearchField,
        /// The keys of the returned buckets; `None`: all.
        includes: Option<Vec<String>>,
        /// The order of the buckets.
        order: BucketOrder,
        /// Whether the greatest comes first.
        descending: bool,
        /// The maximum number of buckets, including that for missing values.
        limit: usize,
        /// The key of the bucket for missing values; `None`: they are not counted.
        missing: Option<String>,
    },
    /// The number of counted nodes with a value in each range.
    Ranges {
        /// The field with the values.
        field: SearchField,
        /// The ranges, in the order of the response.
        ranges: Vec<FacetRange>,
    },
    /// The smallest, the greatest, the mean and the sum of the values.
    Stats {
        /// The field with the values.
        field: SearchField,
    },
}

/// The order of a facet's buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BucketOrder {
    /// By count, then by key.
    #[default]
    Count,
    /// By key.
    Key,
}

/// A range of a facet.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetRange {
    /// The name of its bucket.
    pub key: String,
    /// The lower bound, included; `None`: no bound.
    pub from: Option<SearchValue>,
    /// The upper bound, excluded; `None`: no bound.
    pub to: Option<SearchValue>,
}
