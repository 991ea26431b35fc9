//! Limits of one GraphQL request. Most are checked before execution; the limits of reads and of the response apply while
//! it is executed.

/// Maximum length of a query. Long values belong into variables, which are limited by the size of the body.
pub const QUERY_BYTES_MAX: usize = 128 * 1024;
/// Maximum number of tokens of a query.
pub const QUERY_TOKENS_MAX: usize = 30_000;
/// Maximum number of JSON values in the variables of a request.
pub const VARIABLE_VALUES_MAX: usize = 100_000;
/// Maximum depth of selections, with those of fragments.
pub const QUERY_DEPTH_MAX: usize = 40;
/// Maximum depth of brackets of any kind for the parser; deeper queries are rejected as malformed.
pub(crate) const PARSER_DEPTH_MAX: usize = 120;
/// Maximum complexity: each field counts 1 for each time it is expected in the response.
pub const QUERY_COMPLEXITY_MAX: usize = 200_000;
/// Maximum complexity of introspection: enough for the introspection query of tools, with room for growth of
/// the API, but not for several of them.
pub const INTROSPECTION_COMPLEXITY_MAX: usize = 1_000_000;
/// The complexity of a page, whatever it contains.
pub(crate) const PAGE_COMPLEXITY: usize = 1_000;
/// The complexity of a mutation.
pub(crate) const CHANGE_COMPLEXITY: usize = 500;
/// The complexity of each document in a bulk mutation: one such mutation may be as large as in REST.
pub(crate) const BULK_ITEM_COMPLEXITY: usize = 100;
/// Number of elements that a list is expected to have unless its field says more.
pub(crate) const LIST_COMPLEXITY: usize = 3;
/// Maximum number of results that a page is expected to have. Clients send the largest `limit` to get all documents,
/// e.g. all Categories for a menu.
pub(crate) const PAGE_RESULTS_EXPECTED: usize = 100;
/// Number of documents that are expected to refer to a document at one path, e.g. to a Category as their `parent`. Each
/// refers to one document only, so over a whole page there is about one for each.
pub(crate) const REFERRERS_EXPECTED: usize = 2;

/// Maximum number of documents that one query actually reads, whatever complexity was estimated.
pub(crate) const DOCUMENTS_READ_MAX: usize = 100_000;
/// Maximum size of these documents in bytes.
pub(crate) const READ_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Number of documents that a page counts in addition to its results: finding them costs as much.
pub(crate) const PAGE_DOCUMENTS: usize = 20;

/// The complexity of a field that a kind calculates for the caller: it may read other documents.
pub(crate) const SPLICE_COMPLEXITY: usize = 10;
/// Maximum number of values of a response. A response whose lists turn out longer than expected ends here with an
/// error.
pub(crate) const ANSWER_VALUES_MAX: usize = 500_000;

/// Maximum size of a response in bytes, with the same consequence.
pub(crate) const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Maximum length of a chain of references that one field follows.
pub(crate) const CHAIN_MAX: usize = 20;

// Pages have the same limits as in REST.
pub(crate) use kontor_model::limits::{LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};

/// Capacity of the cache of validated queries, in queries.
pub(crate) const QUERIES_KEPT: usize = 2_000;
/// Capacity of that cache, in bytes of query text.
pub(crate) const QUERIES_KEPT_BYTES: u64 = 1024 * 1024;
/// Longer queries are not cached.
pub(crate) const QUERY_KEPT_BYTES_MAX: usize = 32 * 1024;
/// Longer queries are validated on a thread that does not serve sockets.
pub(crate) const QUERY_CHECKED_AT_ONCE_BYTES_MAX: usize = 8 * 1024;
/// Maximum number of reported errors of one query; further ones are usually repetitions.
pub(crate) const ERRORS_MAX: usize = 50;
