//! Entries out of documents.

use kontor_engine::{Document, Rules, Searchable, Shop, storage_failure};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_search::Batch;

/// What a number of documents came to.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) batch: Batch,
    pub(crate) failed: u64,
}

/// The entries of resources as they are now; those that are gone or not to be found are deletions.
pub(crate) fn of_ids(shop: &Shop, searchable: &dyn Searchable, ids: &[&str]) -> ApiResult<Made> {
    let stored = shop.storage().get_many(searchable.kind(), ids).map_err(storage_failure)?;
    let bodies =
        ids.iter().zip(&stored).map(|(id, stored)| (*id, stored.as_ref().map(|stored| &*stored.body)));
    Ok(of_bodies(shop, searchable, bodies))
}

/// The entries of documents; `None` in the place of one that is gone.
pub(crate) fn of_bodies<'a>(
    shop: &Shop,
    searchable: &dyn Searchable,
    bodies: impl Iterator<Item = (&'a str, Option<&'a [u8]>)>,
) -> Made {
    shop.read_by_rules(|rules| {
        let mut made = Made::default();
        for (id, body) in bodies {
            match body.map(|body| entry(body, searchable, rules)).transpose() {
                Ok(Some(Some(entry))) => made.batch.put.push(entry),
                Ok(_) => made.batch.delete.push(id.to_owned()),
                Err(error) => {
                    tracing::warn!(project = %shop.key, search = searchable.name(), id, %error, "no entry for the search index");
                    made.failed += 1;
                    made.batch.delete.push(id.to_owned());
                }
            }
        }
        made
    })
}

fn entry(
    body: &[u8],
    searchable: &dyn Searchable,
    rules: &Rules<'_>,
) -> ApiResult<Option<kontor_search::Entry>> {
    let document: Document = match kontor_json::from_slice(body) {
        Ok(Value::Object(document)) => document,
        _ => return Err(ApiError::bug("a stored document is no JSON object")),
    };
    searchable.entry(&document, rules)
}
