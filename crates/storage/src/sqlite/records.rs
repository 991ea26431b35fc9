//! Records of changes in the file: one row each, appended to a table. Start at [`append`].
//!
//! The number of a row is the time of the change, followed by bits that distinguish changes of one millisecond. So
//! records of a time range are contiguous, and a new one is written at the end of the table. The records of one
//! document form a linked list: the row of the document has the number of the newest record, and each record that of
//! the previous one. An index would need a row for each record, scattered over as many pages as there are documents;
//! the list only costs a number in rows that are written anyway.
//!
//! **Invariant:** numbers decrease along a list. It ends with 0, or with a number without a row of the document, since
//! the oldest records are removed first.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use uuid::Uuid;

use super::{
    absence, checksum,
    entries::{self, IndexEntry},
    name_number::NameNumber,
    row_cache::RowState,
    statements::{Sql, Statements},
};
use crate::{Error, RecordPosition, RecordRange, Result, Seq, StoredRecord};

/// Bits of a number that distinguish records of one millisecond.
const ORDER_BITS: u32 = 21;
const ORDER_MASK: i64 = (1 << ORDER_BITS) - 1;
/// The last millisecond that numbers can represent, in the year 2109.
const AT_MS_MAX: i64 = (1 << (i64::BITS - 1 - ORDER_BITS)) - 1;

/// The end of a list.
pub(super) const NONE: i64 = 0;

/// Returns the smallest number at or after a position.
fn number(position: RecordPosition) -> i64 {
    let order = position.order.clamp(0, ORDER_MASK);
    match position.at_ms {
        ..0 => NONE,
        0..=AT_MS_MAX => position.at_ms << ORDER_BITS | order,
        _ => i64::MAX,
    }
}

/// Returns the number of a new record. A row may have it already only if the clock stood still.
fn new_number(at_ms: i64, seq: Seq) -> i64 {
    at_ms.clamp(0, AT_MS_MAX) << ORDER_BITS | (seq.cast_signed() & ORDER_MASK)
}

fn position(number: i64) -> RecordPosition {
    RecordPosition { at_ms: number >> ORDER_BITS, order: number & ORDER_MASK }
}

/// A record to write.
pub(super) struct NewRecord<'r> {
    pub(super) kind: NameNumber,
    pub(super) id: &'r str,
    pub(super) at_ms: i64,
    /// The position of the change in the change log.
    pub(super) seq: Seq,
    pub(super) body: &'r [u8],
}

/// Writes a record of a document whose newest record is `newest`. Returns the number of its newest record afterwards.
pub(super) fn insert_record(
    connection: &Connection,
    statements: &mut Statements<'_>,
    record: &NewRecord<'_>,
    newest: i64,
) -> Result<i64> {
    let NewRecord { kind, id, at_ms, seq, body } = *record;
    let mut number = new_number(at_ms, seq);
    loop {
        let previous =
            if newest < number { newest } else { record_before(connection, record, newest, number)? };
        let sum = RecordRow { number, previous, kind, id, body }.sum();
        if statements.get(Sql::InsertRecord)?.execute((number, previous, kind, id, body, sum))? == 1 {
            break;
        }
        number += 1;
    }
    if newest > number {
        link_next(connection, record, newest, number)?;
    }
    Ok(newest.max(number))
}

/// Returns the number of the record before a new one that is not the newest, because the clock was set back.
fn record_before(connection: &Connection, record: &NewRecord<'_>, newest: i64, number: i64) -> Result<i64> {
    let mut place = newest;
    while place >= number {
        match previous(connection, record.kind, record.id, place)? {
            Some(previous) => place = previous,
            None => return Ok(NONE),
        }
    }
    Ok(place)
}

/// Links the record after a new one to the new one.
fn link_next(connection: &Connection, record: &NewRecord<'_>, newest: i64, number: i64) -> Result<()> {
    let mut place = newest;
    while let Some(previous) = previous(connection, record.kind, record.id, place)? {
        if previous < number {
            return set_previous(connection, place, number);
        }
        place = previous;
    }
    Ok(())
}

/// Writes the number of the previous record into a record.
fn set_previous(connection: &Connection, place: i64, previous: i64) -> Result<()> {
    let mut find = connection.prepare_cached(FIND_RECORD)?;
    let mut rows = find.query((place,))?;
    let Some(row) = rows.next()? else { return Ok(()) };
    let has_sum = row.get::<_, Option<i64>>(5)?.is_some();
    let sum = has_sum.then_some(RecordRow { previous, ..RecordRow::read(row)? }.sum());
    let mut set =
        connection.prepare_cached("UPDATE records SET previous = ?2, sum = ?3 WHERE number = ?1")?;
    set.execute((place, previous, sum))?;
    Ok(())
}

/// Finds a record by its number.
const FIND_RECORD: &str = "SELECT number, previous, kind, id, body, sum FROM records WHERE number = ?1";

/// A row of the table.
pub(super) struct RecordRow<'r> {
    number: i64,
    previous: i64,
    pub(super) kind: NameNumber,
    pub(super) id: &'r str,
    body: &'r [u8],
}

impl<'r> RecordRow<'r> {
    /// Returns the checksum of the row.
    pub(super) fn sum(&self) -> i64 {
        let numbers = [self.number, self.previous, self.kind.into()];
        checksum::row_checksum(&numbers, &[self.id.as_bytes(), self.body])
    }

    /// Reads the columns number, previous, kind, id, body and sum. Fails if the checksum is wrong.
    pub(super) fn read(row: &'r Row<'_>) -> Result<Self> {
        let read = |row: &'r Row<'_>| -> rusqlite::Result<(Self, Option<i64>)> {
            let read = RecordRow {
                number: row.get(0)?,
                previous: row.get(1)?,
                kind: row.get(2)?,
                id: row.get_ref(3)?.as_str()?,
                body: row.get_ref(4)?.as_blob()?,
            };
            Ok((read, row.get(5)?))
        };
        match read(row) {
            Ok((read, sum)) if sum.is_none_or(|sum| sum == read.sum()) => Ok(read),
            _ => {
                let kind = row.get(2).unwrap_or_default();
                let id: String = row.get(3).unwrap_or_default();
                Err(checksum::damaged_row("record of a change", kind, &id))
            }
        }
    }

    fn to_stored(&self, kind: &str) -> StoredRecord {
        let body = Bytes::copy_from_slice(self.body);
        StoredRecord { place: position(self.number), kind: kind.to_owned(), id: self.id.to_owned(), body }
    }
}

/// Returns the number before that of a record of a document, if the record exists.
fn previous(connection: &Connection, kind: NameNumber, id: &str, number: i64) -> Result<Option<i64>> {
    let mut find = connection.prepare_cached(FIND_RECORD)?;
    let mut rows = find.query((number,))?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let record = RecordRow::read(row)?;
    Ok((record.kind == kind && record.id == id).then_some(record.previous))
}

/// Returns the newest record of a deleted document.
pub(super) fn newest_of_deleted(connection: &Connection, kind: NameNumber, id: &str) -> Result<i64> {
    let mut find =
        connection.prepare_cached("SELECT record, sum FROM record_ends WHERE kind = ?1 AND id = ?2")?;
    let mut rows = find.query((kind, id))?;
    let Some(row) = rows.next()? else { return Ok(NONE) };
    let record = row.get(0)?;
    if checksum::is_valid(row.get(1)?, &[kind.into(), record], &[id.as_bytes()]) {
        Ok(record)
    } else {
        Err(checksum::damaged_row("end of the records", kind, id))
    }
}

/// Returns the newest record of a document.
fn newest_record(connection: &Connection, kind: NameNumber, id: &str) -> Result<i64> {
    match RowState::find(connection, kind, id)? {
        Some(head) if head.record != NONE => return Ok(head.record),
        Some(_) => {}
        None => absence::check_document(connection, kind, id)?,
    }
    newest_of_deleted(connection, kind, id)
}

/// Stores the newest record of a document that is deleted.
pub(super) fn store_newest_of_deleted(
    connection: &Connection,
    kind: NameNumber,
    id: &str,
    newest: i64,
) -> Result<()> {
    let mut keep = connection.prepare_cached(
        "INSERT INTO record_ends (kind, id, record, sum) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET record = excluded.record, sum = excluded.sum",
    )?;
    keep.execute((kind, id, newest, checksum::row_checksum(&[kind.into(), newest], &[id.as_bytes()])))?;
    Ok(())
}

/// Deletes all records of a document.
pub(super) fn erase_records(connection: &Connection, kind: NameNumber, id: &str) -> Result<()> {
    let mut place = newest_record(connection, kind, id)?;
    while let Some(previous) = previous(connection, kind, id, place)? {
        connection.prepare_cached("DELETE FROM records WHERE number = ?1")?.execute((place,))?;
        place = previous;
    }
    checksum::set_record(connection, kind, id, NONE)?;
    connection.prepare_cached("DELETE FROM record_ends WHERE kind = ?1 AND id = ?2")?.execute((kind, id))?;
    Ok(())
}

/// Deletes the oldest records of changes before a time, at most `at_most`.
pub(super) fn remove_oldest(connection: &Connection, before_ms: i64, at_most: usize) -> Result<()> {
    let mut oldest = connection
        .prepare_cached("SELECT number, kind, id FROM records WHERE number < ?1 ORDER BY number LIMIT ?2")?;
    let at_most = i64::try_from(at_most).unwrap_or(i64::MAX);
    let mut rows = oldest.query((number(RecordPosition::before_time(before_ms)), at_most))?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        let (number, kind, id): (i64, NameNumber, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
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

/// Returns records, newest first, at most `limit`. `kinds`: numbers and names of those requested kinds that have a
/// number.
pub(super) fn read(
    connection: &Connection,
    range: &RecordRange<'_>,
    kinds: &[(NameNumber, &str)],
    limit: usize,
) -> Result<Vec<StoredRecord>> {
    let (from, before) = (number(range.from), number(range.before));
    let Some(id) = range.id else {
        let is_any = range.kinds.is_empty();
        return read_all(connection, (from, before), kinds, is_any, limit);
    };
    let mut read = Vec::new();
    for kind in kinds {
        read_document_records(connection, (from, before), *kind, id, limit, &mut read)?;
    }
    read.sort_unstable_by_key(|record| std::cmp::Reverse(record.place));
    read.truncate(limit);
    Ok(read)
}

fn read_all(
    connection: &Connection,
    (from, before): (i64, i64),
    kinds: &[(NameNumber, &str)],
    is_any: bool,
    limit: usize,
) -> Result<Vec<StoredRecord>> {
    let mut select = connection.prepare_cached(
        "SELECT number, previous, kind, id, body, sum FROM records
         WHERE number < ?1 AND number >= ?2 ORDER BY number DESC",
    )?;
    let mut rows = select.query((before, from))?;
    let mut read = Vec::new();
    while read.len() < limit
        && let Some(row) = rows.next()?
    {
        let record = RecordRow::read(row)?;
        let name = kinds.iter().find(|(kind, _)| *kind == record.kind).map(|(_, name)| (*name).to_owned());
        let kind = match name {
            Some(name) => name,
            None if is_any => name_of(connection, record.kind)?,
            None => continue,
        };
        read.push(record.to_stored(&kind));
    }
    Ok(read)
}

fn name_of(connection: &Connection, kind: NameNumber) -> Result<String> {
    let mut name = connection.prepare_cached("SELECT name FROM names WHERE number = ?1")?;
    let found: Option<String> = name.query_row((kind,), |row| row.get(0)).optional()?;
    found.ok_or(Error::Damaged("the name of a kind"))
}

fn read_document_records(
    connection: &Connection,
    (from, before): (i64, i64),
    (kind, name): (NameNumber, &str),
    id: &str,
    limit: usize,
    read: &mut Vec<StoredRecord>,
) -> Result<()> {
    let mut select = connection.prepare_cached(FIND_RECORD)?;
    // The next page continues at the last record of the page before.
    let mut number = match previous(connection, kind, id, before)? {
        Some(previous) => previous,
        None => newest_record(connection, kind, id)?,
    };
    let end = read.len() + limit;
    while number >= from && read.len() < end {
        let mut rows = select.query((number,))?;
        // A missing record was removed by age, even if older ones exist: the clock may have been set back.
        let Some(row) = rows.next()? else { break };
        let record = RecordRow::read(row)?;
        if (record.kind, record.id) != (kind, id) {
            break;
        }
        if number < before {
            read.push(record.to_stored(name));
        }
        number = record.previous;
    }
    Ok(())
}

/// Maximum number of older records to pass before the search ends. After the clock was set back, a requested record may
/// follow older ones.
const OLDER_MAX: usize = 1_000;

/// Reads the records of changes of a document after a position up to another one; `None`: all of its records.
pub(super) fn read_changes(
    connection: &Connection,
    (kind, name): (NameNumber, &str),
    id: &str,
    (after, last): (Option<Seq>, Seq),
    read: &mut Vec<StoredRecord>,
) -> Result<()> {
    let mut select = connection.prepare_cached(FIND_RECORD)?;
    let (mut number, mut older) = (newest_record(connection, kind, id)?, 0);
    while older < OLDER_MAX {
        let mut rows = select.query((number,))?;
        let Some(row) = rows.next()? else { return Ok(()) };
        let record = RecordRow::read(row)?;
        if (record.kind, record.id) != (kind, id) {
            return Ok(());
        }
        // The distance to the last change. A record stores only the lowest bits of its position; distances in the upper
        // half are interpreted as later changes.
        let behind = (last.cast_signed() - number) & ORDER_MASK;
        let is_to_come = behind > ORDER_MASK / 2;
        if after.is_some_and(|after| !is_to_come && behind.unsigned_abs() >= last - after) {
            older += 1;
        } else if after.is_none() || !is_to_come {
            read.push(record.to_stored(name));
        }
        number = record.previous;
    }
    Ok(())
}

/// Writes a record of another storage, unless it exists.
pub(super) fn insert_missing(connection: &Connection, record: &NewRecord<'_>) -> Result<()> {
    let number = new_number(record.at_ms, record.seq);
    match previous(connection, record.kind, record.id, number)? {
        Some(_) => Ok(()),
        None => append(connection, record),
    }
}

/// Returns the next records of a file after a number, in order, until they have `bytes` bytes.
pub(super) fn read_after(
    connection: &Connection,
    number: &mut i64,
    bytes: usize,
) -> Result<Vec<StoredRecord>> {
    let mut select = connection.prepare_cached(
        "SELECT r.number, r.previous, r.kind, r.id, r.body, r.sum, n.name
         FROM records r JOIN names n ON n.number = r.kind
         WHERE r.number > ?1 ORDER BY r.number",
    )?;
    let mut rows = select.query((*number,))?;
    let (mut records, mut read) = (Vec::new(), 0);
    while read < bytes
        && let Some(row) = rows.next()?
    {
        let record = RecordRow::read(row)?;
        *number = record.number;
        read += record.body.len();
        records.push(record.to_stored(row.get_ref(6)?.as_str().map_err(rusqlite::Error::from)?));
    }
    Ok(records)
}

/// Writes a record and links it, for a document that is written already or deleted.
pub(super) fn append(connection: &Connection, record: &NewRecord<'_>) -> Result<()> {
    let NewRecord { kind, id, .. } = *record;
    let newest = newest_record(connection, kind, id)?;
    let newest = insert_record(connection, &mut Statements::new(connection), record, newest)?;
    if !checksum::set_record(connection, kind, id, newest)? {
        store_newest_of_deleted(connection, kind, id, newest)?;
    }
    Ok(())
}

/// Copies the records of a backup, attached as `source`, whose kinds have other numbers.
pub(super) fn copy_renumbered(
    connection: &Connection,
    statements: &mut Statements<'_>,
    ours: impl Fn(NameNumber) -> Result<NameNumber>,
) -> Result<()> {
    let mut select = connection
        .prepare("SELECT number, previous, kind, id, body, sum FROM source.records ORDER BY number")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let record = RecordRow::read(row)?;
        let record = RecordRow { kind: ours(record.kind)?, ..record };
        let RecordRow { number, previous, kind, id, body } = record;
        statements.get(Sql::InsertRecord)?.execute((number, previous, kind, id, body, record.sum()))?;
    }
    let mut select = connection.prepare("SELECT kind, id, record FROM source.record_ends")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(1)?;
        store_newest_of_deleted(connection, ours(row.get(0)?)?, &id, row.get(2)?)?;
    }
    Ok(())
}

/// The prefix of kinds whose documents were records, up to the fifth format.
const KIND_OF_DOCUMENTS: &str = "record of ";

/// Migrates the documents that were records in earlier formats.
pub(super) fn migrate_documents(transaction: &Transaction<'_>) -> Result<()> {
    let kinds = transaction
        .prepare("SELECT number, name FROM names WHERE name LIKE ?1 || '%'")?
        .query_map((KIND_OF_DOCUMENTS,), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<(NameNumber, String)>>>()?;
    for (of_documents, name) in kinds {
        let name = name.trim_start_matches(KIND_OF_DOCUMENTS);
        transaction
            .prepare_cached("INSERT INTO names (name) VALUES (?1) ON CONFLICT DO NOTHING")?
            .execute((name,))?;
        let kind = transaction
            .prepare_cached("SELECT number FROM names WHERE name = ?1")?
            .query_row((name,), |row| row.get(0))?;
        migrate_kind(transaction, of_documents, kind)?;
        for table in ["documents", "indexed", "counts"] {
            transaction.execute(&format!("DELETE FROM {table} WHERE kind = ?1"), (of_documents,))?;
        }
    }
    Ok(())
}

fn migrate_kind(transaction: &Transaction<'_>, of_documents: NameNumber, kind: NameNumber) -> Result<()> {
    // Ordered by id, which is the order of their times.
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
            if let IndexEntry::Indexed { value: rusqlite::types::Value::Text(id), .. } = entry? {
                append(transaction, &NewRecord { kind, id: &id, at_ms, seq, body })?;
            }
        }
    }
    Ok(())
}
