//! Limits of the cost of a query. The reference has no numbers except the path lengths of requests, so
//! these are ours: far above what clients send, and low enough that the worst query ends in time.

/// Maximum length of one predicate. The platform refuses requests whose address and headers exceed about 15 KB.
pub const PREDICATE_BYTES_MAX: usize = 64 * 1024;

/// Maximum nesting of parentheses (and `not`). The deepest documented path has eight levels.
pub const PREDICATE_DEPTH_MAX: usize = 64;

/// Maximum number of values in one `in` or `contains`, variables included.
pub const LIST_VALUES_MAX: usize = 10_000;

/// Maximum number of `sort` expressions of one query.
pub const SORT_EXPRESSIONS_MAX: usize = 16;

/// Maximum length of one sort expression or expansion path.
pub const PATH_BYTES_MAX: usize = 1024;

/// Maximum number of expansion paths of one request.
pub const EXPANSION_PATHS_MAX: usize = 64;

/// Maximum number of names in one expansion path.
pub const EXPANSION_DEPTH_MAX: usize = 16;

/// Maximum number of references expanded in one response, over all its documents: paths that fan out at each step would
/// otherwise make the response unbounded.
pub const EXPANDED_REFERENCES_MAX: usize = 20_000;

/// The longest text in an index, in bytes. Longer texts are found by a scan.
pub const INDEXED_TEXT_BYTES_MAX: usize = 1024;

/// Maximum number of name-value pairs indexed for a document at one path. Beyond it, some names get one row for all
/// their values ([`crate::any_value_row`]). Ours: a product with a hundred variants has far fewer, and a set of half a
/// million values must not block other writers.
pub const PAIR_ROWS_MAX: usize = 5_000;
