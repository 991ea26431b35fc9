//! What a query may cost. The reference names no figures here except the path lengths of requests, so
//! these are ours: far above what clients send, and low enough that the worst query ends in time.

/// Length of one predicate. The platform refuses requests whose address and headers exceed about 15 KB.
pub const PREDICATE_BYTES_MAX: usize = 64 * 1024;

/// How deep parentheses (and `not`) may nest. The deepest documented path has eight levels.
pub const PREDICATE_DEPTH_MAX: usize = 64;

/// How many values one `in` or `contains` may list, variables included.
pub const LIST_VALUES_MAX: usize = 10_000;

/// How many `sort` expressions one query may have.
pub const SORT_EXPRESSIONS_MAX: usize = 16;

/// Length of one sort expression or expansion path.
pub const PATH_BYTES_MAX: usize = 1024;

/// How many expansion paths one request may have.
pub const EXPANSION_PATHS_MAX: usize = 64;

/// How many names one expansion path may have.
pub const EXPANSION_DEPTH_MAX: usize = 16;

/// How many references one response may expand, all its documents together: paths that fan out at each step would otherwise make an
/// answer without end.
pub const EXPANDED_REFERENCES_MAX: usize = 20_000;

/// The longest text in bytes that an index holds. What is longer is found by reading documents.
pub const INDEXED_TEXT_BYTES_MAX: usize = 1024;

/// How many pairs of a name with a value an index holds of a document at one path. Where there are more, some names
/// have one row for all their values ([`crate::any_value_row`]). Ours: what a product with a hundred variants has is far
/// below, and a set of half a million values must not keep other writers waiting.
pub const PAIR_ROWS_MAX: usize = 5_000;
