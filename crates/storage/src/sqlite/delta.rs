//! What became of a shop behind a position, read while commits go on.

use std::collections::HashMap;

use rusqlite::{
    Connection, OptionalExtension as _, Row,
    types::{FromSql, Value},
};

use super::{
    entries::{self, Entry},
    log,
    names::Number,
    packed,
    position::number,
    reads::{self, LogState},
    records,
};
use crate::{Delta, Error, IndexValue, Put, Rest, Result, Seq, UniqueKey};

/// Reads what became of a shop, from one state. [`Error::Behind`] where entries behind the position are gone.
pub(super) fn read(connection: &Connection, after: Seq, limit: usize) -> Result<Delta> {
    let LogState { epoch, newest, .. } = reads::log_state(connection)?;
    let changes = log::changes(connection, after, limit)?;
    let last = changes.last().map_or(after, |change| change.seq);
    let names = names(connection)?;
    let numbers: HashMap<&str, Number> = names.iter().map(|(number, name)| (&**name, *number)).collect();
    let mut find = connection.prepare_cached(
        "SELECT kind, id, version, revision, sequence, entries, body FROM documents
         WHERE kind = ?1 AND id = ?2",
    )?;
    let (mut written, mut deleted, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let erased = Delta::ended(&changes);
    for (kind, id) in Delta::named(&changes) {
        let kind_number = numbers.get(kind).ok_or(Error::Damaged("the name of a kind"))?;
        let first = if Delta::has_ended(&erased, kind, id) { None } else { Some(after) };
        records::of_changes(connection, (*kind_number, kind), id, (first, last), &mut kept)?;
        let found = find.query_row((kind_number, id), |row| Ok(document(row, &names))).optional()?;
        match found.transpose()? {
            None => deleted.push((kind.to_owned(), id.to_owned())),
            Some((put, revision)) if revision <= number(last) => written.push((put, revision)),
            // A later entry names it.
            Some(_) => {}
        }
    }
    let rest = if last == newest { Some(rest(connection)?) } else { None };
    kept.sort_unstable_by_key(|record| record.place);
    Ok(Delta { epoch, changes, written, deleted, records: kept, erased, rest })
}

/// What there is beside documents.
pub(super) fn rest(connection: &Connection) -> Result<Rest> {
    let positions: Vec<(String, i64)> = pairs(connection, "SELECT consumer, seq FROM positions")?;
    Ok(Rest {
        counters: pairs(connection, "SELECT name, value FROM counters")?,
        settings: pairs(connection, "SELECT name, value FROM settings")?,
        positions: positions.into_iter().map(|(consumer, seq)| (consumer, seq.unsigned_abs())).collect(),
    })
}

/// Rows of two columns.
pub(super) fn pairs<T: FromSql>(connection: &Connection, sql: &str) -> Result<Vec<(String, T)>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The names of kinds and paths.
pub(super) fn names(connection: &Connection) -> Result<HashMap<Number, String>> {
    let mut statement = connection.prepare("SELECT number, name FROM names")?;
    let names = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

/// A document with all rows that it should have, and its revision, of the columns kind, id, version, revision, sequence, entries
/// and body.
pub(super) fn document(row: &Row<'_>, names: &HashMap<Number, String>) -> Result<(Put, i64)> {
    let name =
        |number: Number| names.get(&number).cloned().ok_or(Error::Damaged("the name of a kind or path"));
    let mut put = Put {
        kind: name(row.get(0)?)?,
        id: row.get(1)?,
        version: row.get(2)?,
        sequence: row.get(4)?,
        body: packed::bytes(row, 6)?,
        ..Put::default()
    };
    for entry in entries::rows(&packed::column(row, 5)?) {
        match entry? {
            Entry::Unique { path, value } => put.unique.push(UniqueKey::new(name(path)?, value)),
            Entry::Indexed { path, value } => put.indexed.extend(index_value(name(path)?, value)),
        }
    }
    Ok((put, row.get(3)?))
}

fn index_value(path: String, value: Value) -> Option<(String, IndexValue)> {
    match value {
        Value::Text(text) => Some((path, IndexValue::Text(text))),
        Value::Integer(number) => Some((path, IndexValue::Integer(number))),
        Value::Real(number) => Some((path, IndexValue::Real(number))),
        Value::Null | Value::Blob(_) => None,
    }
}
