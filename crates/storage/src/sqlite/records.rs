//! Records as they stand in the file: one row each, in a table that is appended to.
//!
//! The number of a row is the time of the change and, behind it, what tells apart changes of one millisecond. So all
//! records within a time are one stretch, and a new one is written at the end of the table, next to those of other
//! documents. Those of one document are a chain: the row of the document names the newest, and each record the one
//! before it. An index would have a row for each record, scattered over as many pages as there are documents; the chain
//! costs a number in rows that are written anyway.
//!
//! **Invariant:** along a chain numbers fall. It ends with 0, or with a number of which there is no row of the document:
//! the oldest records go first.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Transaction};
use uuid::Uuid;

use super::{
    entries::{self, Entry},
    names::Number,
    statements::{Sql, Statements},
};
use crate::{Error, KeptRecord, RecordPlace, RecordRange, Result, Seq};

/// Bits of a number that tell apart records of one millisecond.
const ORDER_BITS: u32 = 21;
const ORDER_MASK: i64 = (1 << ORDER_BITS) - 1;
/// The last millisecond that there are numbers for, in the year 2109.
const AT_MS_MAX: i64 = (1 << (i64::BITS - 1 - ORDER_BITS)) - 1;

/// What stands in a chain where there is no record.
pub(super) const NONE: i64 = 0;

/// The number of the first row at a place or behind it.
fn number(place: RecordPlace) -> i64 {
    let order = place.order.clamp(0, ORDER_MASK);
    match place.at_ms {
        ..0 => NONE,
        0..=AT_MS_MAX => place.at_ms << ORDER_BITS | order,
        _ => i64::MAX,
    }
}

/// The number of a record that is new, unless there is a row with it: only where the clock stands still can there be.
fn new_number(at_ms: i64, seq: Seq) -> i64 {
    at_ms.clamp(0, AT_MS_MAX) << ORDER_BITS | (seq.cast_signed() & ORDER_MASK)
}

fn place(number: i64) -> RecordPlace {
    RecordPlace { at_ms: number >> ORDER_BITS, order: number & ORDER_MASK }
}

/// A record that is about to be written.
pub(super) struct NewRecord<'r> {
    pub(super) kind: Number,
    pub(super) id: &'r str,
    pub(super) at_ms: i64,
    /// The position of the change in the change log.
    pub(super) seq: Seq,
    pub(super) body: &'r [u8],
}

/// Writes a record, of a document whose newest record so far is `newest`. Answers with what is its newest now.
pub(super) fn add(
    connection: &Connection,
    statements: &mut Statements<'_>,
    record: &NewRecord<'_>,
    newest: i64,
) -> Result<i64> {
    let NewRecord { kind, id, at_ms, seq, body } = *record;
    let mut number = new_number(at_ms, seq);
    loop {
        let previous = if newest < number { newest } else { before(connection, record, newest, number)? };
        if statements.get(Sql::InsertRecord)?.execute((number, previous, kind, id, body))? == 1 {
            break;
        }
        number += 1;
    }
    if newest > number {
        put_between(connection, record, newest, number)?;
    }
    Ok(newest.max(number))
}

/// The record behind which another one comes that is not the newest: the clock was set back.
fn before(connection: &Connection, record: &NewRecord<'_>, newest: i64, number: i64) -> Result<i64> {
    let mut place = newest;
    while place >= number {
        match previous(connection, record.kind, record.id, place)? {
            Some(previous) => place = previous,
            None => return Ok(NONE),
        }
    }
    Ok(place)
}

/// Lets the record that comes behind a new one name it.
fn put_between(connection: &Connection, record: &NewRecord<'_>, newest: i64, number: i64) -> Result<()> {
    let mut place = newest;
    while let Some(previous) = previous(connection, record.kind, record.id, place)? {
        if previous < number {
            connection
                .prepare_cached("UPDATE records SET previous = ?2 WHERE number = ?1")?
                .execute((place, number))?;
            return Ok(());
        }
        place = previous;
    }
    Ok(())
}

/// What a record of a document names as the one before it, where there is such a record.
fn previous(connection: &Connection, kind: Number, id: &str, number: i64) -> Result<Option<i64>> {
    let mut find = connection
        .prepare_cached("SELECT previous FROM records WHERE number = ?1 AND kind = ?2 AND id = ?3")?;
    Ok(find.query_row((number, kind, id), |row| row.get(0)).optional()?)
}

/// The newest record of a document that has no row.
pub(super) fn newest_of_gone(connection: &Connection, kind: Number, id: &str) -> Result<i64> {
    let mut find = connection.prepare_cached("SELECT record FROM record_ends WHERE kind = ?1 AND id = ?2")?;
    Ok(find.query_row((kind, id), |row| row.get(0)).optional()?.unwrap_or(NONE))
}

/// The newest record of a document.
fn newest(connection: &Connection, kind: Number, id: &str) -> Result<i64> {
    let mut find = connection.prepare_cached("SELECT record FROM documents WHERE kind = ?1 AND id = ?2")?;
    match find.query_row((kind, id), |row| row.get(0)).optional()? {
        None | Some(NONE) => newest_of_gone(connection, kind, id),
        Some(newest) => Ok(newest),
    }
}

/// Keeps the newest record of a document that goes.
pub(super) fn keep_of_gone(connection: &Connection, kind: Number, id: &str, newest: i64) -> Result<()> {
    let mut keep = connection.prepare_cached(
        "INSERT INTO record_ends (kind, id, record) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET record = excluded.record",
    )?;
    keep.execute((kind, id, newest))?;
    Ok(())
}

/// Removes all records of a document.
pub(super) fn erase(connection: &Connection, kind: Number, id: &str) -> Result<()> {
    let mut place = newest(connection, kind, id)?;
    while let Some(previous) = previous(connection, kind, id, place)? {
        connection.prepare_cached("DELETE FROM records WHERE number = ?1")?.execute((place,))?;
        place = previous;
    }
    for sql in [
        "UPDATE documents SET record = 0 WHERE kind = ?1 AND id = ?2",
        "DELETE FROM record_ends WHERE kind = ?1 AND id = ?2",
    ] {
        connection.prepare_cached(sql)?.execute((kind, id))?;
    }
    Ok(())
}

/// Removes the oldest records, those of changes before a time, at most so many.
pub(super) fn end(connection: &Connection, before_ms: i64, at_most: usize) -> Result<()> {
    let mut oldest = connection
        .prepare_cached("SELECT number, kind, id FROM records WHERE number < ?1 ORDER BY number LIMIT ?2")?;
    let at_most = i64::try_from(at_most).unwrap_or(i64::MAX);
    let mut rows = oldest.query((number(RecordPlace::at(before_ms)), at_most))?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        let (number, kind, id): (i64, Number, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        connection
            .prepare_cached("DELETE FROM record_ends WHERE kind = ?1 AND id = ?2 AND record = ?3")?
            .execute((kind, id, number))?;
        last = Some(number);
    }
    drop(rows);
    if let Some(last) = last {
        connection.prepare_cached("DELETE FROM records WHERE number <= ?1")?.execute((last,))?;
    }
    Ok(())
}

/// Records, newest first, at most `limit`. `kinds` are the numbers and names of those of the range that have any.
pub(super) fn read(
    connection: &Connection,
    range: &RecordRange<'_>,
    kinds: &[(Number, &str)],
    limit: usize,
) -> Result<Vec<KeptRecord>> {
    let (from, before) = (number(range.from), number(range.before));
    let Some(id) = range.id else {
        let is_any = range.kinds.is_empty();
        return of_all(connection, (from, before), kinds, is_any, limit);
    };
    let mut read = Vec::new();
    for kind in kinds {
        of_one(connection, (from, before), *kind, id, limit, &mut read)?;
    }
    read.sort_unstable_by_key(|record| std::cmp::Reverse(record.place));
    read.truncate(limit);
    Ok(read)
}

fn of_all(
    connection: &Connection,
    (from, before): (i64, i64),
    kinds: &[(Number, &str)],
    is_any: bool,
    limit: usize,
) -> Result<Vec<KeptRecord>> {
    let mut select = connection.prepare_cached(
        "SELECT number, kind, id, body FROM records WHERE number < ?1 AND number >= ?2 ORDER BY number DESC",
    )?;
    let mut rows = select.query((before, from))?;
    let mut read = Vec::new();
    while read.len() < limit
        && let Some(row) = rows.next()?
    {
        let number: Number = row.get(1)?;
        let name = kinds.iter().find(|(kind, _)| *kind == number).map(|(_, name)| (*name).to_owned());
        let kind = match name {
            Some(name) => name,
            None if is_any => name_of(connection, number)?,
            None => continue,
        };
        let body = Bytes::from(row.get::<_, Vec<u8>>(3)?);
        read.push(KeptRecord { place: place(row.get(0)?), kind, id: row.get(2)?, body });
    }
    Ok(read)
}

fn name_of(connection: &Connection, kind: Number) -> Result<String> {
    let mut name = connection.prepare_cached("SELECT name FROM names WHERE number = ?1")?;
    let found: Option<String> = name.query_row((kind,), |row| row.get(0)).optional()?;
    found.ok_or(Error::Damaged("the name of a kind"))
}

fn of_one(
    connection: &Connection,
    (from, before): (i64, i64),
    (kind, name): (Number, &str),
    id: &str,
    limit: usize,
    read: &mut Vec<KeptRecord>,
) -> Result<()> {
    let mut select = connection
        .prepare_cached("SELECT previous, body FROM records WHERE number = ?1 AND kind = ?2 AND id = ?3")?;
    // Whoever reads on goes on at the record that he read last.
    let mut number = match previous(connection, kind, id, before)? {
        Some(previous) => previous,
        None => newest(connection, kind, id)?,
    };
    let end = read.len() + limit;
    while number >= from && read.len() < end {
        let mut rows = select.query((number, kind, id))?;
        let Some(row) = rows.next()? else { break };
        if number < before {
            let body = Bytes::from(row.get::<_, Vec<u8>>(1)?);
            read.push(KeptRecord { place: place(number), kind: name.to_owned(), id: id.to_owned(), body });
        }
        number = row.get(0)?;
    }
    Ok(())
}

/// Records of a document that are older than those asked for, before it is believed that none of these follows: one does where the
/// clock was set back.
const OLDER_MAX: usize = 1_000;

/// The records of changes of a document behind a position, up to another one; behind none: all records.
pub(super) fn of_changes(
    connection: &Connection,
    (kind, name): (Number, &str),
    id: &str,
    (after, last): (Option<Seq>, Seq),
    read: &mut Vec<KeptRecord>,
) -> Result<()> {
    let mut select = connection
        .prepare_cached("SELECT previous, body FROM records WHERE number = ?1 AND kind = ?2 AND id = ?3")?;
    let (mut number, mut older) = (newest(connection, kind, id)?, 0);
    while older < OLDER_MAX {
        let mut rows = select.query((number, kind, id))?;
        let Some(row) = rows.next()? else { return Ok(()) };
        // How far behind the last change it is. A record has the lowest bits of its position alone, and half of what they
        // can tell is behind, half is to come.
        let behind = (last.cast_signed() - number) & ORDER_MASK;
        let is_to_come = behind > ORDER_MASK / 2;
        if after.is_some_and(|after| !is_to_come && behind.unsigned_abs() >= last - after) {
            older += 1;
        } else if after.is_none() || !is_to_come {
            let body = Bytes::from(row.get::<_, Vec<u8>>(1)?);
            read.push(KeptRecord { place: place(number), kind: name.to_owned(), id: id.to_owned(), body });
        }
        number = row.get(0)?;
    }
    Ok(())
}

/// Writes a record that comes from elsewhere, unless it is there.
pub(super) fn adopt_one(connection: &Connection, record: &NewRecord<'_>) -> Result<()> {
    let number = new_number(record.at_ms, record.seq);
    match previous(connection, record.kind, record.id, number)? {
        Some(_) => Ok(()),
        None => append(connection, record),
    }
}

/// The next records of a file behind a number, in the sequence of their numbers, as many as have so many bytes, or one more.
pub(super) fn behind(connection: &Connection, number: &mut i64, bytes: usize) -> Result<Vec<KeptRecord>> {
    let mut select = connection.prepare_cached(
        "SELECT r.number, n.name, r.id, r.body FROM records r JOIN names n ON n.number = r.kind
         WHERE r.number > ?1 ORDER BY r.number",
    )?;
    let mut rows = select.query((*number,))?;
    let (mut records, mut read) = (Vec::new(), 0);
    while read < bytes
        && let Some(row) = rows.next()?
    {
        *number = row.get(0)?;
        let body = Bytes::from(row.get::<_, Vec<u8>>(3)?);
        read += body.len();
        records.push(KeptRecord { place: place(*number), kind: row.get(1)?, id: row.get(2)?, body });
    }
    Ok(records)
}

/// Writes a record beside all others, of a document that is written already or gone.
pub(super) fn append(connection: &Connection, record: &NewRecord<'_>) -> Result<()> {
    let NewRecord { kind, id, .. } = *record;
    let newest = newest(connection, kind, id)?;
    let newest = add(connection, &mut Statements::new(connection), record, newest)?;
    let mut update =
        connection.prepare_cached("UPDATE documents SET record = ?3 WHERE kind = ?1 AND id = ?2")?;
    if update.execute((kind, id, newest))? == 0 {
        keep_of_gone(connection, kind, id, newest)?;
    }
    Ok(())
}

/// What the names of kinds began with whose documents were records, up to the fifth format.
const KIND_OF_DOCUMENTS: &str = "record of ";

/// Makes records of the documents that were records in earlier formats.
pub(super) fn adopt(transaction: &Transaction<'_>) -> Result<()> {
    let kinds = transaction
        .prepare("SELECT number, name FROM names WHERE name LIKE ?1 || '%'")?
        .query_map((KIND_OF_DOCUMENTS,), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<(Number, String)>>>()?;
    for (of_documents, name) in kinds {
        let name = name.trim_start_matches(KIND_OF_DOCUMENTS);
        transaction
            .prepare_cached("INSERT INTO names (name) VALUES (?1) ON CONFLICT DO NOTHING")?
            .execute((name,))?;
        let kind = transaction
            .prepare_cached("SELECT number FROM names WHERE name = ?1")?
            .query_row((name,), |row| row.get(0))?;
        adopt_kind(transaction, of_documents, kind)?;
        for table in ["documents", "indexed", "counts"] {
            transaction.execute(&format!("DELETE FROM {table} WHERE kind = ?1"), (of_documents,))?;
        }
    }
    Ok(())
}

fn adopt_kind(transaction: &Transaction<'_>, of_documents: Number, kind: Number) -> Result<()> {
    // By id, which is the sequence of their times.
    let mut select = transaction
        .prepare_cached("SELECT id, entries, body, revision FROM documents WHERE kind = ?1 ORDER BY id")?;
    let mut rows = select.query((of_documents,))?;
    while let Some(row) = rows.next()? {
        let uuid =
            Uuid::try_parse(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?).unwrap_or_default();
        let at_ms = i64::try_from(uuid.as_u128() >> 80).unwrap_or_default();
        let list = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let body = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
        let seq = row.get::<_, i64>(3)?.unsigned_abs();
        for entry in entries::rows(list) {
            if let Entry::Indexed { value: rusqlite::types::Value::Text(id), .. } = entry? {
                append(transaction, &NewRecord { kind, id: &id, at_ms, seq, body })?;
            }
        }
    }
    Ok(())
}
