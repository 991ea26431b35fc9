//! Reads and writes backups one document at a time, for storages that are not files. The file is the same that
//! [`backup`](crate::Storage::backup) of a SQLite shop writes and [`restore`](crate::Storage::restore) reads, so a
//! backup moves a shop from one storage to another. Start at [`BackupWriter`] and [`BackupReader`].

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use tempfile::TempPath;

use super::{
    Durability,
    checksum::{self, DocumentRow},
    compression,
    connections::{self, Role},
    content, delta, document_counts,
    entries::{self, EntryListBuilder},
    name_number::NameNumber,
    name_table::WriterNameTable,
    position::to_sqlite_integer,
    reads,
    records::{self, NewRecord},
    schema,
    statements::Statements,
};
use crate::{Error, NamedValues, Put, Result, Seq, StoredRecord, UniqueKey};

/// The bytes that a document counts in addition to its body.
const DOCUMENT_OVERHEAD_BYTES: usize = 1024;

/// A backup that is being written. If dropped before [`finish`](Self::finish), it deletes the file.
#[derive(Debug)]
pub struct BackupWriter {
    /// `None` once it is closed, which happens before the file is renamed.
    connection: Option<Connection>,
    names: WriterNameTable,
    counts: HashMap<NameNumber, i64>,
    partial: PathBuf,
    to: PathBuf,
}

impl BackupWriter {
    /// Creates a file. Fails if it exists already.
    pub fn create(to: &Path) -> Result<Self> {
        if to.exists() {
            return Err(Error::Invalid(format!("{} already exists", to.display())));
        }
        let partial = content::partial_name(to);
        content::remove_if_there(&partial)?;
        // Synced once, at the end.
        drop(connections::open_first(&partial, Durability::Off, schema::MIGRATIONS)?);
        let connection = connections::open(&partial, Role::Reader, Durability::Off)?;
        // An incomplete file is discarded, so no journal is needed for a rollback.
        connection.pragma_update(None, "journal_mode", "OFF")?;
        let names = WriterNameTable::load(&connection)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let counts = HashMap::new();
        Ok(BackupWriter { connection: Some(connection), names, counts, partial, to: to.to_owned() })
    }

    /// Adds a document with its revision. Each document only once. Fails if the file cannot be written, or if the
    /// document or a unique key is in it already.
    pub fn document(&mut self, put: &Put, revision: i64) -> Result<()> {
        let BackupWriter { connection: Some(connection), names, counts, .. } = self else {
            return Err(Error::Closed);
        };
        let kind = names.get_or_add(connection, &put.kind)?;
        let mut list = EntryListBuilder::default();
        for UniqueKey { path, value } in &put.unique {
            let path = names.get_or_add(connection, path)?;
            list.add_unique(path, value);
            let mut insert = connection
                .prepare_cached("INSERT INTO unique_keys (kind, path, value, id) VALUES (?1, ?2, ?3, ?4)")?;
            insert.execute((kind, path, value, &put.id))?;
        }
        for (path, value) in &put.indexed {
            let path = names.get_or_add(connection, path)?;
            list.add_indexed(path, value);
            let Some(value) = entries::index_value(value) else { continue };
            let mut insert = connection.prepare_cached(
                "INSERT INTO indexed (kind, path, value, id) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )?;
            insert.execute((kind, path, value, &put.id))?;
        }
        let mut insert = connection.prepare_cached(
            "INSERT INTO documents (kind, id, version, revision, sequence, entries, body, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        let (list, body) = (list.build(), compression::compress_body(&put.body));
        let list = compression::compress_value(&list);
        let sum = DocumentRow { kind, id: &put.id, version: put.version, revision }.sum(
            put.sequence,
            &body,
            &list,
            records::NONE,
        );
        let row = (kind, &put.id, put.version, revision, put.sequence, list, body, sum);
        insert.execute(row)?;
        *counts.entry(kind).or_default() += 1;
        Ok(())
    }

    /// Adds a record. Only after all documents, oldest first, and each record only once. Fails if the file cannot be
    /// written.
    pub fn record(&mut self, record: &StoredRecord) -> Result<()> {
        let BackupWriter { connection: Some(connection), names, .. } = self else {
            return Err(Error::Closed);
        };
        let StoredRecord { place, kind, id, body } = record;
        let kind = names.get_or_add(connection, kind)?;
        let record = NewRecord { kind, id, at_ms: place.at_ms, seq: place.order.unsigned_abs(), body };
        records::append(connection, &record)
    }

    /// Adds a counter. Fails if the file cannot be written, or if the counter is in it already.
    pub fn add_counter(&mut self, name: &str, value: i64) -> Result<()> {
        let sum = checksum::row_checksum(&[value], &[name.as_bytes()]);
        self.insert("INSERT INTO counters (name, value, sum) VALUES (?1, ?2, ?3)", (name, value, sum))
    }

    /// Adds a setting. Fails if the file cannot be written, or if the setting is in it already.
    pub fn add_setting(&mut self, name: &str, value: &str) -> Result<()> {
        let sum = checksum::row_checksum(&[], &[name.as_bytes(), value.as_bytes()]);
        self.insert("INSERT INTO settings (name, value, sum) VALUES (?1, ?2, ?3)", (name, value, sum))
    }

    /// Adds the position of a consumer of the change log. Fails if the file cannot be written, or if the consumer is in
    /// it already.
    pub fn position(&mut self, consumer: &str, seq: Seq) -> Result<()> {
        let (seq, sql) =
            (to_sqlite_integer(seq), "INSERT INTO positions (consumer, seq, sum) VALUES (?1, ?2, ?3)");
        self.insert(sql, (consumer, seq, checksum::row_checksum(&[seq], &[consumer.as_bytes()])))
    }

    /// Syncs the file and gives it its final name. `newest` is the last position of the change log, which a backup does
    /// not contain. Fails if the file cannot be written, synced or renamed.
    pub fn finish(mut self, newest: Seq) -> Result<()> {
        for (kind, documents) in std::mem::take(&mut self.counts) {
            let connection = self.connection.as_ref().ok_or(Error::Closed)?;
            document_counts::set_in_file(&mut Statements::new(connection), kind, documents)?;
        }
        self.insert("UPDATE log_state SET base = ?1, indexed = ?1", (to_sqlite_integer(newest),))?;
        let connection = self.connection.take().ok_or(Error::Closed)?;
        reads::update_log_state_checksum(&connection)?;
        connection.execute_batch("COMMIT")?;
        connection.close().map_err(|(_, error)| Error::from(error))?;
        let synced = fs::File::open(&self.partial).and_then(|file| file.sync_all());
        synced.map_err(|error| Error::io(&self.partial, error))?;
        content::give_name(&self.partial, &self.to, Durability::Full)
    }

    fn insert(&self, sql: &str, row: impl rusqlite::Params) -> Result<()> {
        self.connection.as_ref().ok_or(Error::Closed)?.prepare_cached(sql)?.execute(row)?;
        Ok(())
    }
}

impl Drop for BackupWriter {
    fn drop(&mut self) {
        // After `finish` the file has another name, and this deletes nothing.
        drop(self.connection.take());
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let mut file = self.partial.as_os_str().to_owned();
            file.push(suffix);
            let _ = fs::remove_file(file);
        }
    }
}

/// A backup that is being read. It may have the format of an earlier release.
#[derive(Debug)]
pub struct BackupReader {
    connection: Connection,
    names: HashMap<NameNumber, String>,
    _copy: Option<TempPath>,
}

impl BackupReader {
    /// Opens a file. Fails if it is not a backup, or if a later release wrote it.
    pub fn open(from: &Path) -> Result<Self> {
        let (from, copy) = content::migrate_backup(from, &std::env::temp_dir())?;
        let connection = connections::open(&from, Role::Reader, Durability::Off)?;
        let names = delta::names(&connection)?;
        Ok(BackupReader { connection, names, _copy: copy })
    }

    /// Returns the next documents after `place` with their revisions, in the order of their first writes, until they
    /// have `bytes` bytes. The first place is 0; an empty result means the end. Fails if the file cannot be read, or if
    /// a row is damaged.
    pub fn documents(&self, place: &mut i64, bytes: usize) -> Result<Vec<(Put, i64)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT kind, id, version, revision, sequence, entries, body, record, sum, number FROM documents
             WHERE number > ?1 ORDER BY number",
        )?;
        let mut rows = statement.query([*place])?;
        let (mut documents, mut read) = (Vec::new(), 0);
        while read < bytes
            && let Some(row) = rows.next()?
        {
            let document = delta::document(row, &self.names)?;
            // Small documents have an overhead, too.
            read += document.0.body.len() + DOCUMENT_OVERHEAD_BYTES;
            documents.push(document);
            *place = row.get(9)?;
        }
        Ok(documents)
    }

    /// Returns the next records after `place`, oldest first, until they have `bytes` bytes. The first place is 0; an
    /// empty result means the end. Fails if the file cannot be read, or if a row is damaged.
    pub fn records(&self, place: &mut i64, bytes: usize) -> Result<Vec<StoredRecord>> {
        records::read_after(&self.connection, place, bytes)
    }

    /// Returns kind and path of all unique keys and index values. Fails if the file cannot be read.
    pub fn paths(&self) -> Result<Vec<(String, String)>> {
        let mut statement = self.connection.prepare(
            "SELECT DISTINCT kind, path FROM unique_keys UNION SELECT DISTINCT kind, path FROM indexed",
        )?;
        let mut rows = statement.query([])?;
        let mut paths = Vec::new();
        while let Some(row) = rows.next()? {
            paths.push((self.name(row.get(0)?)?, self.name(row.get(1)?)?));
        }
        Ok(paths)
    }

    /// Returns all counters with their values. Fails if the file cannot be read, or if a row is damaged.
    pub fn counters(&self) -> Result<Vec<(String, i64)>> {
        delta::read_counters(&self.connection)
    }

    /// Returns all settings with their values. Fails if the file cannot be read, or if a row is damaged.
    pub fn settings(&self) -> Result<Vec<(String, String)>> {
        delta::read_settings(&self.connection)
    }

    /// Returns all data outside of documents. Fails if the file cannot be read, or if a row is damaged.
    pub fn named_values(&self) -> Result<NamedValues> {
        delta::read_named_values(&self.connection)
    }

    /// Returns the last position of the change log. Fails if the file cannot be read, or if the row is damaged.
    pub fn last_position(&self) -> Result<Seq> {
        Ok(reads::log_state(&self.connection)?.newest)
    }

    fn name(&self, number: NameNumber) -> Result<String> {
        self.names.get(&number).cloned().ok_or(Error::Damaged("the name of a kind or path"))
    }
}
