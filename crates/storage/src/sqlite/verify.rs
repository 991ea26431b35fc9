//! Verifies a file: its pages, the checksums of its rows, and that its indexes match its documents (`kontor verify`).
//!
//! Reads the whole file once. Index rows are first compared as a whole, by a sum of their hashes; only if the sums
//! differ, they are looked up one by one to name the documents. Start at [`verify_file`].

mod report;

pub use self::report::{DamageFinding, VerifyReport};

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
};

use rusqlite::{Connection, OpenFlags, types::Value};

use super::{
    checksum, compression,
    connections::read_snapshot,
    delta::{self, CheckedRow},
    entries::{self, IndexEntry},
    log,
    name_number::NameNumber,
    reads::{self, LogState},
    records::RecordRow,
    row_changes, schema,
};
use crate::{DamagedRow, Error, Result};

/// The first format whose rows have checksums.
const FORMAT_WITH_CHECKSUMS: i64 = 9;

/// Verifies the file of a shop or a backup, even while a server has it open.
///
/// # Errors
/// If the file cannot be opened, or is not a shop. Damage is not an error, but in the result.
pub fn verify_file(path: &Path) -> Result<VerifyReport> {
    let connection = open(path)?;
    let format = schema::check_format(&connection, path, schema::MIGRATIONS)?;
    let mut verified = VerifyReport::default();
    verify_pages(&connection, &mut verified);
    if format >= FORMAT_WITH_CHECKSUMS {
        let checked = read_snapshot(&connection, |connection| {
            let mut check = FileCheck { connection, names: HashMap::new(), verified: &mut verified };
            check.all();
            Ok(())
        });
        if let Err(error) = checked {
            verified.add("", "", error.to_string());
        }
    }
    Ok(verified)
}

fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags)?)
}

/// Verifies the pages of any SQLite database, and adds what is damaged to the report.
pub fn verify_pages(connection: &Connection, verified: &mut VerifyReport) {
    let checked = (|| -> rusqlite::Result<Vec<String>> {
        let mut check = connection.prepare("PRAGMA integrity_check(100)")?;
        check.query_map([], |row| row.get(0))?.collect()
    })();
    match checked {
        Ok(lines) => {
            for line in lines.into_iter().filter(|line| line != "ok") {
                let (kind, id) = document_of_line(connection, &line).unwrap_or_default();
                verified.add(&kind, &id, line.replace('\n', " "));
            }
        }
        Err(error) => verified.add("", "", error.to_string()),
    }
}

/// Returns kind and id of the document that a line of SQLite's check identifies by its row number.
fn document_of_line(connection: &Connection, line: &str) -> Option<(String, String)> {
    let (number, index) = line.strip_prefix("row ")?.split_once(" missing from index ")?;
    let number: i64 = number.parse().ok()?;
    if index != "documents_by_id" {
        return None;
    }
    let sql = "SELECT n.name, d.id FROM documents d JOIN names n ON n.number = d.kind WHERE d.number = ?1";
    connection.query_row(sql, [number], |row| Ok((row.get(0)?, row.get(1)?))).ok()
}

/// The rows of an index, as a sum that does not depend on their order.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
struct RowsSum {
    rows: u64,
    sum: u64,
}

impl RowsSum {
    fn add(&mut self, kind: NameNumber, path: NameNumber, value: &Value, id: &str) {
        let mut hasher = DefaultHasher::new();
        (kind, path, id).hash(&mut hasher);
        match value {
            Value::Text(text) => (1, text).hash(&mut hasher),
            // The index treats 1 and 1.0 as the same value.
            Value::Integer(number) => (2, *number).hash(&mut hasher),
            Value::Real(number) => (3, number.to_bits()).hash(&mut hasher),
            Value::Blob(bytes) => (4, bytes).hash(&mut hasher),
            Value::Null => 5.hash(&mut hasher),
        }
        self.rows += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }
}

struct FileCheck<'c> {
    connection: &'c Connection,
    names: HashMap<NameNumber, String>,
    verified: &'c mut VerifyReport,
}

impl FileCheck<'_> {
    fn all(&mut self) {
        match delta::names(self.connection) {
            Ok(names) => self.names = names,
            Err(error) => self.add_error(&error),
        }
        let steps: [fn(&mut Self) -> Result<()>; 4] =
            [Self::documents, Self::records, Self::change_log, Self::named_values];
        for step in steps {
            if let Err(error) = step(self) {
                self.add_error(&error);
            }
        }
    }

    fn add_error(&mut self, error: &Error) {
        match error {
            Error::DamagedRow(DamagedRow { row, kind, id }) => {
                let kind = kind.parse().map_or_else(|_| kind.to_string(), |number| self.name(number));
                self.verified.add(&kind, id, format!("the {row} is not as it was written"));
            }
            error => self.verified.add("", "", error.to_string()),
        }
    }

    fn name(&self, kind: NameNumber) -> String {
        self.names.get(&kind).cloned().unwrap_or_else(|| format!("kind {kind}"))
    }

    fn documents(&mut self) -> Result<()> {
        let LogState { indexed, .. } = reads::log_state(self.connection)?;
        let mut counts: HashMap<NameNumber, i64> = HashMap::new();
        let (mut keys, mut values) = (RowsSum::default(), RowsSum::default());
        let mut are_all_read = true;
        let mut select = self.connection.prepare(DOCUMENTS)?;
        let mut rows = select.query([])?;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => break,
                // A damaged page ends the scan: the documents on it are looked up one by one.
                Err(error) => {
                    drop(rows);
                    return self.unreadable_documents(&error.into());
                }
            };
            self.verified.documents += 1;
            *counts.entry(row.get(0).unwrap_or_default()).or_default() += 1;
            if row.get::<_, Option<i64>>(8).is_ok_and(|sum| sum.is_none()) {
                self.verified.without_checksum += 1;
            }
            let read = CheckedRow::read(row).and_then(|document| {
                let damaged = |_| checksum::damaged_row("document", document.row.kind, document.row.id);
                compression::decompress(document.body).map_err(damaged)?;
                each_row(&document, indexed.cast_signed(), &mut |entry| match entry {
                    IndexEntry::Unique { path, value } => {
                        keys.add(document.row.kind, *path, &Value::Text(value.clone()), document.row.id);
                    }
                    IndexEntry::Indexed { path, value } => {
                        values.add(document.row.kind, *path, value, document.row.id);
                    }
                })
                .map_err(damaged)
            });
            if let Err(error) = read {
                are_all_read = false;
                self.add_error(&error);
            }
        }
        drop(rows);
        self.counts(&counts)?;
        // The rows of an unreadable document are unknown.
        if are_all_read && (self.sum_of("unique_keys")?, self.sum_of("indexed")?) != (keys, values) {
            self.index_rows(indexed.cast_signed())?;
        }
        Ok(())
    }

    /// Names the documents that are on damaged pages: those that the index has and that cannot be read.
    fn unreadable_documents(&mut self, scan: &Error) -> Result<()> {
        let mut all = self
            .connection
            .prepare("SELECT number, kind, id FROM documents INDEXED BY documents_by_id ORDER BY kind, id")?;
        // The checks of all values make sure that each page of a row is read.
        let mut one = self.connection.prepare("SELECT body, entries FROM documents WHERE number = ?1")?;
        let (mut rows, mut is_named) = (all.query([])?, false);
        while let Some(row) = rows.next()? {
            let (number, kind, id): (i64, NameNumber, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let read = one.query_row([number], |row| {
                row.get_ref(0)?;
                row.get_ref(1).map(drop)
            });
            if let Err(error) = read {
                is_named = true;
                self.verified.add(&self.name(kind), &id, format!("the document cannot be read: {error}"));
            }
        }
        if !is_named {
            self.verified.add("", "", scan.to_string());
        }
        Ok(())
    }

    fn counts(&mut self, counts: &HashMap<NameNumber, i64>) -> Result<()> {
        for (kind, counted) in counts {
            match reads::count(self.connection, *kind) {
                Ok(count) if count == counted.unsigned_abs() => {}
                Ok(count) => {
                    let what = format!("the file says that there are {count} documents, and has {counted}");
                    self.verified.add(&self.name(*kind), "", what);
                }
                Err(error) => self.add_error(&error),
            }
        }
        Ok(())
    }

    fn sum_of(&self, table: &str) -> Result<RowsSum> {
        let mut sum = RowsSum::default();
        let mut select = self.connection.prepare(&format!("SELECT kind, path, value, id FROM {table}"))?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let id: String = row.get(3)?;
            sum.add(row.get(0)?, row.get(1)?, &row.get(2)?, &id);
        }
        Ok(sum)
    }

    /// Reports the documents whose rows are missing in the indexes.
    fn index_rows(&mut self, indexed: i64) -> Result<()> {
        let mut has_named = false;
        let mut key = self
            .connection
            .prepare("SELECT 1 FROM unique_keys WHERE kind = ?1 AND path = ?2 AND value = ?3 AND id = ?4")?;
        let mut value_row = self
            .connection
            .prepare("SELECT 1 FROM indexed WHERE kind = ?1 AND path = ?2 AND value = ?3 AND id = ?4")?;
        let mut select = self.connection.prepare(DOCUMENTS)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let document = CheckedRow::read(row)?;
            let (kind, id) = (document.row.kind, document.row.id);
            let mut missing = Vec::new();
            each_row(&document, indexed, &mut |entry| {
                let found = match entry {
                    IndexEntry::Unique { path, value } => key.exists((kind, path, value, id)),
                    IndexEntry::Indexed { path, value } => value_row.exists((kind, path, value, id)),
                };
                if !found.unwrap_or(false) {
                    missing.push(match entry {
                        IndexEntry::Unique { path, .. } => (*path, "unique key"),
                        IndexEntry::Indexed { path, .. } => (*path, "index row"),
                    });
                }
            })?;
            for (path, row) in missing {
                has_named = true;
                let what = format!("its {row} of {} is missing", self.name(path));
                self.verified.add(&self.name(kind), id, what);
            }
        }
        if !has_named {
            self.verified.add("", "", "the indexes have rows that no document has");
        }
        Ok(())
    }

    fn records(&mut self) -> Result<()> {
        let mut select =
            self.connection.prepare("SELECT number, previous, kind, id, body, sum FROM records")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            if let Err(error) = RecordRow::read(row) {
                self.add_error(&error);
            }
        }
        let mut select = self.connection.prepare("SELECT kind, id, record, sum FROM record_ends")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (kind, id, record): (NameNumber, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            if !checksum::is_valid(row.get(3)?, &[kind.into(), record], &[id.as_bytes()]) {
                self.add_error(&checksum::damaged_row("end of the records", kind, &id));
            }
        }
        Ok(())
    }

    fn change_log(&mut self) -> Result<()> {
        let mut select = self.connection.prepare("SELECT last, entries, sum FROM changes")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            if let Err(error) = log::checked_entries(row) {
                self.add_error(&error);
            }
        }
        Ok(())
    }

    fn named_values(&mut self) -> Result<()> {
        delta::read_named_values(self.connection).map(drop)
    }
}

/// Selects all documents, for [`CheckedRow::read`].
const DOCUMENTS: &str =
    "SELECT kind, id, version, revision, sequence, entries, body, record, sum FROM documents";

/// Visits the rows of a document that the indexes should have now, considering deferred rows.
fn each_row(document: &CheckedRow<'_>, indexed: i64, visit: &mut dyn FnMut(&IndexEntry)) -> Result<()> {
    let list = compression::decompress(document.entries)?;
    let is_deferred = document.row.revision > indexed && !entries::split_marks(&list).1.is_empty();
    let (outdated, missing) =
        if is_deferred { row_changes::deferred_rows(&list)? } else { Default::default() };
    for entry in entries::rows(&list) {
        let entry = entry?;
        let is_missing = is_deferred
            && matches!(&entry, IndexEntry::Indexed { path, value: Value::Text(text) }
                if missing.iter().any(|(at, value)| at == path && value == text));
        if !is_missing {
            visit(&entry);
        }
    }
    for (path, text) in outdated {
        visit(&IndexEntry::Indexed { path, value: Value::Text(text) });
    }
    Ok(())
}
