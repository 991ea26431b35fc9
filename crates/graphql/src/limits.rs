//! Limits of one GraphQL request. Requests beyond them are refused before anything is read or written.

/// Longest query text. Values that grow belong into variables, which are limited by the size of the body.
pub const QUERY_BYTES_MAX: usize = 128 * 1024;
/// Most tokens of a query.
pub const QUERY_TOKENS_MAX: usize = 30_000;
/// Most JSON values in the variables of a request.
pub const VARIABLE_VALUES_MAX: usize = 100_000;
/// Deepest nesting of selections, fragments followed.
pub const QUERY_DEPTH_MAX: usize = 40;
/// How deep the parser follows brackets of any kind; above it a query is refused as malformed.
pub(crate) const PARSER_DEPTH_MAX: usize = 120;
/// Most complexity: each field counts 1 for each time it is expected to be answered.
pub const QUERY_COMPLEXITY_MAX: usize = 200_000;
/// Maximum complexity of introspection: enough for the introspection query of tools, with room for growth of
/// the API, and not for several of them.
pub const INTROSPECTION_COMPLEXITY_MAX: usize = 1_000_000;
/// The complexity of a page, whatever it contains.
pub(crate) const PAGE_COMPLEXITY: usize = 1_000;
/// The complexity of a mutation.
pub(crate) const CHANGE_COMPLEXITY: usize = 500;
/// The complexity of each document in a bulk mutation: one such mutation may be as large as in REST.
pub(crate) const BULK_ITEM_COMPLEXITY: usize = 100;
/// How many elements a list is expected to have where nothing says so.
pub(crate) const LIST_COMPLEXITY: usize = 3;
/// How many results a page is expected to have at most. Clients send the largest `limit` to get all that there are, e.g. all
/// Categories for a menu.
pub(crate) const PAGE_RESULTS_EXPECTED: usize = 100;
/// How many documents are expected to refer to a document at one path, e.g. to a Category as their `parent`. Each refers to
/// one document only, so over a whole page there is about one for each.
pub(crate) const REFERRERS_EXPECTED: usize = 2;

/// Most documents that one query reads, while it is executed: what it was expected to cost does not count here.
pub(crate) const DOCUMENTS_READ_MAX: usize = 100_000;
/// Most bytes of these documents.
pub(crate) const READ_BYTES_MAX: usize = 256 * 1024 * 1024;
/// How many documents a page counts besides those that it has: the search for them costs as much.
pub(crate) const PAGE_DOCUMENTS: usize = 20;

/// The complexity of a field that a kind calculates for the caller: it may read other documents.
pub(crate) const SPLICE_COMPLEXITY: usize = 10;
/// Most values of one answer. Lists that turn out longer than expected end here.
pub(crate) const ANSWER_VALUES_MAX: usize = 500_000;

/// Most bytes of one answer: as with values, it ends there.
pub(crate) const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Longest chain of references that one field follows.
pub(crate) const CHAIN_MAX: usize = 20;

// Of pages, the same as in the other face.
pub(crate) use kontor_model::limits::{LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX};

/// Checked queries that are kept, by their texts.
pub(crate) const QUERIES_KEPT: usize = 2_000;
/// Most bytes of texts that are kept.
pub(crate) const QUERIES_KEPT_BYTES: u64 = 1024 * 1024;
/// Longer queries are not kept.
pub(crate) const QUERY_KEPT_BYTES_MAX: usize = 32 * 1024;
/// Longer queries are checked on a thread that may take its time.
pub(crate) const QUERY_CHECKED_AT_ONCE_BYTES_MAX: usize = 8 * 1024;
/// Maximum number of reported errors of one query; further ones are usually repetitions.
pub(crate) const ERRORS_MAX: usize = 50;
