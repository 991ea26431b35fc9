//! Documents by values of an indexed path, without asking SQLite: after each commit a connection forgets its pages and maps the
//! file anew, which costs more than what most of these questions find.

use std::ops::ControlFlow;

use rusqlite::Connection;

use super::{
    Sqlite,
    cache::{Holders, Lookup},
    index_reads::{self, IndexPath},
};
use crate::{IndexPage, IndexRange, IndexValue, Result, StoredRef};

/// The most documents of one question, and the most that hold a value for all of them to be kept in memory: a Cart has its stock
/// and its Discount Codes so, and larger questions are worth their read.
const HOLDERS_MAX: usize = 64;

/// Visits what a question finds, where memory has it, or has it from now on; false where the file is to be asked, and nothing
/// was visited.
pub(super) fn visit(
    sqlite: &Sqlite,
    place: IndexPath,
    range: &IndexRange,
    page: &IndexPage,
    visit: &mut dyn FnMut(StoredRef<'_>) -> ControlFlow<()>,
) -> Result<bool> {
    let Some(values) = texts(range, page) else { return Ok(false) };
    let cache = &sqlite.shared.cache;
    let generation = cache.generation();
    let Some(mut ids) = ids_of(sqlite, place, &values)? else { return Ok(false) };
    if let Some(limit) = page.limit {
        ids.truncate(limit);
    }
    let mut documents = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(Some(document)) = sqlite.document_unless_busy(place.kind, &id)? else { return Ok(false) };
        documents.push((id, document));
    }
    // All of it is of one state only if the writer has not gone on meanwhile.
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

/// The values that are asked for, where it is a question that memory may answer.
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

/// The ids of what holds one of the values, each once and sorted; `None` where there are many, or somebody else is about to find
/// out.
fn ids_of(sqlite: &Sqlite, place: IndexPath, values: &[&str]) -> Result<Option<Vec<Box<str>>>> {
    let mut ids: Vec<Box<str>> = Vec::new();
    for value in values {
        match holders(sqlite, place, value)? {
            Some(Holders::Few(holders)) if ids.len() + holders.len() <= HOLDERS_MAX => {
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

fn holders(sqlite: &Sqlite, place: IndexPath, value: &str) -> Result<Option<Holders>> {
    match sqlite.shared.cache.holders(place.kind, place.path, value) {
        Lookup::Hit(holders) => Ok(Some(holders)),
        Lookup::Busy => Ok(None),
        Lookup::Miss(filling) => {
            let holders = sqlite.read(|connection| read_holders(connection, place, value))?;
            // It fails where the writer was faster, which is the point of it.
            let _ = filling.insert(holders.clone());
            Ok(Some(holders))
        }
    }
}

fn read_holders(connection: &Connection, place: IndexPath, value: &str) -> Result<Holders> {
    let mut ids: Vec<Box<str>> = Vec::new();
    let page = IndexPage::first(HOLDERS_MAX + 1);
    index_reads::visit_ids(connection, place, &IndexRange::equal(value), &page, &mut |id| {
        ids.push(id.into());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(if ids.len() <= HOLDERS_MAX { Holders::Few(ids.into()) } else { Holders::Many })
}
