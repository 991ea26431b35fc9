//! Reads of documents and of the small tables (counts, counters, positions, settings, log state), on one connection.
//! Each row's checksum is compared, and a lookup without a result is checked by `absence`.

use std::{borrow::Cow, collections::HashMap, ops::ControlFlow};

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, Statement};

use super::{
    absence,
    cache::KeyHolder,
    checksum::{self, DocumentRow},
    compression, entries,
    index_reads::NumberedPath,
    name_number::NameNumber,
    row_cache::RowState,
    statements::Sql,
};
use crate::{Result, ScanDirection, Seq, StoredDocument, StoredDocumentRef};

/// Returns a document.
pub(super) fn document(
    connection: &Connection,
    kind: NameNumber,
    id: &str,
) -> Result<Option<StoredDocument>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, version, revision, sequence, body, sum FROM documents WHERE kind = ?1 AND id = ?2",
    )?;
    let found = statement.query_row((kind, id), |row| stored(row, kind)).optional()?;
    if found.is_none() {
        absence::check_document(connection, kind, id)?;
    }
    Ok(found)
}

/// The numbers of texts that one statement looks up: few or many, so that only two statements of each form are
/// prepared.
const TEXTS_OF_STATEMENT: [usize; 2] = [8, 128];

/// Returns documents of a kind by id, with as many ids a statement as [`TEXTS_OF_STATEMENT`] says.
pub(super) fn documents(
    connection: &Connection,
    kind: NameNumber,
    ids: &[&str],
) -> Result<HashMap<String, StoredDocument>> {
    let select = "SELECT id, version, revision, sequence, body, sum FROM documents WHERE kind = ? AND id";
    let mut found = HashMap::with_capacity(ids.len());
    for_each_text(connection, select, &[kind], ids, |row| {
        let document = stored(row, kind)?;
        found.insert(document.id.clone(), document);
        Ok(())
    })?;
    for id in ids.iter().filter(|id| !found.contains_key(**id)) {
        absence::check_document(connection, kind, id)?;
    }
    Ok(found)
}

/// Minimum bytes of a document whose body is read once for all of its requested keys.
const SHARED_BYTES_MIN: usize = 16 * 1024;

/// Returns the documents with unique keys, by value; with as many values a statement as [`documents`] has ids.
pub(super) fn documents_by_unique(
    connection: &Connection,
    kind: NameNumber,
    path: NameNumber,
    values: &[&str],
) -> Result<HashMap<String, StoredDocument>> {
    let select = "SELECT d.id, d.version, d.revision, d.sequence, d.body, d.sum, d.entries, d.record, u.value
         FROM unique_keys u JOIN documents d ON d.kind = u.kind AND d.id = u.id
         WHERE u.kind = ? AND u.path = ? AND u.value";
    let mut found = HashMap::with_capacity(values.len());
    let mut large: Vec<StoredDocument> = Vec::new();
    for_each_text(connection, select, &[kind, path], values, |row| {
        let value: String = row.get(8)?;
        // One document may have all the keys, e.g. a product its SKUs: the body of a large one is read once.
        let document = stored_with_key(row, NumberedPath { kind, path }, &value, &large)?;
        if document.body.len() >= SHARED_BYTES_MIN && !large.iter().any(|known| known.id == document.id) {
            large.push(document.clone());
        }
        found.insert(value, document);
        Ok(())
    })?;
    for value in values.iter().filter(|value| !found.contains_key(**value)) {
        absence::check_unique(connection, NumberedPath { kind, path }, value)?;
    }
    Ok(found)
}

/// Visits the rows of a `SELECT` that ends with a column to compare with the texts.
fn for_each_text(
    connection: &Connection,
    select: &str,
    numbers: &[NameNumber],
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
        // Parameters without a text are null, which equals no text.
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

/// Returns the document with a unique key.
pub(super) fn document_by_unique(
    connection: &Connection,
    kind: NameNumber,
    path: NameNumber,
    value: &str,
) -> Result<Option<StoredDocument>> {
    let mut statement = connection.prepare_cached(
        "SELECT d.id, d.version, d.revision, d.sequence, d.body, d.sum, d.entries, d.record
         FROM unique_keys u JOIN documents d ON d.kind = u.kind AND d.id = u.id
         WHERE u.kind = ?1 AND u.path = ?2 AND u.value = ?3",
    )?;
    let place = NumberedPath { kind, path };
    let found =
        statement.query_row((kind, path, value), |row| stored_with_key(row, place, value, &[])).optional()?;
    if found.is_none() {
        absence::check_unique(connection, place, value)?;
    }
    Ok(found)
}

/// Returns the id of the document with a unique key.
pub(super) fn unique_holder_id(
    connection: &Connection,
    kind: NameNumber,
    path: NameNumber,
    value: &str,
) -> Result<Option<String>> {
    let mut statement = connection
        .prepare_cached("SELECT id FROM unique_keys WHERE kind = ?1 AND path = ?2 AND value = ?3")?;
    Ok(statement.query_row((kind, path, value), |row| row.get(0)).optional()?)
}

/// Returns the holder of a unique key, with its revision.
pub(super) fn unique_holder(
    connection: &Connection,
    kind: NameNumber,
    path: NameNumber,
    value: &str,
) -> Result<Option<KeyHolder>> {
    let mut statement = connection.prepare_cached(
        "SELECT d.number, d.version, d.revision, d.entries, d.record, d.sum, d.id
         FROM unique_keys u JOIN documents d ON d.kind = u.kind AND d.id = u.id
         WHERE u.kind = ?1 AND u.path = ?2 AND u.value = ?3",
    )?;
    let holder = |row: &Row<'_>| {
        let id: String = row.get(6)?;
        match RowState::from_row(row, kind, &id) {
            Ok(Some(state)) if entries::has_unique(&state.entries, path, value) => {
                Ok(KeyHolder { id: id.into(), revision: state.revision })
            }
            _ => Err(checksum::row_error(checksum::damaged_row("unique key of the document", kind, &id))),
        }
    };
    let found = statement.query_row((kind, path, value), holder).optional()?;
    if found.is_none() {
        absence::check_unique(connection, NumberedPath { kind, path }, value)?;
    }
    Ok(found)
}

/// Visits the documents of a kind by id.
pub(super) fn scan(
    connection: &Connection,
    kind: NameNumber,
    direction: ScanDirection,
    after: Option<&str>,
    visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
) -> Result<()> {
    let (comparison, sort) = match direction {
        ScanDirection::Ascending => (">", "ASC"),
        ScanDirection::Descending => ("<", "DESC"),
    };
    let from = if after.is_some() { format!("AND id {comparison} ?2") } else { String::new() };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT id, version, revision, sequence, body, sum FROM documents
         WHERE kind = ?1 {from} ORDER BY id {sort}"
    ))?;
    let mut rows = match after {
        Some(after) => statement.query((kind, after))?,
        None => statement.query((kind,))?,
    };
    let mut last = after.unwrap_or_default().to_owned();
    while let Some(row) = rows.next()? {
        let document = read_checked_row(row, kind)?;
        // Wrong order: a damaged index entry names another row, and the right row is missing.
        let is_behind = match direction {
            ScanDirection::Ascending => document.id > last.as_str(),
            ScanDirection::Descending => document.id < last.as_str(),
        };
        if !is_behind && !last.is_empty() {
            return Err(checksum::damaged_row("index row of the document", kind, document.id));
        }
        last.clear();
        last.push_str(document.id);
        let body = decompress_body(&document, kind)?;
        if visit(StoredDocumentRef { body: &body, ..document }).is_break() {
            break;
        }
    }
    Ok(())
}

/// Visits a document that an index row names. Fails if the document is missing.
pub(super) fn visit_document(
    connection: &Connection,
    NumberedPath { kind, .. }: NumberedPath,
    id: &str,
    visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, version, revision, sequence, body, sum FROM documents WHERE kind = ?1 AND id = ?2",
    )?;
    let mut rows = statement.query((kind, id))?;
    let Some(row) = rows.next()? else {
        return Err(checksum::damaged_row("index row of a document", kind, id));
    };
    let document = read_checked_row(row, kind)?;
    let body = decompress_body(&document, kind)?;
    Ok(visit(StoredDocumentRef { body: &body, ..document }))
}

/// Returns the number of documents of a kind.
pub(super) fn count(connection: &Connection, kind: NameNumber) -> Result<u64> {
    let mut statement = connection.prepare_cached(Sql::FindCount.text())?;
    Ok(count_by(&mut statement, kind)?.unsigned_abs())
}

/// Returns the number of documents of a kind, by the prepared [`Sql::FindCount`].
pub(super) fn count_by(find: &mut Statement<'_>, kind: NameNumber) -> Result<i64> {
    let damaged = || checksum::damaged_row("number of documents", kind, "");
    let mut rows = find.query((kind,))?;
    let Some(row) = rows.next()? else { return Ok(0) };
    let (count, sum) = (row.get(0).map_err(|_| damaged())?, row.get(1).map_err(|_| damaged())?);
    if checksum::is_valid(sum, &[kind.into(), count], &[]) { Ok(count) } else { Err(damaged()) }
}

/// Returns the value of a counter; 0 if it was never written.
pub(super) fn read_counter(connection: &Connection, counter: &str) -> Result<i64> {
    let mut statement = connection.prepare_cached("SELECT value, sum FROM counters WHERE name = ?1")?;
    let value = |row: &Row<'_>| checksum::named_number(row, "counter", counter);
    Ok(statement.query_row((counter,), value).optional()?.unwrap_or(0))
}

/// Returns the position of a consumer; 0 if it never stored one.
pub(super) fn position(connection: &Connection, consumer: &str) -> Result<Seq> {
    let mut statement = connection.prepare_cached("SELECT seq, sum FROM positions WHERE consumer = ?1")?;
    let seq = |row: &Row<'_>| checksum::named_number(row, "position", consumer);
    let seq: Option<i64> = statement.query_row((consumer,), seq).optional()?;
    Ok(seq.unwrap_or(0).unsigned_abs())
}

/// Returns the value of a setting.
pub(super) fn read_setting(connection: &Connection, name: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT value, sum FROM settings WHERE name = ?1")?;
    Ok(statement.query_row((name,), |row| setting_value(row, name)).optional()?)
}

/// Returns the value of a setting from the columns value and sum.
pub(super) fn setting_value(row: &Row<'_>, name: &str) -> rusqlite::Result<String> {
    let damaged = || checksum::row_error(checksum::damaged_value("setting", name));
    let value: String = row.get(0).map_err(|_| damaged())?;
    let sum = row.get(1).map_err(|_| damaged())?;
    if checksum::is_valid(sum, &[], &[name.as_bytes(), value.as_bytes()]) {
        Ok(value)
    } else {
        Err(damaged())
    }
}

/// The state of the change log.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogState {
    pub(super) epoch: u64,
    /// The position of the newest removed entry.
    pub(super) base: Seq,
    /// The position of the newest entry, removed or not.
    pub(super) newest: Seq,
    /// The position up to which no index rows are deferred.
    pub(super) indexed: Seq,
}

/// Returns the state of the change log.
pub(super) fn log_state(connection: &Connection) -> Result<LogState> {
    let mut statement = connection.prepare_cached(
        "SELECT epoch, base, max(base, (SELECT coalesce(max(last), 0) FROM changes)), indexed, sum FROM log_state",
    )?;
    let unsigned = |row: &Row<'_>, column| row.get(column).map(i64::unsigned_abs);
    Ok(statement.query_row([], |row| {
        if !checksum::is_valid(row.get(4)?, &[row.get(0)?, row.get(1)?, row.get(3)?], &[]) {
            return Err(checksum::row_error(checksum::damaged_value("state of the change log", "")));
        }
        let (epoch, base) = (unsigned(row, 0)?, unsigned(row, 1)?);
        Ok(LogState { epoch, base, newest: unsigned(row, 2)?, indexed: unsigned(row, 3)? })
    })?)
}

/// Updates the checksum of the log state, after a column was written.
pub(super) fn update_log_state_checksum(connection: &Connection) -> Result<()> {
    let mut find = connection.prepare_cached("SELECT epoch, base, indexed FROM main.log_state")?;
    let numbers: [i64; 3] = find.query_row([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
    let sum = checksum::row_checksum(&numbers, &[]);
    connection.prepare_cached("UPDATE main.log_state SET sum = ?1")?.execute([sum])?;
    Ok(())
}

fn stored(row: &Row<'_>, kind: NameNumber) -> rusqlite::Result<StoredDocument> {
    owned(read_checked_row(row, kind)?, kind)
}

fn owned(document: StoredDocumentRef<'_>, kind: NameNumber) -> rusqlite::Result<StoredDocument> {
    let body = decompress_body(&document, kind)?;
    Ok(StoredDocument {
        id: document.id.to_owned(),
        version: document.version,
        revision: document.revision,
        sequence: document.sequence,
        body: Bytes::from(body.into_owned()),
    })
}

/// Returns a document found by a unique key, from the columns of [`checked`], entries and record. A damaged key may
/// lead to a document without that key, which is an error.
fn stored_with_key(
    row: &Row<'_>,
    numbered_path: NumberedPath,
    value: &str,
    known: &[StoredDocument],
) -> rusqlite::Result<StoredDocument> {
    let NumberedPath { kind, path } = numbered_path;
    let document = read_checked_row(row, kind)?;
    let StoredDocumentRef { id, version, revision, .. } = document;
    let has_key = |row: &Row<'_>| -> Result<bool> {
        let entries = row.get_ref(6)?.as_blob().map_err(rusqlite::Error::from)?;
        let of = DocumentRow { kind, id, version, revision };
        Ok(of.has_entries(row.get(5)?, entries, row.get(7)?)
            && entries::has_unique(&compression::decompress(entries)?, path, value))
    };
    if has_key(row).unwrap_or(false) {
        match known.iter().find(|known| known.id == id) {
            Some(known) => Ok(known.clone()),
            None => owned(document, kind),
        }
    } else {
        Err(checksum::row_error(checksum::damaged_row("unique key of the document", kind, id)))
    }
}

/// Returns a document with its body in the stored form, from the columns id, version, revision, sequence, body and sum,
/// after comparing the checksum.
fn read_checked_row<'r>(row: &'r Row<'_>, kind: NameNumber) -> rusqlite::Result<StoredDocumentRef<'r>> {
    let read = |row: &'r Row<'_>| -> rusqlite::Result<(StoredDocumentRef<'r>, Option<i64>)> {
        let document = StoredDocumentRef {
            id: row.get_ref(0)?.as_str()?,
            version: row.get(1)?,
            revision: row.get(2)?,
            sequence: row.get(3)?,
            body: row.get_ref(4)?.as_blob()?,
        };
        Ok((document, row.get(5)?))
    };
    // A column of the wrong type is damage, too.
    if let Ok((document, sum)) = read(row) {
        let StoredDocumentRef { id, version, revision, sequence, body } = document;
        if (DocumentRow { kind, id, version, revision }).has_body(sum, sequence, body) {
            return Ok(document);
        }
    }
    let id = row.get_ref(0).ok().and_then(|id| id.as_str().ok()).unwrap_or_default();
    Err(checksum::row_error(checksum::damaged_row("document", kind, id)))
}

fn decompress_body<'r>(
    document: &StoredDocumentRef<'r>,
    kind: NameNumber,
) -> rusqlite::Result<Cow<'r, [u8]>> {
    compression::decompress(document.body)
        .map_err(|_| checksum::row_error(checksum::damaged_row("document", kind, document.id)))
}
