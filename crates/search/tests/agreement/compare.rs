//! Compares the responses of two indexes.

use crate::{catalog, shrink};
use kontor_search::reference::ReferenceIndex;
use kontor_search::{FacetResult, IndexBatch, IndexRequest, SearchEntry, SearchIndex, SearchResult, SortBy};
use rand::Rng;
use rand::rngs::StdRng;

/// Returns the seeds of a run: the requested one, or a number of them.
pub(crate) fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    match number("KONTOR_SEARCH_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("KONTOR_SEARCH_CATALOGS").unwrap_or(usual),
    }
}

/// How often each request is repeated.
const ASKED: usize = 3;

/// Returns a difference between two indexes, on this request or on a smaller one.
pub(crate) fn difference(
    plain: &ReferenceIndex,
    index: &dyn SearchIndex,
    request: IndexRequest,
) -> Option<(IndexRequest, String)> {
    let differ = |request: &IndexRequest| {
        let expected = plain.search(request).unwrap();
        // A repeated request uses the cache of the first one.
        (0..ASKED).find_map(|_| compare(request, &expected, &index.search(request).unwrap()).err())
    };
    let mut found = (differ(&request)?, request);
    while let Some(smaller) =
        shrink::smaller(&found.1).into_iter().find_map(|smaller| Some((differ(&smaller)?, smaller)))
    {
        found = smaller;
    }
    Some((found.1, found.0))
}

/// Returns a batch of new, replaced and deleted entries.
pub(crate) fn batch(random: &mut StdRng, of: u32) -> IndexBatch {
    let mut put: Vec<SearchEntry> =
        (0..random.random_range(0..of / 3)).map(|_| catalog::entry(random, of)).collect();
    put.sort_by(|one, two| one.id.cmp(&two.id));
    put.dedup_by(|one, two| one.id == two.id);
    let gone: Vec<String> = (0..random.random_range(0..4)).map(|_| catalog::id(random, of)).collect();
    let delete = gone.into_iter().filter(|id| put.iter().all(|entry| entry.id != *id)).collect();
    IndexBatch { put, delete, ..IndexBatch::default() }
}

/// Returns the difference of two responses.
fn compare(request: &IndexRequest, expected: &SearchResult, found: &SearchResult) -> Result<(), String> {
    if expected.total != found.total {
        let (one, two) = (known(expected), known(found));
        return Err(format!("total {} is {}: {one:?} are {two:?}", expected.total, found.total));
    }
    let is_by_score = request.sort.is_empty() || request.sort.iter().any(|sort| sort.by == SortBy::Score);
    let (mut expected_hits, mut found_hits) = (known(expected), known(found));
    if is_by_score {
        // Scores may differ between indexes. Requests sorted by score have one page with all hits.
        expected_hits.sort();
        found_hits.sort();
    }
    if expected_hits != found_hits {
        return Err(format!("hits {expected_hits:?} are {found_hits:?}"));
    }
    for (one, two) in expected.facets.iter().zip(&found.facets) {
        if one.name != two.name || !is_same(&one.result, &two.result) {
            return Err(format!("facet {one:?} is {two:?}"));
        }
    }
    if expected.facets.len() == found.facets.len() { Ok(()) } else { Err("facets are missing".to_owned()) }
}

/// A hit: its id, whether all children match, and the matching ones.
type ComparedHit = (String, Option<(bool, Vec<String>)>);

fn known(response: &SearchResult) -> Vec<ComparedHit> {
    let hits = response.hits.iter();
    hits.map(|hit| {
        let matching = hit.matching.as_ref().map(|matching| (matching.all, matching.labels.clone()));
        (hit.id.clone(), matching)
    })
    .collect()
}

/// Whether two results are equal. Sums may differ in the last digits: the order of additions differs.
fn is_same(one: &FacetResult, two: &FacetResult) -> bool {
    let is_close = |one: Option<f64>, two: Option<f64>| match (one, two) {
        (Some(one), Some(two)) => (one - two).abs() <= 1e-9 * one.abs().max(1.0),
        (one, two) => one == two,
    };
    match (one, two) {
        (FacetResult::Stats(one), FacetResult::Stats(two)) => {
            (one.count, &one.min, &one.max) == (two.count, &two.min, &two.max)
                && is_close(one.mean, two.mean)
                && is_close(one.sum, two.sum)
        }
        (one, two) => one == two,
    }
}
