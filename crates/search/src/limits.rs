//! Limits of searches. Document B, "Limits", and the public documentation of the query language.

/// Expressions of a query, simple and compound ones.
pub const EXPRESSIONS_MAX: usize = 50;
/// Characters of a value.
pub const VALUE_CHARS_MAX: usize = 256;
/// Values of one `exact`.
pub const VALUES_MAX: usize = 10_000;
/// How many characters a `fuzzy` may let differ.
pub const FUZZY_LEVEL_MAX: u8 = 2;
/// The largest factor of a score.
pub const BOOST_MAX: f64 = 1_000_000.0;
/// Criteria of a sort.
pub const SORTS_MAX: usize = 50;
/// Facets of a request.
pub const FACETS_MAX: usize = 100;
/// Ranges of a facet, and keys that it is asked to keep.
pub const FACET_VALUES_MAX: usize = 1_000;
/// Hits that can be reached by paging: offset and limit together.
pub const WINDOW: usize = 10_000;
/// Hits of a page.
pub const HITS_MAX: usize = 100;
/// Hits of a page of a search with parameters.
pub const PARAMETER_LIMIT_MAX: usize = 500;
/// Values of a parameter that may be repeated.
pub const REPEATED_MAX: usize = 100;
/// Keywords that are suggested for an input.
pub const SUGGESTIONS_MAX: usize = 100;
/// The same, of a request that says nothing.
pub const SUGGESTIONS_DEFAULT: usize = 10;
/// Inputs that a request has completed.
pub const INPUTS_MAX: usize = 50;
/// Hits of a page where the request says nothing.
pub const HITS_DEFAULT: usize = 20;
/// The same, of a search whose pages are shorter.
pub const SHORT_PAGE_HITS: usize = 10;
/// Buckets of a distinct facet.
pub const BUCKETS_MAX: usize = 200;
/// Buckets of a distinct facet that says nothing.
pub const BUCKETS_DEFAULT: usize = 10;
/// Maximum number of indexed searchable Attributes of a Product or Variant, in the order of the Product Type.
pub const ATTRIBUTES_MAX: usize = 50;
/// Standalone Prices of a Product that are indexed.
pub const PRICES_MAX: usize = 10_000;
/// Stores of a Product that are indexed.
pub const STORES_MAX: usize = 15_000;
/// Product Selections of a Product that are indexed.
pub const SELECTIONS_MAX: usize = 15_000;
/// Days without a search after which an index is given up.
pub const IDLE_DAYS: i64 = 30;
