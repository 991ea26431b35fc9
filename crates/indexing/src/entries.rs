//! Converts documents into index entries.

use bytes::Bytes;
use kontor_engine::{Rules, Searchable, Shop, document, storage_failure};
use kontor_errors::ApiResult;
use kontor_search::Batch;
use rayon::prelude::*;

/// Documents whose entries one thread makes one after the other. They share what is looked up for them.
const MADE_BY_ONE: usize = 32;

/// The id of a document, and what is stored of it.
type Body<'a> = (&'a str, Option<&'a Bytes>);

/// The result for a number of documents.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) batch: Batch,
    pub(crate) failed: u64,
}

/// The entries of resources as they are now; those that are gone or not to be found are deletions.
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
                    tracing::warn!(project = %shop.key, search = searchable.name(), id, %error, "no entry for the search index");
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
