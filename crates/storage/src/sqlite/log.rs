//! The change log in the file: one row for the entries of a transaction. Old rows are removed. Start at [`LogEntries`].
//!
//! A row contains consecutive entries up to its number. Each entry is a byte with the operation and the form of the id,
//! the number of the kind, the version, and the id: 16 bytes for a UUID in its usual form, otherwise length and text.
//! Numbers take seven bits a byte, the lowest first.

use std::ops::ControlFlow;

use rusqlite::{Connection, OptionalExtension, Row, Transaction};
use uuid::Uuid;

use super::{
    checksum,
    name_number::NameNumber,
    position::to_sqlite_integer,
    reads,
    statements::{Sql, Statements},
};
use crate::{ChangeLogEntry, ChangeOperation, Error, Result, Seq};

/// Maximum number of entries of a row. A transaction with more writes several rows.
const ENTRIES_OF_ROW_MAX: usize = 1024;

/// Surplus entries that are collected before they are removed: removing many together is cheaper.
const TRIM_ENTRIES: u64 = 4 * 1024;

/// Maximum number of entries removed at once, so that no commit waits for long.
const TRIM_ENTRIES_MAX: u64 = 4 * TRIM_ENTRIES;

/// Bits of the first byte of an entry: the operation.
const OPERATION: u8 = 0b011;
/// And whether the id is a UUID in 16 bytes.
const IS_UUID: u8 = 0b100;

/// Bytes of a UUID as text.
const UUID_TEXT_BYTES: usize = 36;

/// The encoded entries of a transaction.
#[derive(Debug, Default)]
pub(super) struct LogEntries {
    bytes: Vec<u8>,
    /// The end of each entry in the bytes.
    ends: Vec<usize>,
}

impl LogEntries {
    /// Adds the next entry.
    pub(super) fn push(&mut self, kind: NameNumber, id: &str, version: i64, operation: ChangeOperation) {
        let uuid = uuid(id);
        let form = if uuid.is_some() { IS_UUID } else { 0 };
        self.bytes.push(operation_bits(operation) | form);
        push_number(&mut self.bytes, kind.into());
        push_number(&mut self.bytes, version.cast_unsigned());
        match uuid {
            Some(uuid) => self.bytes.extend_from_slice(uuid.as_bytes()),
            None => {
                push_number(&mut self.bytes, id.len() as u64);
                self.bytes.extend_from_slice(id.as_bytes());
            }
        }
        self.ends.push(self.bytes.len());
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Discards all but the first entries.
    pub(super) fn truncate(&mut self, entries: usize) {
        self.ends.truncate(entries);
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Writes the entries as rows; the last entry has the position `last`.
    pub(super) fn write(&self, statements: &mut Statements<'_>, last: Seq) -> Result<()> {
        let mut seq = last - self.ends.len() as u64;
        let mut start = 0;
        for ends in self.ends.chunks(ENTRIES_OF_ROW_MAX) {
            seq += ends.len() as u64;
            let end = ends.last().copied().unwrap_or(start);
            let row = self.bytes.get(start..end).unwrap_or_default();
            let sum = checksum::row_checksum(&[to_sqlite_integer(seq)], &[row]);
            statements.get(Sql::InsertChanges)?.execute((to_sqlite_integer(seq), row, sum))?;
            start = end;
        }
        Ok(())
    }
}

/// Removes the oldest entries if there are more than `kept`; entries after `needed` stay. Returns the new position of
/// the newest removed entry if it changed; it was `base` before.
pub(super) fn trim(
    connection: &Connection,
    base: Seq,
    newest: Seq,
    kept: u64,
    needed: Seq,
) -> Result<Option<Seq>> {
    let Some(surplus) = newest.saturating_sub(base).checked_sub(kept) else { return Ok(None) };
    if surplus < TRIM_ENTRIES.min(kept) {
        return Ok(None);
    }
    let up_to = (base + surplus.min(TRIM_ENTRIES_MAX)).min(needed);
    // A row is removed when all its entries may be.
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(last) FROM changes WHERE last <= ?1")?
        .query_row((to_sqlite_integer(up_to),), |row| row.get(0))?;
    let Some(last) = last else { return Ok(None) };
    connection.prepare_cached("DELETE FROM changes WHERE last <= ?1")?.execute((last,))?;
    connection.prepare_cached("UPDATE log_state SET base = ?1")?.execute((last,))?;
    reads::update_log_state_checksum(connection)?;
    Ok(Some(last.unsigned_abs()))
}

/// Returns entries after a position, from one snapshot. Fails with [`Error::Behind`] if some of them were removed.
pub(super) fn read_changes(connection: &Connection, after: Seq, limit: usize) -> Result<Vec<ChangeLogEntry>> {
    let base = reads::log_state(connection)?.base;
    if after < base {
        return Err(Error::Behind { after, base });
    }
    let mut name = connection.prepare_cached("SELECT name FROM names WHERE number = ?1")?;
    let mut names: Vec<(NameNumber, String)> = Vec::new();
    let mut name = |kind: NameNumber| -> Result<String> {
        if let Some((_, name)) = names.iter().find(|(known, _)| *known == kind) {
            return Ok(name.clone());
        }
        let found: Option<String> = name.query_row((kind,), |row| row.get(0)).optional()?;
        let found = found.ok_or(Error::Damaged("the name of a kind"))?;
        names.push((kind, found.clone()));
        Ok(found)
    };
    let mut statement =
        connection.prepare_cached("SELECT last, entries, sum FROM changes WHERE last > ?1 ORDER BY last")?;
    let mut rows = statement.query((to_sqlite_integer(after),))?;
    let mut changes = Vec::new();
    while changes.len() < limit
        && let Some(row) = rows.next()?
    {
        let last: i64 = row.get(0)?;
        let entries = decode(checked_entries(row)?)?;
        let first = last.unsigned_abs() + 1 - entries.len() as u64;
        for (seq, LogEntry { kind, id, version, operation }) in (first..).zip(entries) {
            if seq > after && changes.len() < limit {
                changes.push(ChangeLogEntry { seq, kind: name(kind)?, id, version, operation });
            }
        }
    }
    Ok(changes)
}

/// A transaction: the position of its last entry, and kind, id and operation of each written document.
pub(super) type LoggedTransaction<'t> =
    (Seq, &'t mut dyn Iterator<Item = (NameNumber, String, ChangeOperation)>);

/// Visits the transactions after a position, in order.
pub(super) fn visit_transactions(
    connection: &Connection,
    after: Seq,
    visit: &mut dyn FnMut(LoggedTransaction<'_>) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let mut statement =
        connection.prepare_cached("SELECT last, entries, sum FROM changes WHERE last > ?1 ORDER BY last")?;
    let mut rows = statement.query((to_sqlite_integer(after),))?;
    while let Some(row) = rows.next()? {
        let entries = decode(checked_entries(row)?)?;
        let mut entries = entries.into_iter().map(|entry| (entry.kind, entry.id, entry.operation));
        if visit((row.get::<_, i64>(0)?.unsigned_abs(), &mut entries))?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Returns the encoded entries of a row with the columns last, entries and sum, after checking the checksum.
pub(super) fn checked_entries<'r>(row: &'r Row<'_>) -> Result<&'r [u8]> {
    let last: i64 = row.get(0)?;
    let damaged = || checksum::damaged_value("row of the change log", &last.to_string());
    let bytes = row.get_ref(1)?.as_blob().map_err(|_| damaged())?;
    let sum = row.get(2).map_err(|_| damaged())?;
    if checksum::is_valid(sum, &[last], &[bytes]) { Ok(bytes) } else { Err(damaged()) }
}

/// Migrates the log of the first format, one row for each entry.
pub(super) fn migrate_format_1(transaction: &Transaction<'_>) -> Result<()> {
    let mut old = transaction.prepare(
        "SELECT seq, kind, id, version, operation FROM changes_1
         WHERE seq > (SELECT base FROM log_state) ORDER BY seq",
    )?;
    let mut rows = old.query([])?;
    let mut statements = Statements::new(transaction);
    let (mut entries, mut last) = (LogEntries::default(), 0);
    while let Some(row) = rows.next()? {
        last = row.get::<_, i64>(0)?.unsigned_abs();
        let operation = operation(row.get(4)?)?;
        let id = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
        entries.push(row.get(1)?, id, row.get(3)?, operation);
        if entries.ends.len() == ENTRIES_OF_ROW_MAX {
            entries.write(&mut statements, last)?;
            entries.truncate(0);
        }
    }
    entries.write(&mut statements, last)
}

/// A decoded entry.
#[derive(Debug, PartialEq)]
struct LogEntry {
    kind: NameNumber,
    id: String,
    version: i64,
    operation: ChangeOperation,
}

fn decode(mut row: &[u8]) -> Result<Vec<LogEntry>> {
    let mut entries = Vec::new();
    while let Some((form, rest)) = row.split_first() {
        row = rest;
        let kind = NameNumber::try_from(take_number(&mut row)?).map_err(|_| damaged())?;
        let version = take_number(&mut row)?.cast_signed();
        let id = if form & IS_UUID != 0 {
            let uuid = Uuid::from_slice(take(&mut row, size_of::<Uuid>() as u64)?).map_err(|_| damaged())?;
            uuid.hyphenated().to_string()
        } else {
            let bytes = take_number(&mut row)?;
            String::from_utf8(take(&mut row, bytes)?.to_vec()).map_err(|_| damaged())?
        };
        entries.push(LogEntry { kind, id, version, operation: operation(form & OPERATION)? });
    }
    Ok(entries)
}

fn operation_bits(operation: ChangeOperation) -> u8 {
    match operation {
        ChangeOperation::Created => 1,
        ChangeOperation::Updated => 2,
        ChangeOperation::Deleted => 3,
    }
}

fn operation(bits: u8) -> Result<ChangeOperation> {
    match bits {
        1 => Ok(ChangeOperation::Created),
        2 => Ok(ChangeOperation::Updated),
        3 => Ok(ChangeOperation::Deleted),
        _ => Err(damaged()),
    }
}

/// Returns the UUID if `id` is its usual form: lower case with hyphens.
fn uuid(id: &str) -> Option<Uuid> {
    let is_lower = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
    if id.len() != UUID_TEXT_BYTES || !id.as_bytes().iter().all(is_lower) {
        return None;
    }
    Uuid::try_parse(id).ok()
}

fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Result<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(damaged)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(damaged())
}

fn take<'a>(bytes: &mut &'a [u8], count: u64) -> Result<&'a [u8]> {
    let count = usize::try_from(count).map_err(|_| damaged())?;
    let (taken, rest) = bytes.split_at_checked(count).ok_or_else(damaged)?;
    *bytes = rest;
    Ok(taken)
}

fn damaged() -> Error {
    Error::Damaged("an entry of the change log")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: NameNumber, id: &str, version: i64, operation: ChangeOperation) -> LogEntry {
        LogEntry { kind, id: id.into(), version, operation }
    }

    #[test]
    fn entries_come_back_as_they_were() {
        let uuid = "018f3c2e-0000-7000-8000-0000000000ff";
        let written = [
            entry(1, uuid, 1, ChangeOperation::Created),
            entry(200, "0:a strange id", 300, ChangeOperation::Updated),
            entry(NameNumber::MAX, "", i64::MAX, ChangeOperation::Deleted),
            // In another form, a UUID is stored as text.
            entry(1, &uuid.to_uppercase(), -1, ChangeOperation::Created),
            entry(1, &uuid.replace('-', "0"), 0, ChangeOperation::Created),
        ];
        let mut entries = LogEntries::default();
        for LogEntry { kind, id, version, operation } in &written {
            entries.push(*kind, id, *version, *operation);
        }
        assert_eq!(decode(&entries.bytes).unwrap(), written);
        entries.truncate(2);
        assert_eq!(decode(&entries.bytes).unwrap(), written[..2]);
        entries.truncate(0);
        assert_eq!(decode(&entries.bytes).unwrap(), []);
    }

    #[test]
    fn rejects_damaged_log_rows() {
        for bytes in [&[0][..], &[1, 1], &[1, 1, 1, 9, b'a'], &[IS_UUID | 1, 1, 1, 0], &[1, 0xFF, 0xFF]] {
            assert!(decode(bytes).is_err(), "{bytes:?}");
        }
    }
}
