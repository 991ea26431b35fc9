//! The embedded index gives the same results as the reference evaluator, on random catalogs and random
//! requests.
//!
//! A failure prints the seed of its catalog, the difference and the request. `KONTOR_SEARCH_SEED=…` runs that
//! catalog alone, `KONTOR_SEARCH_CATALOGS=…` more of them than a usual run.

#![allow(clippy::unwrap_used)]

mod catalog;
mod compare;
mod requests;
mod shrink;

use compare::{batch, difference, seeds};
use kontor_search::reference::ReferenceIndex;
use kontor_search::{EmbeddedIndex, IndexBatch, IndexPosition, IndexRequest, SearchIndex as _};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The number of catalogs of a usual run; next, the number of requests to each.
const CATALOGS: u64 = 40;
const REQUESTS: usize = 50;
/// Requests that are added with each batch, and repeated after all later ones.
const REQUESTS_OF_BATCH: usize = 4;

#[test]
fn the_index_agrees_with_the_reference() {
    for seed in seeds(CATALOGS) {
        let mut random = StdRng::seed_from_u64(seed);
        let folder = tempfile::tempdir().unwrap();
        // Some indexes are stored in a folder and reopened after each batch.
        let is_kept = random.random_bool(0.3);
        let open = || match is_kept {
            true => EmbeddedIndex::open(folder.path()).unwrap(),
            false => EmbeddedIndex::in_memory().unwrap(),
        };
        let (plain, mut index) = (ReferenceIndex::new(), open());
        // In a large catalog, conditions leave few of many entries, which the index evaluates in another way.
        let entries = if random.random_bool(0.2) { 400 } else { 40 };
        let mut asked_again: Vec<IndexRequest> = Vec::new();
        // Several batches that replace and delete: the index gets several segments with deleted documents.
        for seq in 0..random.random_range(1..5) {
            let batch = IndexBatch {
                position: IndexPosition { seq, ..IndexPosition::default() },
                ..batch(&mut random, entries)
            };
            plain.apply(batch.clone()).unwrap();
            index.apply(batch).unwrap();
            if is_kept {
                drop(index);
                index = open();
                assert_eq!(index.position(), plain.position(), "seed {seed}");
            }
            // Cached data from before the batch must not be used for changed entries.
            asked_again.extend((0..REQUESTS_OF_BATCH).map(|_| requests::request(&mut random)));
            for request in &asked_again {
                if let Some((request, difference)) = difference(&plain, &index, request.clone()) {
                    panic!("seed {seed}, batch {seq}: {difference}\n{request:?}");
                }
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
