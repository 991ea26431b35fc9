//! Checksums of rows: each row of a document, a record, a counter etc. has a CRC-32 of its values, so that a bit
//! flipped on disk causes an error instead of a wrong value.
//!
//! A checksum is computed when the row is written, and compared when the row is read from the file. Cached data is not
//! compared again. Rows of earlier releases have no checksum (`NULL`) until their next write.
//!
//! Rows of `unique_keys` and `indexed` have no checksum: `documents.entries` repeats them, and is covered by the
//! document's checksum. See `absence` and `verify`.

use crc32fast::Hasher;
use rusqlite::{Connection, Row, Transaction, types::Type};

use super::name_number::NameNumber;
use crate::{DamagedRow, Error, Result};

/// Makes SQLite store a checksum in eight bytes, so that no single flipped bit turns it into `NULL`.
const MARK: i64 = 1 << 62;

/// The tables whose rows have checksums.
const TABLES: [&str; 10] = [
    "documents",
    "records",
    "record_ends",
    "counts",
    "counters",
    "positions",
    "settings",
    "changes",
    "names",
    "log_state",
];

/// Adds the column to tables that lack it, in constant time.
pub(super) fn add_columns(transaction: &Transaction<'_>, tables: &[&str]) -> Result<()> {
    for table in tables {
        let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = 'sum'";
        let columns: i64 = transaction.query_row(sql, [table], |row| row.get(0))?;
        if columns == 0 {
            transaction.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN sum INTEGER"))?;
        }
    }
    Ok(())
}

/// Adds the column to all tables that have it in this release.
pub(super) fn add_all_columns(transaction: &Transaction<'_>) -> Result<()> {
    add_columns(transaction, &TABLES)
}

/// Returns the checksum of a row with these numbers and texts: the value of the column `sum`.
pub fn row_checksum(numbers: &[i64], texts: &[&[u8]]) -> i64 {
    MARK | i64::from(crc(numbers, texts))
}

/// Returns whether a row matches its checksum, or has none.
pub(super) fn is_valid(sum: Option<i64>, numbers: &[i64], texts: &[&[u8]]) -> bool {
    sum.is_none_or(|sum| sum == row_checksum(numbers, texts))
}

fn crc(numbers: &[i64], texts: &[&[u8]]) -> u32 {
    let mut hasher = Hasher::new();
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    for text in texts {
        // With lengths, so that no byte can move from one text to the next.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.finalize()
}

/// The values of a document's row apart from its body and its list of index rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentRow<'r> {
    pub(super) kind: NameNumber,
    pub(super) id: &'r str,
    pub(super) version: i64,
    pub(super) revision: i64,
}

impl DocumentRow<'_> {
    /// Returns the checksum of the row: one half over the body and one over the list of index rows, because no query
    /// reads both. `body` and `entries` are in their stored form.
    pub(super) fn sum(&self, sequence: i64, body: &[u8], entries: &[u8], record: i64) -> i64 {
        join(self.body_half(sequence, body), self.entries_half(entries, record))
    }

    /// Returns the new checksum of a row whose list of index rows or newest record changed.
    pub(super) fn sum_with_entries(&self, sum: i64, entries: &[u8], record: i64) -> i64 {
        join(split(sum).0, self.entries_half(entries, record))
    }

    /// Returns whether the body matches the checksum, or has none.
    pub(super) fn has_body(&self, sum: Option<i64>, sequence: i64, body: &[u8]) -> bool {
        sum.is_none_or(|sum| split(sum).0 == self.body_half(sequence, body))
    }

    /// Returns whether the list of index rows and the newest record match the checksum, or have none.
    pub(super) fn has_entries(&self, sum: Option<i64>, entries: &[u8], record: i64) -> bool {
        sum.is_none_or(|sum| split(sum).1 == self.entries_half(entries, record))
    }

    fn body_half(&self, sequence: i64, body: &[u8]) -> u32 {
        let numbers = [i64::from(self.kind), self.version, self.revision, sequence];
        crc(&numbers, &[self.id.as_bytes(), body])
    }

    fn entries_half(&self, entries: &[u8], record: i64) -> u32 {
        let numbers = [i64::from(self.kind), self.version, self.revision, record];
        crc(&numbers, &[self.id.as_bytes(), entries])
    }
}

fn join(body: u32, entries: u32) -> i64 {
    (u64::from(body) << 32 | u64::from(entries)).cast_signed()
}

fn split(sum: i64) -> (u32, u32) {
    let sum = sum.cast_unsigned();
    // The two halves of 64 bits.
    ((sum >> 32) as u32, sum as u32)
}

/// Returns the error of a damaged row of a kind. `id` is the id in the row, or the one that was looked up.
pub(super) fn damaged_row(row: &'static str, kind: NameNumber, id: &str) -> Error {
    Error::DamagedRow(DamagedRow { row, kind: kind.to_string().into(), id: id.into() })
}

/// Returns the error of a damaged row without a kind.
pub(super) fn damaged_value(row: &'static str, name: &str) -> Error {
    Error::DamagedRow(DamagedRow { row, kind: "".into(), id: name.into() })
}

/// Wraps the error for a callback that visits rows.
pub(super) fn row_error(error: Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, Box::new(error))
}

/// Reads a named number and compares its checksum: a counter, or the position of a consumer.
pub(super) fn named_number(row: &Row<'_>, what: &'static str, name: &str) -> rusqlite::Result<i64> {
    let damaged = || row_error(damaged_value(what, name));
    let value: i64 = row.get(0).map_err(|_| damaged())?;
    let sum = row.get(1).map_err(|_| damaged())?;
    if is_valid(sum, &[value], &[name.as_bytes()]) { Ok(value) } else { Err(damaged()) }
}

/// Writes the number of the newest record into the row of a document. Returns false if there is no such row.
pub(super) fn set_record(connection: &Connection, kind: NameNumber, id: &str, record: i64) -> Result<bool> {
    let mut find = connection.prepare_cached(
        "SELECT number, version, revision, entries, record, sum FROM documents WHERE kind = ?1 AND id = ?2",
    )?;
    let mut rows = find.query((kind, id))?;
    let Some(row) = rows.next()? else { return Ok(false) };
    let document = DocumentRow { kind, id, version: row.get(1)?, revision: row.get(2)? };
    let entries = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
    let sum: Option<i64> = row.get(5)?;
    if !document.has_entries(sum, entries, row.get(4)?) {
        return Err(damaged_row("document", kind, id));
    }
    let number: i64 = row.get(0)?;
    let sum = sum.map(|sum| document.sum_with_entries(sum, entries, record));
    drop(rows);
    let mut update =
        connection.prepare_cached("UPDATE documents SET record = ?2, sum = ?3 WHERE number = ?1")?;
    Ok(update.execute((number, record, sum))? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_of_a_document_counts() {
        let row = DocumentRow { kind: 1, id: "a", version: 2, revision: 3 };
        let written = row.sum(4, b"{}", b"list", 5);
        let sum = Some(written);
        assert!(row.has_body(sum, 4, b"{}") && row.has_entries(sum, b"list", 5));
        assert!(!row.has_body(sum, 5, b"{}") && !row.has_body(sum, 4, b"{]"));
        assert!(!row.has_entries(sum, b"list", 6) && !row.has_entries(sum, b"lisd", 5));
        for other in [
            DocumentRow { kind: 2, ..row },
            DocumentRow { id: "b", ..row },
            DocumentRow { version: 3, ..row },
            DocumentRow { revision: 4, ..row },
        ] {
            assert!(!other.has_body(sum, 4, b"{}") && !other.has_entries(sum, b"list", 5), "{other:?}");
        }
        let with_other_record = Some(row.sum_with_entries(written, b"list", 9));
        assert_eq!(with_other_record, Some(row.sum(4, b"{}", b"list", 9)));
        assert!(row.has_body(None, 0, b"") && row.has_entries(None, b"", 0), "rows of earlier releases");
    }

    #[test]
    fn a_byte_cannot_move_from_one_text_to_the_next() {
        assert_ne!(row_checksum(&[], &[b"ab", b"c"]), row_checksum(&[], &[b"a", b"bc"]));
        assert!(row_checksum(&[], &[]) >= MARK);
    }
}
