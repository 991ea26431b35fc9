//! The reads of documents and of the small tables, on one connection.

use std::{collections::HashMap, ops::ControlFlow};

use rusqlite::{Connection, OptionalExtension, Row};

use super::{cache::Holder, names::Number, packed};
use crate::{Result, ScanDirection, Seq, Stored, StoredRef};

/// A document.
pub(super) fn document(connection: &Connection, kind: Number, id: &str) -> Result<Option<Stored>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, version, revision, sequence, body FROM documents WHERE kind = ?1 AND id = ?2",
    )?;
    Ok(statement.query_row((kind, id), stored).optional()?)
}

/// Texts that one statement looks up: few or many, so that there are no more than two statements of each sort.
const TEXTS_OF_STATEMENT: [usize; 2] = [8, 128];

/// Documents of a kind by their ids: one statement for as many as [`TEXTS_OF_STATEMENT`] says.
pub(super) fn documents(
    connection: &Connection,
    kind: Number,
    ids: &[&str],
) -> Result<HashMap<String, Stored>> {
    let select = "SELECT id, version, revision, sequence, body FROM documents WHERE kind = ? AND id";
    let mut found = HashMap::with_capacity(ids.len());
    each_of(connection, select, &[kind], ids, |row| {
        let document = stored(row)?;
        found.insert(document.id.clone(), document);
        Ok(())
    })?;
    Ok(found)
}

/// The body of a document of this size or more is read once for all keys that it holds.
const SHARED_BYTES_MIN: usize = 16 * 1024;

/// The documents that hold unique keys, by the values of these: as many statements as for their ids.
pub(super) fn documents_by_unique(
    connection: &Connection,
    kind: Number,
    path: Number,
    values: &[&str],
) -> Result<HashMap<String, Stored>> {
    let select = "SELECT d.id, d.version, d.revision, d.sequence, d.body, u.value
         FROM unique_keys u JOIN documents d ON d.kind = u.kind AND d.id = u.id
         WHERE u.kind = ? AND u.path = ? AND u.value";
    let mut found = HashMap::with_capacity(values.len());
    let mut large: Vec<Stored> = Vec::new();
    each_of(connection, select, &[kind, path], values, |row| {
        // One document may hold all the keys, as a product holds its SKUs: the body of a large one is read once.
        let id = row.get_ref(0)?.as_str()?;
        let stored = match large.iter().find(|known| known.id == id) {
            Some(known) => known.clone(),
            None => stored(row)?,
        };
        if stored.body.len() >= SHARED_BYTES_MIN && !large.iter().any(|known| known.id == stored.id) {
            large.push(stored.clone());
        }
        found.insert(row.get(5)?, stored);
        Ok(())
    })?;
    Ok(found)
}

/// Visits the rows of a `SELECT` that ends in a column which must be one of some texts.
fn each_of(
    connection: &Connection,
    select: &str,
    numbers: &[Number],
    texts: &[&str],
    mut visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> Result<()> {
    let [few, many] = TEXTS_OF_STATEMENT;
    for part in texts.chunks(many) {
        let places = if part.len() <= few { few } else { many };
        let statement = format!("{select} IN ({})", vec!["?"; places].join(","));
        let mut statement = connection.prepare_cached(&statement)?;
        for (place, number) in numbers.iter().enumerate() {
            statement.raw_bind_parameter(place + 1, number)?;
        }
        // A place without a text is null, which no text is.
        for place in 0..places {
            statement.raw_bind_parameter(numbers.len() + place + 1, part.get(place).copied())?;
        }
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            visit(row)?;
        }
    }
    Ok(())
}

/// The document that holds a unique key.
pub(super) fn document_by_unique(
    connection: &Connection,
    kind: Number,
    path: Number,
    value: &str,
) -> Result<Option<Stored>> {
    let mut statement = connection.prepare_cached(
        "SELECT d.id, d.version, d.revision, d.sequence, d.body
         FROM unique_keys u JOIN documents d ON d.kind = u.kind AND d.id = u.id
         WHERE u.kind = ?1 AND u.path = ?2 AND u.value = ?3",
    )?;
    Ok(statement.query_row((kind, path, value), stored).optional()?)
}

/// The id of the document that holds a unique key.
pub(super) fn unique(
    connection: &Connection,
    kind: Number,
    path: Number,
    value: &str,
) -> Result<Option<String>> {
    let mut statement = connection
        .prepare_cached("SELECT id FROM unique_keys WHERE kind = ?1 AND path = ?2 AND value = ?3")?;
    Ok(statement.query_row((kind, path, value), |row| row.get(0)).optional()?)
}

/// Who holds a unique key, and its revision.
pub(super) fn holder(
    connection: &Connection,
    kind: Number,
    path: Number,
    value: &str,
) -> Result<Option<Holder>> {
    let mut statement = connection.prepare_cached(
        "SELECT d.id, d.revision FROM unique_keys u JOIN documents d ON d.kind = u.kind AND d.id = u.id
         WHERE u.kind = ?1 AND u.path = ?2 AND u.value = ?3",
    )?;
    let holder = |row: &Row<'_>| Ok(Holder { id: row.get::<_, String>(0)?.into(), revision: row.get(1)? });
    Ok(statement.query_row((kind, path, value), holder).optional()?)
}

/// Visits the documents of a kind.
pub(super) fn scan(
    connection: &Connection,
    kind: Number,
    direction: ScanDirection,
    after: Option<&str>,
    visit: &mut dyn FnMut(StoredRef<'_>) -> ControlFlow<()>,
) -> Result<()> {
    let (comparison, sort) = match direction {
        ScanDirection::Ascending => (">", "ASC"),
        ScanDirection::Descending => ("<", "DESC"),
    };
    let from = if after.is_some() { format!("AND id {comparison} ?2") } else { String::new() };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT id, version, revision, sequence, body FROM documents
         WHERE kind = ?1 {from} ORDER BY id {sort}"
    ))?;
    let mut rows = match after {
        Some(after) => statement.query((kind, after))?,
        None => statement.query((kind,))?,
    };
    while let Some(row) = rows.next()? {
        if visit(stored_ref(row, &packed::column(row, 4)?)?).is_break() {
            break;
        }
    }
    Ok(())
}

/// Visits one document, where it is there.
pub(super) fn visit_document(
    connection: &Connection,
    kind: Number,
    id: &str,
    visit: &mut dyn FnMut(StoredRef<'_>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, version, revision, sequence, body FROM documents WHERE kind = ?1 AND id = ?2",
    )?;
    let mut rows = statement.query((kind, id))?;
    match rows.next()? {
        Some(row) => Ok(visit(stored_ref(row, &packed::column(row, 4)?)?)),
        None => Ok(ControlFlow::Continue(())),
    }
}

/// How many documents of a kind there are.
pub(super) fn count(connection: &Connection, kind: Number) -> Result<u64> {
    let mut statement = connection.prepare_cached("SELECT documents FROM counts WHERE kind = ?1")?;
    let count: Option<i64> = statement.query_row((kind,), |row| row.get(0)).optional()?;
    Ok(count.unwrap_or(0).unsigned_abs())
}

/// The value of a counter.
pub(super) fn counter(connection: &Connection, counter: &str) -> Result<i64> {
    let mut statement = connection.prepare_cached("SELECT value FROM counters WHERE name = ?1")?;
    Ok(statement.query_row((counter,), |row| row.get(0)).optional()?.unwrap_or(0))
}

/// How far a consumer has come.
pub(super) fn position(connection: &Connection, consumer: &str) -> Result<Seq> {
    let mut statement = connection.prepare_cached("SELECT seq FROM positions WHERE consumer = ?1")?;
    let seq: Option<i64> = statement.query_row((consumer,), |row| row.get(0)).optional()?;
    Ok(seq.unwrap_or(0).unsigned_abs())
}

/// The value of a setting.
pub(super) fn setting(connection: &Connection, name: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT value FROM settings WHERE name = ?1")?;
    Ok(statement.query_row((name,), |row| row.get(0)).optional()?)
}

/// Where the change log stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogState {
    pub(super) epoch: u64,
    /// The position up to which no entry is kept.
    pub(super) base: Seq,
    /// The position of the newest entry, kept or not.
    pub(super) newest: Seq,
    /// The position up to which no index row waits.
    pub(super) indexed: Seq,
}

/// Where the change log stands.
pub(super) fn log_state(connection: &Connection) -> Result<LogState> {
    let mut statement = connection.prepare_cached(
        "SELECT epoch, base, max(base, (SELECT coalesce(max(last), 0) FROM changes)), indexed FROM log_state",
    )?;
    let unsigned = |row: &Row<'_>, column| row.get(column).map(i64::unsigned_abs);
    Ok(statement.query_row([], |row| {
        let (epoch, base) = (unsigned(row, 0)?, unsigned(row, 1)?);
        Ok(LogState { epoch, base, newest: unsigned(row, 2)?, indexed: unsigned(row, 3)? })
    })?)
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored {
        id: row.get(0)?,
        version: row.get(1)?,
        revision: row.get(2)?,
        sequence: row.get(3)?,
        body: packed::bytes(row, 4)?,
    })
}

fn stored_ref<'a>(row: &'a Row<'_>, body: &'a [u8]) -> rusqlite::Result<StoredRef<'a>> {
    Ok(StoredRef {
        id: row.get_ref(0)?.as_str()?,
        version: row.get(1)?,
        revision: row.get(2)?,
        sequence: row.get(3)?,
        body,
    })
}
