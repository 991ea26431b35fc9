//! Evaluates requests by the reference evaluator, on entries found by OpenSearch: determines matching children, and
//! handles the few requests that OpenSearch cannot express.

use kontor_search::reference::ReferenceIndex;
use kontor_search::{
    IndexBatch, IndexError, IndexRequest, MatchingChildren, SearchEntry, SearchIndex as _, SearchQuery,
    SearchResult,
};

/// Maximum number of entries of a request that are evaluated this way.
pub(crate) const ENTRIES_MAX: usize = 10_000;

/// Returns the children of an entry that match a query.
pub(crate) fn matching_children(entry: Option<SearchEntry>, query: Option<&SearchQuery>) -> MatchingChildren {
    let everything = MatchingChildren { all: true, labels: Vec::new() };
    let (Some(query), Some(entry)) = (query.filter(|query| query.has_child_condition()), entry) else {
        return everything;
    };
    let request =
        IndexRequest { query: Some(query.clone()), limit: 1, mark_matching: true, ..IndexRequest::default() };
    let found =
        evaluate(vec![entry], &request).ok().and_then(|response| response.hits.into_iter().next()?.matching);
    found.unwrap_or(MatchingChildren { all: false, labels: Vec::new() })
}

/// Evaluates a request on some entries.
pub(crate) fn evaluate(
    entries: Vec<SearchEntry>,
    request: &IndexRequest,
) -> Result<SearchResult, IndexError> {
    let index = ReferenceIndex::new();
    index.apply(IndexBatch { put: entries, ..IndexBatch::default() })?;
    index.search(request)
}

/// Returns the error of a request that OpenSearch cannot express and that has too many matches for the reference
/// evaluator.
pub(crate) fn too_many_entries(found: u64) -> IndexError {
    IndexError::Refused(format!(
        "A sort or facet with such a filter can be answered for at most {ENTRIES_MAX} results, and there are {found}. Narrow the query, or use \
         filters that combine conditions on the resource, its parts and their parts by 'and' alone."
    ))
}
