//! The embedded index answers as the plain search does, on random catalogs and random requests.
//!
//! A failure prints the seed of its catalog, what differs and the request. `KONTOR_SEARCH_SEED=…` tries that catalog alone,
//! `KONTOR_SEARCH_CATALOGS=…` more of them than a usual run.

#![allow(clippy::unwrap_used)]

mod catalog;
mod requests;
mod shrink;

use kontor_search::plain::PlainIndex;
use kontor_search::{
    Answer, Batch, EmbeddedIndex, Entry, FacetResult, Position, Request, SearchIndex, SortBy,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Catalogs of a usual run, and requests to each.
const CATALOGS: u64 = 40;
const REQUESTS: usize = 60;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn the_index_answers_as_the_plain_search() {
    let seeds = match number("KONTOR_SEARCH_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("KONTOR_SEARCH_CATALOGS").unwrap_or(CATALOGS),
    };
    for seed in seeds {
        let mut random = StdRng::seed_from_u64(seed);
        let folder = tempfile::tempdir().unwrap();
        // Some are kept in a folder and opened anew after each batch.
        let is_kept = random.random_bool(0.3);
        let open = || match is_kept {
            true => EmbeddedIndex::open(folder.path()).unwrap(),
            false => EmbeddedIndex::in_memory().unwrap(),
        };
        let (plain, mut index) = (PlainIndex::new(), open());
        // In large ones conditions leave few entries of many, which are looked at in another way.
        let entries = if random.random_bool(0.2) { 400 } else { 40 };
        // Several batches, which replace and delete: the index has segments, and gaps in them.
        for seq in 0..random.random_range(1..5) {
            let batch =
                Batch { position: Position { seq, ..Position::default() }, ..batch(&mut random, entries) };
            plain.apply(batch.clone()).unwrap();
            index.apply(batch).unwrap();
            if is_kept {
                drop(index);
                index = open();
                assert_eq!(index.position(), plain.position(), "seed {seed}");
            }
        }
        assert_eq!(plain.len().unwrap(), index.len().unwrap(), "seed {seed}");
        for _ in 0..REQUESTS {
            let request = requests::request(&mut random);
            if let Some((request, difference)) = difference(&plain, &index, request) {
                panic!("seed {seed}: {difference}\n{request:?}");
            }
        }
    }
}

/// Where two indexes differ: on this request, or on a smaller one.
fn difference(plain: &PlainIndex, index: &EmbeddedIndex, request: Request) -> Option<(Request, String)> {
    let differ = |request: &Request| {
        compare(request, &plain.search(request).unwrap(), &index.search(request).unwrap()).err()
    };
    let mut found = (differ(&request)?, request);
    while let Some(smaller) =
        shrink::smaller(&found.1).into_iter().find_map(|smaller| Some((differ(&smaller)?, smaller)))
    {
        found = smaller;
    }
    Some((found.1, found.0))
}

fn batch(random: &mut StdRng, of: u32) -> Batch {
    let mut put: Vec<Entry> =
        (0..random.random_range(0..of / 3)).map(|_| catalog::entry(random, of)).collect();
    put.sort_by(|one, two| one.id.cmp(&two.id));
    put.dedup_by(|one, two| one.id == two.id);
    let gone: Vec<String> = (0..random.random_range(0..4)).map(|_| catalog::id(random, of)).collect();
    let delete = gone.into_iter().filter(|id| put.iter().all(|entry| entry.id != *id)).collect();
    Batch { put, delete, position: Position::default() }
}

/// What of two answers differs.
fn compare(request: &Request, expected: &Answer, found: &Answer) -> Result<(), String> {
    if expected.total != found.total {
        let (one, two) = (known(expected), known(found));
        return Err(format!("total {} is {}: {one:?} are {two:?}", expected.total, found.total));
    }
    let is_by_score = request.sort.is_empty() || request.sort.iter().any(|sort| sort.by == SortBy::Score);
    let (mut expected_hits, mut found_hits) = (known(expected), known(found));
    if is_by_score {
        // Relevance is the index's own business. Requests by it are made for all hits at once.
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

/// What is known of a hit: its id, whether all children match, and which.
type Known = (String, Option<(bool, Vec<String>)>);

fn known(answer: &Answer) -> Vec<Known> {
    let hits = answer.hits.iter();
    hits.map(|hit| {
        let matching = hit.matching.as_ref().map(|matching| (matching.all, matching.labels.clone()));
        (hit.id.clone(), matching)
    })
    .collect()
}

/// Figures may differ in the last digits: they are added up in another sequence.
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
