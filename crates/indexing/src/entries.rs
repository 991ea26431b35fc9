//! Converts documents into index entries, on several threads.

use bytes::Bytes;
use kontor_engine::{Rules, Searchable, Shop, document, storage_failure};
use kontor_errors::ApiResult;
use kontor_search::IndexBatch;
use rayon::prelude::*;

/// Documents that one thread converts one after the other. They share the documents looked up for them.
const MADE_BY_ONE: usize = 32;

/// The id of a document, and its stored bytes; `None` if it was deleted.
type StoredBody<'a> = (&'a str, Option<&'a Bytes>);

/// The entries and deletions for a number of documents, and how many conversions failed.
#[derive(Debug, Default)]
pub(crate) struct EntryBatch {
    pub(crate) batch: IndexBatch,
    pub(crate) failed: u64,
}

/// Reads documents, and returns their entries; deletions for deleted documents and those that are not searchable.
pub(crate) fn entries_of_ids(
    shop: &Shop,
    searchable: &dyn Searchable,
    ids: &[&str],
) -> ApiResult<EntryBatch> {
    let stored = shop.storage().get_many(searchable.kind(), ids).map_err(storage_failure)?;
    let bodies = ids.iter().zip(&stored);
    let bodies = bodies.map(|(id, stored)| (*id, stored.as_ref().map(|stored| &stored.body)));
    Ok(entries_of_bodies(shop, searchable, &bodies.collect::<Vec<_>>()))
}

/// Returns the entries of documents; `None` for a deleted one. Entries are made in parallel.
pub(crate) fn entries_of_bodies(
    shop: &Shop,
    searchable: &dyn Searchable,
    bodies: &[StoredBody<'_>],
) -> EntryBatch {
    let parts = bodies.par_chunks(MADE_BY_ONE).map(|part| entries_of_part(shop, searchable, part));
    parts.reduce(EntryBatch::default, |mut all, part| {
        all.batch.put.extend(part.batch.put);
        all.batch.delete.extend(part.batch.delete);
        all.failed += part.failed;
        all
    })
}

fn entries_of_part(shop: &Shop, searchable: &dyn Searchable, bodies: &[StoredBody<'_>]) -> EntryBatch {
    shop.read_by_rules(|rules| {
        let mut made = EntryBatch::default();
        for (id, body) in bodies {
            match body.map(|body| entry(body, searchable, rules)).transpose() {
                Ok(Some(Some(entry))) => made.batch.put.push(entry),
                Ok(_) => made.batch.delete.push((*id).to_owned()),
                Err(error) => {
                    tracing::warn!(project = %shop.key, search = searchable.name(), id, %error, "could not make an entry for the search index");
                    made.failed += 1;
                    made.batch.delete.push((*id).to_owned());
                }
            }
        }
        made
    })
}

fn entry(
    body: &Bytes,
    searchable: &dyn Searchable,
    rules: &Rules<'_>,
) -> ApiResult<Option<kontor_search::SearchEntry>> {
    let document = document::read_without(searchable.ignored_paths(), body)?;
    searchable.entry(&document, rules)
}
