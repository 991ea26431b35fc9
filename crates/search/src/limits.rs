//! Limits of searches. Document B, "Limits", and the public documentation of the query language.

/// Maximum number of expressions of a query, simple and compound ones.
pub const EXPRESSIONS_MAX: usize = 50;
/// Maximum length of a value, in characters.
pub const VALUE_CHARS_MAX: usize = 256;
/// Maximum number of values of one `exact`.
pub const VALUES_MAX: usize = 10_000;
/// The greatest `level` of `fuzzy`: the number of different characters.
pub const FUZZY_LEVEL_MAX: u8 = 2;
/// The largest factor of a score.
pub const BOOST_MAX: f64 = 1_000_000.0;
/// Maximum number of sort criteria.
pub const SORTS_MAX: usize = 50;
/// Maximum number of facets of a request.
pub const FACETS_MAX: usize = 100;
/// Maximum number of ranges of a facet, and of keys in `includes`.
pub const FACET_VALUES_MAX: usize = 1_000;
/// Maximum of offset and limit together: later hits cannot be paged to.
pub const WINDOW: usize = 10_000;
/// Maximum number of hits of a page.
pub const HITS_MAX: usize = 100;
/// Maximum number of hits of a page in Product Projection Search.
pub const PARAMETER_LIMIT_MAX: usize = 500;
/// Maximum number of values of a repeated parameter.
pub const REPEATED_MAX: usize = 100;
/// Maximum number of suggestions for an input.
pub const SUGGESTIONS_MAX: usize = 100;
/// Default number of suggestions for an input.
pub const SUGGESTIONS_DEFAULT: usize = 10;
/// Maximum number of inputs of a suggestion request.
pub const INPUTS_MAX: usize = 50;
/// Default number of hits of a page.
pub const HITS_DEFAULT: usize = 20;
/// Default number of hits of a page in searches with shorter pages.
pub const SHORT_PAGE_HITS: usize = 10;
/// Maximum number of buckets of a distinct facet.
pub const BUCKETS_MAX: usize = 200;
/// Default number of buckets of a distinct facet.
pub const BUCKETS_DEFAULT: usize = 10;
/// Maximum number of indexed searchable Attributes of a Product or Variant, in the order of the Product Type.
pub const ATTRIBUTES_MAX: usize = 50;
/// Maximum number of indexed Standalone Prices of a Product.
pub const PRICES_MAX: usize = 10_000;
/// Maximum number of indexed Stores of a Product.
pub const STORES_MAX: usize = 15_000;
/// Maximum number of indexed Product Selections of a Product.
pub const SELECTIONS_MAX: usize = 15_000;
/// Number of days without a search after which an index is dropped.
pub const IDLE_DAYS: i64 = 30;
