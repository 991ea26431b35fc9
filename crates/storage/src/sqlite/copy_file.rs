//! A copy of a shop in a closed file: it starts as a backup, and follows the shop one [`Delta`] at a time.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OptionalExtension as _};

use super::{
    Durability,
    checksum::{self, DocumentRow},
    compression,
    connections::{self, Role},
    counters_and_settings, document_counts,
    entries::{self, EntryListBuilder, IndexEntry},
    log::LogEntries,
    name_number::NameNumber,
    name_table::WriterNameTable,
    position::to_sqlite_integer,
    reads,
    records::{self, NewRecord},
    row_cache::RowState,
    statements::{Sql, Statements},
};
use crate::{ChangeLogEntry, Delta, Error, NamedValues, Put, Result, Seq, StoredRecord, UniqueKey};

/// A copy that follows a shop. After an error the file is useless.
#[derive(Debug)]
pub struct CopyFile {
    connection: Connection,
    names: WriterNameTable,
    path: PathBuf,
}

impl CopyFile {
    /// Opens a file written by [`backup`](crate::Storage::backup). Empties its change log, which
    /// [`append_log`](Self::append_log) fills again, beginning with the entry after `base`. Fails if the file cannot be
    /// opened or written.
    pub fn open(path: &Path, epoch: u64, base: Seq) -> Result<Self> {
        let connection = connections::open(path, Role::Reader, Durability::Off)?;
        // A failed copy is discarded, so no journal is needed for a rollback.
        connection.pragma_update(None, "journal_mode", "OFF")?;
        connection.execute("DELETE FROM changes", [])?;
        connection.execute(
            "UPDATE log_state SET epoch = ?1, base = ?2, indexed = ?2",
            (to_sqlite_integer(epoch), to_sqlite_integer(base)),
        )?;
        reads::update_log_state_checksum(&connection)?;
        let names = WriterNameTable::load(&connection)?;
        Ok(CopyFile { connection, names, path: path.to_owned() })
    }

    /// Adds entries of the change log whose documents the copy has already. Fails if the file cannot be written. After
    /// an error the file is useless.
    pub fn append_log(&mut self, changes: &[ChangeLogEntry]) -> Result<()> {
        let CopyFile { connection, names, .. } = self;
        let Some(last) = changes.last() else { return Ok(()) };
        let mut entries = LogEntries::default();
        for ChangeLogEntry { kind, id, version, operation, .. } in changes {
            entries.push(names.get_or_add(connection, kind)?, id, *version, *operation);
        }
        connection.execute_batch("BEGIN")?;
        entries.write(&mut Statements::new(connection), last.seq)?;
        connection.execute("UPDATE log_state SET indexed = ?1", (to_sqlite_integer(last.seq),))?;
        reads::update_log_state_checksum(connection)?;
        connection.execute_batch("COMMIT")?;
        Ok(())
    }

    /// Applies a delta: documents, records, and entries of the change log. Fails if the file cannot be written. After
    /// an error the file is useless.
    pub fn apply(&mut self, delta: &Delta) -> Result<()> {
        {
            let CopyFile { connection, names, .. } = self;
            connection.execute_batch("BEGIN")?;
            // The rows of all documents are deleted first: a key may have moved from one to another.
            for (put, _) in &delta.written {
                remove_rows(connection, names, (&put.kind, &put.id))?;
            }
            for (kind, id) in &delta.deleted {
                if let Some((kind, place, record)) = remove_rows(connection, names, (kind, id))? {
                    if record != records::NONE {
                        records::store_newest_of_deleted(connection, kind, id, record)?;
                    }
                    let mut statements = Statements::new(connection);
                    statements.get(Sql::DeleteDocument)?.execute((place,))?;
                    document_counts::add_in_file(&mut statements, kind, -1)?;
                }
            }
            for (put, revision) in &delta.written {
                write(connection, names, put, *revision)?;
            }
            write_records(connection, names, delta)?;
            if let Some(rest) = &delta.rest {
                write_rest(connection, rest)?;
            }
            connection.execute_batch("COMMIT")?;
        }
        self.append_log(&delta.changes)
    }

    /// Closes the file when it is on disk. A shop can be opened from it then. Fails if the file cannot be synced.
    pub fn finish(self) -> Result<()> {
        let CopyFile { connection, path, .. } = self;
        connection.close().map_err(|(_, error)| Error::from(error))?;
        let synced = fs::File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|error| Error::io(&path, error))
    }
}

/// Deletes the index rows of a document. Returns the numbers of its kind, of its row, and of its newest record; `None`
/// if it does not exist.
fn remove_rows(
    connection: &Connection,
    names: &WriterNameTable,
    (kind, id): (&str, &str),
) -> Result<Option<(NameNumber, i64, i64)>> {
    let Some(kind) = names.get(kind) else { return Ok(None) };
    let mut statements = Statements::new(connection);
    let Some(head) = RowState::read(&mut statements, kind, id)? else { return Ok(None) };
    for entry in entries::rows(&head.entries) {
        match entry? {
            IndexEntry::Unique { path, value } => {
                statements.get(Sql::DeleteUnique)?.execute((kind, path, value, id))?;
            }
            IndexEntry::Indexed { path, value } => {
                statements.get(Sql::DeleteIndexed)?.execute((kind, path, value, id))?;
            }
        }
    }
    Ok(Some((kind, head.number, head.record)))
}

/// Writes a document whose old index rows are deleted.
fn write(connection: &Connection, names: &mut WriterNameTable, put: &Put, revision: i64) -> Result<()> {
    let kind = names.get_or_add(connection, &put.kind)?;
    let mut list = EntryListBuilder::default();
    for UniqueKey { path, value } in &put.unique {
        let path = names.get_or_add(connection, path)?;
        list.add_unique(path, value);
        // The former holder has lost the key; a later entry names it.
        connection
            .prepare_cached(
                "INSERT INTO unique_keys (kind, path, value, id) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET id = excluded.id",
            )?
            .execute((kind, path, value, &put.id))?;
    }
    for (path, value) in &put.indexed {
        let path = names.get_or_add(connection, path)?;
        list.add_indexed(path, value);
        let Some(value) = entries::index_value(value) else { continue };
        connection
            .prepare_cached(
                "INSERT INTO indexed (kind, path, value, id) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )?
            .execute((kind, path, value, &put.id))?;
    }
    let list = list.build();
    let (list, body) = (compression::compress_value(&list), compression::compress_body(&put.body));
    let mut statements = Statements::new(connection);
    let found = statements
        .get(Sql::FindDocument)?
        .query_row((kind, &put.id), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(4)?)));
    let of = DocumentRow { kind, id: &put.id, version: put.version, revision };
    match found.optional()? {
        Some((place, record)) => {
            let sum = of.sum(put.sequence, &body, &list, record);
            let row = (place, put.version, revision, put.sequence, list, body, record, sum);
            statements.get(Sql::UpdateDocument)?.execute(row)?;
        }
        None => {
            let record = records::newest_of_deleted(connection, kind, &put.id)?;
            let sum = of.sum(put.sequence, &body, &list, record);
            let row = (kind, &put.id, put.version, revision, put.sequence, list, body, record, sum);
            statements.get(Sql::InsertDocument)?.execute(row)?;
            document_counts::add_in_file(&mut statements, kind, 1)?;
        }
    }
    Ok(())
}

/// Writes the records of changes; their documents are written already, or deleted.
fn write_records(connection: &Connection, names: &mut WriterNameTable, delta: &Delta) -> Result<()> {
    for (kind, id) in &delta.erased {
        let kind = names.get_or_add(connection, kind)?;
        records::erase_records(connection, kind, id)?;
    }
    for StoredRecord { place, kind, id, body } in &delta.records {
        let kind = names.get_or_add(connection, kind)?;
        let record = NewRecord { kind, id, at_ms: place.at_ms, seq: place.order.unsigned_abs(), body };
        records::insert_missing(connection, &record)?;
    }
    Ok(())
}

fn write_rest(connection: &Connection, rest: &NamedValues) -> Result<()> {
    connection.execute_batch("DELETE FROM counters; DELETE FROM settings; DELETE FROM positions")?;
    for counter in &rest.counters {
        let sum = checksum::row_checksum(&[counter.1], &[counter.0.as_bytes()]);
        let sql = "INSERT INTO counters (name, value, sum) VALUES (?1, ?2, ?3)";
        connection.prepare_cached(sql)?.execute((&counter.0, counter.1, sum))?;
    }
    for setting in &rest.settings {
        counters_and_settings::write_setting(connection, &setting.0, Some(&setting.1))?;
    }
    for (consumer, seq) in &rest.positions {
        counters_and_settings::position(connection, consumer, *seq)?;
    }
    Ok(())
}
