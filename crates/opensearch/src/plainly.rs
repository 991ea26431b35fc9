//! Evaluates requests by the reference evaluator, on entries found by OpenSearch: determines matching children, and
//! handles the few requests that OpenSearch cannot express.

use kontor_search::plain::PlainIndex;
use kontor_search::{Answer, Batch, Entry, IndexError, Matching, Query, Request, SearchIndex as _};

/// Maximum number of entries of a request that are evaluated this way.
pub(crate) const ENTRIES_MAX: usize = 10_000;

/// Returns the children of an entry that match a query.
pub(crate) fn matching(entry: Option<Entry>, query: Option<&Query>) -> Matching {
    let everything = Matching { all: true, labels: Vec::new() };
    let (Some(query), Some(entry)) = (query.filter(|query| query.asks_of_children()), entry) else {
        return everything;
    };
    let request = Request { query: Some(query.clone()), limit: 1, mark_matching: true, ..Request::default() };
    let found =
        answer(vec![entry], &request).ok().and_then(|answer| answer.hits.into_iter().next()?.matching);
    found.unwrap_or(Matching { all: false, labels: Vec::new() })
}

/// Evaluates a request on some entries.
pub(crate) fn answer(entries: Vec<Entry>, request: &Request) -> Result<Answer, IndexError> {
    let index = PlainIndex::new();
    index.apply(Batch { put: entries, ..Batch::default() })?;
    index.search(request)
}

/// Returns the error of a request that OpenSearch cannot express and that has too many matches for the reference
/// evaluator.
pub(crate) fn refused(found: u64) -> IndexError {
    IndexError::Refused(format!(
        "A sort or facet with such a filter can be answered for at most {ENTRIES_MAX} results, and there are {found}. Narrow the query, or use \
         filters that combine conditions on the resource, its parts and their parts by 'and' alone."
    ))
}
