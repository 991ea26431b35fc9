//! The embedded storage: one SQLite file for each shop. Start at [`Sqlite`].
//!
//! **One write**: [`Storage::commit`] puts the commit into the `queue`. The thread of the `writer` takes all queued
//! commits, opens one transaction, has `apply` write each in a savepoint (`preconditions` are checked before and
//! after), commits, updates the `cache`, wakes listeners and acknowledges the commits. A `checkpoint` follows in the
//! background when the write-ahead log has grown.
//!
//! **One read**: the `cache` has the document (or the ids by value: `cached_index_visit`), or a connection of the pool
//! in `connections` reads it (`reads`, `index_reads`) and fills the cache.

mod absence;
mod apply;
mod backup_file;
mod batch;
mod cache;
mod cached_index_visit;
mod cached_reads;
mod checkpoint;
mod checksum;
mod compression;
mod connections;
mod content;
mod copy_file;
mod counters_and_settings;
mod damage;
mod database_state;
mod deferred_index;
mod delta;
mod disk_space;
mod document_counts;
mod entries;
mod erasure;
mod erasure_state;
mod file_watch;
mod header;
mod housekeeping;
mod index_query;
mod index_reads;
mod inspect_file;
mod lines;
mod log;
mod name_number;
mod name_table;
mod options;
mod page;
mod position;
mod preconditions;
mod provisional_revisions;
mod queue;
mod reads;
mod records;
mod row_cache;
mod row_changes;
mod schema;
mod statements;
mod submit;
mod unique_batch;
mod unused_bytes;
mod verify;
mod writer;

use std::{
    ops::ControlFlow,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::sync_channel,
    },
};

pub use self::backup_file::{BackupReader, BackupWriter};
pub use self::checksum::row_checksum;
pub use self::copy_file::CopyFile;
pub use self::damage::DamageLog;
pub use self::header::check_file;
pub use self::inspect_file::{has_documents, read_setting};
pub use self::options::{CACHE_BYTES_DEFAULT, CHANGES_KEPT_DEFAULT, Durability, IDLE_DEFAULT, SqliteOptions};
pub use self::verify::{DamageFinding, VerifyReport, verify_file, verify_pages};

use tempfile::TempDir;
use tokio::sync::watch;

use self::{
    cache::{Cache, CacheLookup},
    connections::ConnectionPool,
    content::{ContentJob, Replacement},
    database_state::DatabaseState,
    deferred_index::DeferredIndex,
    erasure_state::ErasureState,
    file_watch::FileWatch,
    index_query::IndexQuery,
    index_reads::NumberedPath,
    name_number::NameNumber,
    name_table::NameTable,
    queue::{CommitJob, WriterQueue},
};
use crate::{
    BatchKey, ChangeLogEntry, Commit, CommitFuture, Delta, Error, IndexPage, IndexRange, RecordRange, Result,
    ScanDirection, Seq, Storage, StoredDocument, StoredDocumentRef, StoredRecord,
};

/// A shop in a SQLite file.
///
/// Dropping it writes queued commits and ends its threads.
pub struct Sqlite {
    shared: Arc<DatabaseState>,
    /// The folder of a temporary database, removed after the connections are closed.
    _folder: Option<TempDir>,
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sqlite").field("path", &self.shared.path).finish_non_exhaustive()
    }
}

impl Sqlite {
    /// Opens a file; creates it if it does not exist, and migrates it if an earlier release wrote it. Only one process
    /// may open it at a time: see [`FolderLock`](crate::FolderLock).
    ///
    /// # Errors
    /// [`Error::DamagedFile`] for a damaged file, [`Error::NewerFormat`] for one of a later release, [`Error::Io`] if
    /// the file or its folder cannot be read or written, and [`Error::Full`] if the disk has no space for a migration.
    pub fn open(path: &Path, options: SqliteOptions) -> Result<Self> {
        Self::open_with(path, options, schema::MIGRATIONS, None)
    }

    /// Opens a new database that is deleted when dropped: a file in a temporary folder that is never synced. Fails if
    /// the temporary folder or file cannot be created.
    pub fn in_memory(options: SqliteOptions) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("kontor-")
            .tempdir()
            .map_err(|error| Error::io(std::env::temp_dir(), error))?;
        let path = folder.path().join("shop.sqlite");
        let options = SqliteOptions { durability: Durability::Off, disk_bytes_kept: 0, ..options };
        Self::open_with(&path, options, schema::MIGRATIONS, Some(folder))
    }

    fn open_with(
        path: &Path,
        options: SqliteOptions,
        migrations: &[schema::SchemaMigration],
        folder: Option<TempDir>,
    ) -> Result<Self> {
        let SqliteOptions {
            project,
            durability,
            cache_bytes,
            idle,
            changes_kept,
            file_bytes_max,
            disk_bytes_kept,
            deferred_paths,
            gathered,
        } = options;
        let connection = connections::open_first(path, durability, migrations)?;
        let watch = Arc::new(FileWatch::new(path, durability == Durability::Full));
        let names = NameTable::default();
        names.load(&connection)?;
        let reads::LogState { epoch, newest, indexed, .. } = reads::log_state(&connection)?;
        let page_bytes = connections::page_bytes(&connection)?;
        let pages_max =
            file_bytes_max.map(|bytes| u32::try_from(bytes.div_ceil(page_bytes)).unwrap_or(u32::MAX));
        if let Some(pages) = pages_max {
            connection.pragma_update(None, "max_page_count", pages)?;
        }
        let deferred_index = DeferredIndex::new(deferred_paths, gathered);
        deferred_index.catch_up(&connection, &names, indexed, newest)?;
        let shared = Arc::new(DatabaseState {
            project,
            path: path.to_owned(),
            durability,
            pages_max,
            disk_bytes_kept,
            idle,
            changes_kept,
            readers: ConnectionPool::new(path.to_owned(), durability, connection, Arc::clone(&watch)),
            watch,
            damage: DamageLog::default(),
            is_full: AtomicBool::new(false),
            names,
            cache: Cache::new(cache_bytes),
            queue: WriterQueue::default(),
            run_writer: writer::run,
            deferred_index,
            newest: watch::Sender::new(newest),
            epoch: AtomicU64::new(epoch),
            transactions: AtomicU64::new(0),
            is_checkpointing: AtomicBool::new(false),
            erasure: ErasureState::default(),
        });
        erasure::resume(&shared, &*shared.readers.acquire()?)?;
        housekeeping::watch_database(&shared);
        Ok(Sqlite { shared, _folder: folder })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Returns the number of transactions since the file was opened, each with one sync. Commits that wait together
    /// share a transaction.
    pub fn transactions(&self) -> u64 {
        self.shared.transactions.load(Ordering::Relaxed)
    }

    fn kind(&self, kind: &str) -> Option<NameNumber> {
        self.shared.names.get(kind)
    }

    fn kind_and_path(&self, kind: &str, path: &str) -> Option<NumberedPath> {
        Some(NumberedPath { kind: self.kind(kind)?, path: self.shared.names.get(path)? })
    }

    /// Returns an index query; `None` if no document ever had a value at the path.
    fn index_query<'q>(&'q self, kind: &str, path: &str, range: &'q IndexRange) -> Option<IndexQuery<'q>> {
        let place = self.kind_and_path(kind, path)?;
        Some(IndexQuery {
            sqlite: self,
            place,
            is_deferrable: self.shared.deferred_index.is_deferrable(kind, path),
            range,
        })
    }

    fn replace_content(&self, replacement: Replacement) -> Result<()> {
        let (response, receiver) = sync_channel(1);
        submit::submit_content(&self.shared, ContentJob { replacement, reply: response })?;
        receiver.recv().unwrap_or(Err(Error::Closed))
    }

    /// Has the writer write all deferred index rows.
    fn write_rows(&self) -> Result<()> {
        let (response, receiver) = sync_channel(1);
        submit::rows(&self.shared, response)?;
        receiver.recv().unwrap_or(Err(Error::Closed))
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.close();
    }
}

impl Storage for Sqlite {
    fn get(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>> {
        let Some(kind) = self.kind(kind) else { return Ok(None) };
        match self.document_unless_busy(kind, id)? {
            Some(document) => Ok(document.map(|document| document.into_stored(id))),
            None => self.read(|connection| reads::document(connection, kind, id)),
        }
    }

    fn get_many(&self, kind: &str, ids: &[&str]) -> Result<Vec<Option<StoredDocument>>> {
        if let [id] = ids {
            return Ok(vec![self.get(kind, id)?]);
        }
        let Some(kind) = self.kind(kind) else { return Ok(vec![None; ids.len()]) };
        let mut documents = vec![None; ids.len()];
        // All placeholders are taken before the read, so that none is filled with data that the writer has replaced
        // since.
        let mut missing = Vec::new();
        for (index, id) in ids.iter().enumerate() {
            match self.shared.cache.document(kind, id) {
                CacheLookup::Hit(document) => documents[index] = Some(document.into_stored(id)),
                CacheLookup::Miss(filling) => missing.push((index, Some(filling))),
                CacheLookup::Busy => missing.push((index, None)),
            }
        }
        if missing.is_empty() {
            return Ok(documents);
        }
        let wanted: Vec<&str> = missing.iter().map(|(index, _)| ids[*index]).collect();
        let found = self.read(|connection| reads::documents(connection, kind, &wanted))?;
        for (index, filling) in missing {
            let Some(document) = found.get(ids[index]) else { continue };
            if let Some(filling) = filling {
                self.shared.cache.fill(filling, document);
            }
            documents[index] = Some(document.clone());
        }
        Ok(documents)
    }

    fn find_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<String>> {
        let Some(place) = self.kind_and_path(kind, path) else { return Ok(None) };
        Ok(self.key_holder(place, value)?.map(|holder| holder.id.into()))
    }

    fn get_by_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<StoredDocument>> {
        let Some(place) = self.kind_and_path(kind, path) else { return Ok(None) };
        let read =
            || self.read(|connection| reads::document_by_unique(connection, place.kind, place.path, value));
        let generation = self.shared.cache.generation();
        let holder = match self.shared.cache.unique_holder(place.kind, place.path, value) {
            CacheLookup::Hit(holder) => holder,
            CacheLookup::Miss(filling) => {
                let document = read()?;
                if let Some(document) = &document {
                    self.shared.cache.fill_both(filling, generation, place.kind, document);
                }
                return Ok(document);
            }
            CacheLookup::Busy => return read(),
        };
        match self.shared.cache.document(place.kind, &holder.id) {
            CacheLookup::Hit(document)
                if document.revision == holder.revision
                    || self.shared.cache.still_holds(place.kind, place.path, value, &holder) =>
            {
                Ok(Some(document.into_stored(&holder.id)))
            }
            // The key is about to get another holder; the file has the current one.
            CacheLookup::Hit(_) | CacheLookup::Busy => read(),
            CacheLookup::Miss(filling) => {
                let document = read()?;
                if let Some(document) = document.as_ref().filter(|document| *document.id == *holder.id) {
                    self.shared.cache.fill(filling, document);
                }
                Ok(document)
            }
        }
    }

    fn get_many_by_unique(
        &self,
        kind: &str,
        path: &str,
        values: &[&str],
    ) -> Result<Vec<Option<StoredDocument>>> {
        if let [value] = values {
            return Ok(vec![self.get_by_unique(kind, path, value)?]);
        }
        let Some(place) = self.kind_and_path(kind, path) else { return Ok(vec![None; values.len()]) };
        unique_batch::look_up(&self.shared.cache, place, values, |missing| {
            self.read(|connection| reads::documents_by_unique(connection, place.kind, place.path, missing))
        })
    }

    fn get_batch(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>> {
        batch::get(self, keys)
    }

    fn find_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
    ) -> Result<Vec<String>> {
        let Some(question) = self.index_query(kind, path, range) else { return Ok(Vec::new()) };
        question.find(page)
    }

    fn visit_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let Some(question) = self.index_query(kind, path, range) else { return Ok(()) };
        question.visit(page, visit)
    }

    fn count_indexed(&self, kind: &str, path: &str, range: &IndexRange, cap: u64) -> Result<u64> {
        let Some(question) = self.index_query(kind, path, range) else { return Ok(0) };
        question.count(cap)
    }

    fn scan(
        &self,
        kind: &str,
        direction: ScanDirection,
        after: Option<&str>,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let Some(kind) = self.kind(kind) else { return Ok(()) };
        self.read(|connection| reads::scan(connection, kind, direction, after, visit))
    }

    fn count(&self, kind: &str) -> Result<u64> {
        let Some(kind) = self.kind(kind) else { return Ok(0) };
        self.read(|connection| reads::count(connection, kind))
    }

    fn counter(&self, counter: &str) -> Result<i64> {
        self.read(|connection| reads::read_counter(connection, counter))
    }

    fn close(&self) {
        self.shared.erasure.close();
        self.shared.queue.close();
        self.shared.watch.stop();
        if !self.shared.readers.close() {
            let project = &self.shared.project;
            tracing::warn!(
                project,
                "readers are still active: copy the file only together with its write-ahead log"
            );
        }
    }

    fn faults(&self) -> Vec<String> {
        let found = [self.shared.damage.first_damage(), self.shared.watch.missing_message()];
        found.into_iter().flatten().map(|trouble| trouble.to_string()).collect()
    }

    fn is_full(&self) -> bool {
        disk_space::is_low(&self.shared.path, self.shared.disk_bytes_kept)
            || self.shared.is_full.load(Ordering::Relaxed)
    }

    fn takes_provisional_revisions(&self) -> bool {
        true
    }

    fn commit(&self, commit: Commit) -> CommitFuture {
        let (response, receiver) = CommitFuture::open();
        submit::commit(&self.shared, CommitJob::new(commit, response));
        receiver
    }

    fn changes(&self, after: Seq, limit: usize) -> Result<Vec<ChangeLogEntry>> {
        self.read_snapshot(|connection| log::read_changes(connection, after, limit))
    }

    fn last_seq(&self) -> Result<Seq> {
        Ok(*self.shared.newest.borrow())
    }

    fn epoch(&self) -> Result<u64> {
        Ok(self.shared.epoch.load(Ordering::Acquire))
    }

    fn subscribe(&self) -> watch::Receiver<Seq> {
        self.shared.newest.subscribe()
    }

    fn records(&self, range: &RecordRange<'_>, limit: usize) -> Result<Vec<StoredRecord>> {
        range.check()?;
        let names = range.kinds.iter().copied();
        let kinds: Vec<_> = names.filter_map(|name| Some((self.kind(name)?, name))).collect();
        if kinds.is_empty() && !range.kinds.is_empty() {
            return Ok(Vec::new());
        }
        self.read_snapshot(|connection| records::read(connection, range, &kinds, limit))
    }

    fn position(&self, consumer: &str) -> Result<Seq> {
        self.read(|connection| reads::position(connection, consumer))
    }

    fn setting(&self, name: &str) -> Result<Option<String>> {
        self.read(|connection| reads::read_setting(connection, name))
    }

    fn delta(&self, after: Seq, limit: usize) -> Result<Delta> {
        self.read_snapshot(|connection| delta::read(connection, after, limit))
    }

    fn refuse_commits(&self, moves_to: Option<&str>) -> Result<()> {
        self.shared.queue.refuse_commits(moves_to);
        match moves_to {
            // Waits for the commits that were submitted before.
            Some(_) => self.write_rows(),
            None => Ok(()),
        }
    }

    fn is_keeper(&self) -> bool {
        !self.shared.queue.refuses_commits()
    }

    fn backup(&self, to: &Path) -> Result<()> {
        self.read(|connection| content::backup(connection, to, self.shared.durability))
    }

    fn restore(&self, from: &Path) -> Result<()> {
        // On this thread, not the writer's: commits must not wait for it.
        let (from, copy) =
            content::migrate_backup(from, self.shared.path.parent().unwrap_or(Path::new(".")))?;
        verify_file(&from)?.ensure_undamaged(&from)?;
        let result = self.replace_content(Replacement::Restore { from });
        drop(copy);
        result
    }

    fn clear(&self, keep_kinds: &[&str]) -> Result<()> {
        let keep_kinds = keep_kinds.iter().map(|kind| (*kind).to_owned()).collect();
        self.replace_content(Replacement::Clear { keep_kinds })
    }
}
