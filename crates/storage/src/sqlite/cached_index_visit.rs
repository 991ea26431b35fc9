//! Runs index queries on the cache, without SQLite: after each commit a connection drops its pages and maps the
//! file again, which costs more than most of these queries find.

use std::ops::ControlFlow;

use rusqlite::Connection;

use super::{
    Sqlite,
    cache::{CacheLookup, ValueHolders},
    index_reads::{self, NumberedPath},
};
use crate::{IndexPage, IndexRange, IndexValue, Result, StoredDocumentRef};

/// Maximum number of documents of a query, and of ids cached for a value. Enough for the stock and the Discount Codes
/// of a Cart; larger queries are worth a read.
const HOLDERS_MAX: usize = 64;

/// Visits the matches of a query that the cache has, or has after a read. Returns false, without a visit, if the query
/// must be run on the file.
pub(super) fn visit(
    sqlite: &Sqlite,
    path: NumberedPath,
    range: &IndexRange,
    page: &IndexPage,
    visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
) -> Result<bool> {
    let Some(values) = texts(range, page) else { return Ok(false) };
    let cache = &sqlite.shared.cache;
    let generation = cache.generation();
    let Some(mut ids) = ids_of(sqlite, path, &values)? else { return Ok(false) };
    if let Some(limit) = page.limit {
        ids.truncate(limit);
    }
    let mut documents = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(Some(document)) = sqlite.document_unless_busy(path.kind, &id)? else { return Ok(false) };
        documents.push((id, document));
    }
    // The entries belong to one snapshot only if the writer has changed nothing meanwhile.
    if !cache.is_still_at(generation) {
        return Ok(false);
    }
    for (id, document) in &documents {
        if visit(document.borrowed(id)).is_break() {
            break;
        }
    }
    Ok(true)
}

/// Returns the values of a query that the cache can answer: texts, few, and from the first match.
fn texts<'r>(range: &'r IndexRange, page: &IndexPage) -> Option<Vec<&'r str>> {
    let IndexRange::In(values) = range else { return None };
    let is_from_the_first = *page == IndexPage { limit: page.limit, ..IndexPage::default() };
    if !is_from_the_first || values.len() > HOLDERS_MAX {
        return None;
    }
    let text = |value: &'r IndexValue| match value {
        IndexValue::Text(text) => Some(text.as_str()),
        IndexValue::Integer(_) | IndexValue::Real(_) => None,
    };
    values.iter().map(text).collect()
}

/// Returns the ids of the documents with one of the values, each once and sorted; `None` if there are many, or another
/// thread is about to fill an entry.
fn ids_of(sqlite: &Sqlite, path: NumberedPath, values: &[&str]) -> Result<Option<Vec<Box<str>>>> {
    let mut ids: Vec<Box<str>> = Vec::new();
    for value in values {
        match holders(sqlite, path, value)? {
            Some(ValueHolders::Few(holders)) if ids.len() + holders.len() <= HOLDERS_MAX => {
                ids.extend_from_slice(&holders);
            }
            _ => return Ok(None),
        }
    }
    if values.len() > 1 {
        ids.sort_unstable();
        ids.dedup();
    }
    Ok(Some(ids))
}

fn holders(sqlite: &Sqlite, numbered_path: NumberedPath, value: &str) -> Result<Option<ValueHolders>> {
    match sqlite.shared.cache.holders(numbered_path.kind, numbered_path.path, value) {
        CacheLookup::Hit(holders) => Ok(Some(holders)),
        CacheLookup::Busy => Ok(None),
        CacheLookup::Miss(filling) => {
            let holders = sqlite.read(|connection| read_holders(connection, numbered_path, value))?;
            // The insert fails if the writer was faster, which is the purpose of placeholders.
            let _ = filling.insert(holders.clone());
            Ok(Some(holders))
        }
    }
}

fn read_holders(connection: &Connection, path: NumberedPath, value: &str) -> Result<ValueHolders> {
    let mut ids: Vec<Box<str>> = Vec::new();
    let page = IndexPage::first(HOLDERS_MAX + 1);
    index_reads::visit_ids(connection, path, &IndexRange::equal(value), &page, &mut |id| {
        ids.push(id.into());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(if ids.len() <= HOLDERS_MAX { ValueHolders::Few(ids.into()) } else { ValueHolders::Many })
}
