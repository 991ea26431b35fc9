//! Converts documents into index entries, on several threads.

use bytes::Bytes;
use kontor_engine::{Rules, Searchable, Shop, document, storage_failure};
use kontor_errors::ApiResult;
use kontor_search::Batch;
use rayon::prelude::*;

/// Documents that one thread converts one after the other. They share the documents looked up for them.
const MADE_BY_ONE: usize = 32;

/// The id of a document, and its stored bytes; `None` if it was deleted.
type Body<'a> = (&'a str, Option<&'a Bytes>);

/// The entries and deletions for a number of documents, and how many conversions failed.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) batch: Batch,
    pub(crate) failed: u64,
}

/// Reads documents, and returns their entries; deletions for deleted documents and those that are not searchable.
pub(crate) fn of_ids(shop: &Shop, searchable: &dyn Searchable, ids: &[&str]) -> ApiResult<Made> {
    let stored = shop.storage().get_many(searchable.kind(), ids).map_err(storage_failure)?;
    let bodies = ids.iter().zip(&stored);
    let bodies = bodies.map(|(id, stored)| (*id, stored.as_ref().map(|stored| &stored.body)));
    Ok(of_bodies(shop, searchable, &bodies.collect::<Vec<_>>()))
}

/// Returns the entries of documents; `None` for a deleted one. Entries are made in parallel.
pub(crate) fn of_bodies(shop: &Shop, searchable: &dyn Searchable, bodies: &[Body<'_>]) -> Made {
    let parts = bodies.par_chunks(MADE_BY_ONE).map(|part| of_part(shop, searchable, part));
    parts.reduce(Made::default, |mut all, part| {
        all.batch.put.extend(part.batch.put);
        all.batch.delete.extend(part.batch.delete);
        all.failed += part.failed;
        all
    })
}

fn of_part(shop: &Shop, searchable: &dyn Searchable, bodies: &[Body<'_>]) -> Made {
    shop.read_by_rules(|rules| {
        let mut made = Made::default();
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
) -> ApiResult<Option<kontor_search::Entry>> {
    let document = document::read_without(searchable.unread(), body)?;
    searchable.entry(&document, rules)
}
