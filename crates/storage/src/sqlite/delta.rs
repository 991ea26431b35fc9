//! Reads the changes of a shop after a position, while commits continue.

use std::collections::HashMap;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _, Row, types::Value};

use super::{
    checksum::{self, DocumentRow},
    compression,
    entries::{self, IndexEntry},
    log,
    name_number::NameNumber,
    position::to_sqlite_integer,
    reads::{self, LogState},
    records,
};
use crate::{Delta, Error, IndexValue, NamedValues, Put, Result, Seq, UniqueKey};

/// Reads the changes of a shop from one snapshot. Fails with [`Error::Behind`] if entries after the position were
/// removed.
pub(super) fn read(connection: &Connection, after: Seq, limit: usize) -> Result<Delta> {
    let LogState { epoch, newest, .. } = reads::log_state(connection)?;
    let changes = log::read_changes(connection, after, limit)?;
    let last = changes.last().map_or(after, |change| change.seq);
    let names = names(connection)?;
    let numbers: HashMap<&str, NameNumber> = names.iter().map(|(number, name)| (&**name, *number)).collect();
    let mut find = connection.prepare_cached(
        "SELECT kind, id, version, revision, sequence, entries, body, record, sum FROM documents
         WHERE kind = ?1 AND id = ?2",
    )?;
    let (mut written, mut deleted, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let erased = Delta::deleted_documents(&changes);
    for (kind, id) in Delta::named_documents(&changes) {
        let kind_number = numbers.get(kind).ok_or(Error::Damaged("the name of a kind"))?;
        let first = if Delta::is_deleted(&erased, kind, id) { None } else { Some(after) };
        records::read_changes(connection, (*kind_number, kind), id, (first, last), &mut kept)?;
        let found = find.query_row((kind_number, id), |row| Ok(document(row, &names))).optional()?;
        match found.transpose()? {
            None => deleted.push((kind.to_owned(), id.to_owned())),
            Some((put, revision)) if revision <= to_sqlite_integer(last) => written.push((put, revision)),
            // A later entry names it.
            Some(_) => {}
        }
    }
    let rest = if last == newest { Some(read_named_values(connection)?) } else { None };
    kept.sort_unstable_by_key(|record| record.place);
    Ok(Delta { epoch, changes, written, deleted, records: kept, erased, rest })
}

/// Returns all data outside of documents.
pub(super) fn read_named_values(connection: &Connection) -> Result<NamedValues> {
    let positions = named_numbers(connection, "SELECT seq, sum, consumer FROM positions", "position")?;
    Ok(NamedValues {
        counters: read_counters(connection)?,
        settings: read_settings(connection)?,
        positions: positions.into_iter().map(|(consumer, seq)| (consumer, seq.unsigned_abs())).collect(),
    })
}

/// Returns all counters with their values.
pub(super) fn read_counters(connection: &Connection) -> Result<Vec<(String, i64)>> {
    named_numbers(connection, "SELECT value, sum, name FROM counters", "counter")
}

/// Returns all settings with their values.
pub(super) fn read_settings(connection: &Connection) -> Result<Vec<(String, String)>> {
    let mut statement = connection.prepare("SELECT value, sum, name FROM settings")?;
    let rows = statement.query_map([], |row| {
        let name: String = row.get(2)?;
        Ok((name.clone(), reads::setting_value(row, &name)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn named_numbers(connection: &Connection, sql: &str, what: &'static str) -> Result<Vec<(String, i64)>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        let name: String = row.get(2)?;
        let value = checksum::named_number(row, what, &name)?;
        Ok((name, value))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the names of all kinds and paths by number.
pub(super) fn names(connection: &Connection) -> Result<HashMap<NameNumber, String>> {
    super::name_table::read_names(connection)
}

/// Returns a document with all rows that it should have, and its revision. Columns: kind, id, version, revision,
/// sequence, entries, body, record and sum.
pub(super) fn document(row: &Row<'_>, names: &HashMap<NameNumber, String>) -> Result<(Put, i64)> {
    let name =
        |number: NameNumber| names.get(&number).cloned().ok_or(Error::Damaged("the name of a kind or path"));
    let CheckedRow { row: of, sequence, entries, body } = CheckedRow::read(row)?;
    let damaged = |_| checksum::damaged_row("document", of.kind, of.id);
    let mut put = Put {
        kind: name(of.kind)?,
        id: of.id.to_owned(),
        version: of.version,
        sequence,
        body: Bytes::from(compression::decompress(body).map_err(damaged)?.into_owned()),
        ..Put::default()
    };
    for entry in entries::rows(&compression::decompress(entries).map_err(damaged)?) {
        match entry? {
            IndexEntry::Unique { path, value } => put.unique.push(UniqueKey::new(name(path)?, value)),
            IndexEntry::Indexed { path, value } => put.indexed.extend(index_value(name(path)?, value)),
        }
    }
    Ok((put, of.revision))
}

/// A document's row whose checksum is correct.
pub(super) struct CheckedRow<'r> {
    pub(super) row: DocumentRow<'r>,
    pub(super) sequence: i64,
    /// The list of index rows in its stored form.
    pub(super) entries: &'r [u8],
    /// The body in its stored form.
    pub(super) body: &'r [u8],
}

impl<'r> CheckedRow<'r> {
    /// Reads the columns kind, id, version, revision, sequence, entries, body, record and sum.
    pub(super) fn read(row: &'r Row<'_>) -> Result<Self> {
        let (kind, id) = (row.get(0)?, row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?);
        match Self::read_if_right(row, kind, id) {
            Ok(Some(read)) => Ok(read),
            // A column of the wrong type is damage, too.
            Ok(None) | Err(_) => Err(checksum::damaged_row("document", kind, id)),
        }
    }

    fn read_if_right(row: &'r Row<'_>, kind: NameNumber, id: &'r str) -> rusqlite::Result<Option<Self>> {
        let of = DocumentRow { kind, id, version: row.get(2)?, revision: row.get(3)? };
        let (sequence, record, sum) = (row.get(4)?, row.get(7)?, row.get(8)?);
        let (entries, body) = (row.get_ref(5)?.as_blob()?, row.get_ref(6)?.as_blob()?);
        let is_right = of.has_body(sum, sequence, body) && of.has_entries(sum, entries, record);
        Ok(is_right.then_some(CheckedRow { row: of, sequence, entries, body }))
    }
}

fn index_value(path: String, value: Value) -> Option<(String, IndexValue)> {
    match value {
        Value::Text(text) => Some((path, IndexValue::Text(text))),
        Value::Integer(number) => Some((path, IndexValue::Integer(number))),
        Value::Real(number) => Some((path, IndexValue::Real(number))),
        Value::Null | Value::Blob(_) => None,
    }
}
