//! An index on an OpenSearch server gives the results of the plain search, on random catalogs and random requests: the
//! suite of the embedded index, over the same entries and requests.
//!
//! A failure prints the seed of its catalog, what differs and the request. `KONTOR_SEARCH_SEED=…` tries that catalog
//! alone, `KONTOR_SEARCH_CATALOGS=…` more of them than a usual run.

#![allow(clippy::unwrap_used)]

#[path = "../../search/tests/agreement/catalog.rs"]
mod catalog;
#[path = "../../search/tests/agreement/compare.rs"]
mod compare;
#[path = "../../search/tests/agreement/requests.rs"]
mod requests;
#[path = "../../search/tests/agreement/shrink.rs"]
mod shrink;

use compare::{batch, difference, seeds};
use kontor_indexing::IndexStore as _;
use kontor_opensearch::SearchServer;
use kontor_search::reference::ReferenceIndex;
use kontor_search::{IndexBatch, IndexPosition, SearchIndex as _};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Catalogs of a usual run, and requests to each.
const CATALOGS: u64 = 6;
const REQUESTS: usize = 60;

#[test]
fn opensearch_matches_the_reference_evaluator() {
    let Some(url) = kontor_tests_opensearch::url() else { return };
    let server = SearchServer::new(format!("{url}?prefix=agreement").parse().unwrap()).unwrap();
    for seed in seeds(CATALOGS) {
        let mut random = StdRng::seed_from_u64(seed);
        let project = format!("seed-{seed}");
        server.forget(&project);
        let (plain, mut index) = (ReferenceIndex::new(), server.open(&project, "things", "1").unwrap());
        let entries = if random.random_bool(0.2) { 400 } else { 40 };
        for seq in 0..random.random_range(1..5) {
            let position = IndexPosition { seq, is_complete: true, ..IndexPosition::default() };
            let batch = IndexBatch { position, as_of: seq, ..batch(&mut random, entries) };
            plain.apply(batch.clone()).unwrap();
            index.apply(batch).unwrap();
            if random.random_bool(0.3) {
                index = server.open(&project, "things", "1").unwrap();
                assert_eq!(index.position(), plain.position(), "seed {seed}");
            }
        }
        assert_eq!(plain.len().unwrap(), index.len().unwrap(), "seed {seed}");
        for _ in 0..REQUESTS {
            let request = requests::request(&mut random);
            if let Some((request, difference)) = difference(&plain, &*index, request) {
                panic!("seed {seed}: {difference}\n{request:?}");
            }
        }
        server.forget(&project);
    }
}
