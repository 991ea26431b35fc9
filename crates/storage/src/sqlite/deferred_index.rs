//! Deferred index rows: those of paths that change with every update and are rarely queried (e.g. `lastModifiedAt`),
//! and those of paths with many rows per document.
//!
//! Such a row stays unchanged when its document changes, and the document stores how the index differs from its values
//! (`entries`). So a document that changes often moves its row once in a while instead of each time; and rows of many
//! documents, each of which would dirty a page of its own, are written together in the order of the index. They are
//! written when a query needs them, when the change log has grown by [`BEHIND_MAX`] entries, and when the shop is idle.
//!
//! **Invariant:** `log_state.indexed` is a position in the change log. All index rows of a document with a revision up
//! to it match its values; for others, the marks in `entries` describe the index exactly. The log is kept from that
//! position on, so it names all documents with deferred rows: a crash loses none.
//!
//! **Invariant:** a query of such a path, or a precondition on it, sees all rows of its snapshot. A reader (1)
//! registers the path, so the writer stops deferring its rows for a while, (2) has deferred rows written, (3) opens a
//! snapshot and checks again, because a transaction that began before may have deferred more.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use quick_cache::DefaultHashBuilder;
use rusqlite::Connection;

use super::{
    Sqlite,
    index_reads::NumberedPath,
    log,
    name_number::NameNumber,
    name_table::{NameTable, WriterNameTable},
    position::to_sqlite_integer,
    reads,
    row_cache::{RowCache, RowState},
    row_changes,
};
use crate::{ChangeOperation, Error, Precondition, Result, Seq};

/// Number of entries of the change log after which rows are written. Bounds the work of a query, and after a crash.
pub(super) const BEHIND_MAX: u64 = 8192;

/// Number of entries of the change log processed at a time: with more, more rows share a written page.
const STEP_ENTRIES: u64 = 4096;
/// Number of rows written at a time, plus those of one more transaction. Bounds the memory, and the time that other
/// commits wait.
const STEP_ROWS: usize = 100_000;

/// For how long rows of a queried path are not deferred.
const QUERIED_DURATION: Duration = Duration::from_secs(10);

/// The state of deferred rows, shared by readers and the writer.
pub(super) struct DeferredIndex {
    /// Paths of all kinds whose rows are deferred when they replace others.
    paths: Vec<String>,
    /// Kind and path of rows that are deferred even for a new document.
    gathered: Vec<(String, String)>,
    states: Mutex<HashMap<RowPlace, DeferralState, DefaultHashBuilder>>,
    /// Whether rows were already deferred when the file was opened, maybe by an earlier release with other paths.
    waits_since_start: AtomicBool,
}

/// Kind and path of rows.
type RowPlace = (NameNumber, NameNumber);

type RowPlaces = HashSet<RowPlace, DefaultHashBuilder>;

#[derive(Default)]
struct DeferralState {
    queried_at: Option<Instant>,
    /// Whether rows are deferred in a snapshot that others may see.
    has_deferred_rows: bool,
}

impl DeferredIndex {
    /// Creates the state without deferred rows.
    pub(super) fn new(paths: Vec<String>, gathered: Vec<(String, String)>) -> Self {
        DeferredIndex { paths, gathered, states: Mutex::default(), waits_since_start: AtomicBool::new(false) }
    }

    /// Writes the rows that are deferred after the position `from` in a file that was not closed properly. Called
    /// before any read or write. If the disk is too full, the rows stay deferred, so that the file can be read.
    ///
    /// # Errors [`Error::Full`] if rows are deferred at a path of which this release defers none: queries would miss
    /// them.
    pub(super) fn catch_up(
        &self,
        connection: &Connection,
        names: &NameTable,
        from: Seq,
        newest: Seq,
    ) -> Result<()> {
        if from >= newest {
            return Ok(());
        }
        match write_all(connection, from, newest) {
            Err(Error::Full) => {}
            written => return written,
        }
        let waiting = deferred_after(connection, from, newest)?;
        let paths: Vec<NameNumber> = self.paths.iter().filter_map(|path| names.get(path)).collect();
        let gathered = self.always_deferrable(|name| names.get(name));
        if !waiting.iter().all(|place| paths.contains(&place.1) || gathered.contains(place)) {
            return Err(Error::Full);
        }
        self.wait(&waiting);
        self.waits_since_start.store(true, Ordering::Release);
        Ok(())
    }

    /// Returns whether rows of the path may be deferred.
    pub(super) fn is_deferrable(&self, kind: &str, path: &str) -> bool {
        self.paths.iter().any(|late| late == path)
            || self.gathered.iter().any(|(of, gathered)| of == kind && gathered == path)
    }

    /// Returns kind and path of rows that may always be deferred, as numbers. Names without a number have no rows yet.
    fn always_deferrable(&self, number: impl Fn(&str) -> Option<NameNumber>) -> RowPlaces {
        self.gathered.iter().filter_map(|(kind, path)| Some((number(kind)?, number(path)?))).collect()
    }

    /// Returns a filter for entries of the change log that name documents whose rows may be deferred.
    pub(super) fn may_leave_rows(
        &self,
        names: &WriterNameTable,
    ) -> impl Fn(NameNumber, ChangeOperation) -> bool + use<> {
        let gathered = self.always_deferrable(|name| names.get(name));
        let all = self.waits_since_start.load(Ordering::Acquire);
        move |kind, operation| match operation {
            ChangeOperation::Created => all || gathered.iter().any(|(of, _)| *of == kind),
            ChangeOperation::Updated => true,
            ChangeOperation::Deleted => false,
        }
    }

    /// Registers the paths of preconditions, so that the next transaction defers none of their rows. Returns whether
    /// rows are deferred now.
    pub(super) fn register_preconditions(
        &self,
        preconditions: &[Precondition],
        names: &WriterNameTable,
    ) -> bool {
        let mut waits = false;
        for precondition in preconditions {
            if let Precondition::NotReferenced { kind, path, .. }
            | Precondition::IndexedAtMost { kind, path, .. } = precondition
                && self.is_deferrable(kind, path)
                && let (Some(kind), Some(path)) = (names.get(kind), names.get(path))
            {
                waits |= self.register_query((kind, path));
            }
        }
        waits
    }

    /// Registers a query of a path. Returns whether its rows are deferred now.
    fn register_query(&self, place: RowPlace) -> bool {
        let mut states = self.states.lock();
        let state = states.entry(place).or_default();
        state.queried_at = Some(Instant::now());
        state.has_deferred_rows
    }

    fn has_deferred(&self, place: RowPlace) -> bool {
        self.states.lock().get(&place).is_some_and(|state| state.has_deferred_rows)
    }

    /// Returns the paths that were queried lately.
    fn recent_queries(&self) -> RowPlaces {
        let states = self.states.lock();
        let lately = |state: &DeferralState| {
            state.queried_at.is_some_and(|requested| requested.elapsed() < QUERIED_DURATION)
        };
        states.iter().filter(|(_, state)| lately(state)).map(|(place, _)| *place).collect()
    }

    /// Records that rows will be deferred, before others can see it. Only the writer calls this.
    fn wait(&self, waiting: &RowPlaces) {
        if waiting.is_empty() {
            return;
        }
        let mut states = self.states.lock();
        for place in waiting {
            states.entry(*place).or_default().has_deferred_rows = true;
        }
    }

    /// Records that all deferred rows are written, and visible. Only the writer calls this.
    pub(super) fn mark_written(&self) {
        self.states.lock().values_mut().for_each(|state| state.has_deferred_rows = false);
        self.waits_since_start.store(false, Ordering::Release);
    }
}

/// The deferred rows of a transaction: which rows it may defer, and which it does.
pub(super) struct TransactionDeferrals<'t> {
    pub(super) deferred_index: &'t DeferredIndex,
    /// The paths whose rows may be deferred when they replace others.
    paths: Vec<NameNumber>,
    /// Kind and path of rows that may always be deferred.
    gathered: RowPlaces,
    /// Paths queried lately, whose rows may not be deferred.
    queried_places: RowPlaces,
    /// Paths whose rows this transaction defers.
    waiting: RowPlaces,
    indexed: i64,
}

impl<'t> TransactionDeferrals<'t> {
    /// Starts a transaction. No rows are deferred up to the position `indexed`.
    pub(super) fn new(deferred_index: &'t DeferredIndex, names: &WriterNameTable, indexed: Seq) -> Self {
        let paths = deferred_index.paths.iter().filter_map(|path| names.get(path)).collect();
        let gathered = deferred_index.always_deferrable(|name| names.get(name));
        TransactionDeferrals {
            deferred_index,
            paths,
            gathered,
            queried_places: deferred_index.recent_queries(),
            waiting: RowPlaces::default(),
            indexed: to_sqlite_integer(indexed),
        }
    }

    /// Returns whether rows of a document with this revision may be deferred already.
    pub(super) fn may_have_deferred(&self, revision: i64) -> bool {
        revision > self.indexed
    }

    /// Returns whether rows of a document may be deferred. `is_new`: the document is created, not replaced.
    pub(super) fn may_defer(&self, kind: NameNumber, path: NameNumber, is_new: bool) -> bool {
        let may = (!is_new && self.paths.contains(&path)) || self.gathered.contains(&(kind, path));
        may && !self.queried_places.contains(&(kind, path))
    }

    /// Records deferred rows of a document at these paths.
    pub(super) fn add(&mut self, kind: NameNumber, paths: impl Iterator<Item = NameNumber>) {
        self.waiting.extend(paths.map(|path| (kind, path)));
    }

    /// Publishes the deferred paths to readers, before the transaction becomes visible.
    pub(super) fn publish(&self) {
        self.deferred_index.wait(&self.waiting);
    }
}

impl Sqlite {
    /// Runs a read of a path whose rows may be deferred, on a snapshot in which none are.
    pub(super) fn read_with_rows<T>(
        &self,
        NumberedPath { kind, path }: NumberedPath,
        read: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let late = &self.shared.deferred_index;
        let mut read = Some(read);
        loop {
            if late.register_query((kind, path)) {
                self.write_rows()?;
            }
            let found = self.read_snapshot(|connection| {
                // The first statement opens the snapshot.
                connection.prepare_cached("SELECT one FROM log_state")?.exists([])?;
                if late.has_deferred((kind, path)) {
                    return Ok(None);
                }
                read.take().map(|read| read(connection)).transpose()
            })?;
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }
}

/// Accepts any entry of the change log that may name a document with deferred rows.
fn is_no_deletion(_kind: NameNumber, operation: ChangeOperation) -> bool {
    operation != ChangeOperation::Deleted
}

/// Writes all rows deferred after a position in one transaction: all of them, or none with an error.
pub(super) fn write_all(connection: &Connection, from: Seq, newest: Seq) -> Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let written = write_up_to(connection, &RowCache::default(), from, newest)
        .and_then(|()| Ok(connection.execute_batch("COMMIT")?));
    // After some errors SQLite has rolled back already.
    if written.is_err() && !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK")?;
    }
    written
}

/// Returns kind and path of all rows deferred after a position.
fn deferred_after(connection: &Connection, mut from: Seq, newest: Seq) -> Result<RowPlaces> {
    let mut places = RowPlaces::default();
    while from < newest {
        let (gathered, to) =
            collect_deferred(connection, &RowCache::default(), from, newest, is_no_deletion)?;
        let rows = gathered.removed.iter().chain(&gathered.added);
        places.extend(rows.map(|(kind, path, ..)| (*kind, *path)));
        from = to;
    }
    Ok(places)
}

/// Writes all rows deferred after a position, within the open transaction.
pub(super) fn write_up_to(
    connection: &Connection,
    heads: &RowCache,
    mut from: Seq,
    newest: Seq,
) -> Result<()> {
    while from < newest {
        from = write(connection, heads, from, newest, is_no_deletion)?;
    }
    Ok(())
}

/// Writes deferred rows of the documents that the next entries of the change log name, unless a later entry names the
/// document again. Returns the position up to which no rows are deferred any more.
pub(super) fn write(
    connection: &Connection,
    heads: &RowCache,
    from: Seq,
    newest: Seq,
    leaves_rows: impl Fn(NameNumber, ChangeOperation) -> bool,
) -> Result<Seq> {
    let (gathered, to) = collect_deferred(connection, heads, from, newest, leaves_rows)?;
    gathered.write(connection)?;
    connection.prepare_cached("UPDATE log_state SET indexed = ?1")?.execute((to_sqlite_integer(to),))?;
    reads::update_log_state_checksum(connection)?;
    Ok(to)
}

/// Collects the rows that [`write`] writes, and returns the position up to which they are complete.
fn collect_deferred(
    connection: &Connection,
    heads: &RowCache,
    from: Seq,
    newest: Seq,
    leaves_rows: impl Fn(NameNumber, ChangeOperation) -> bool,
) -> Result<(DeferredRows, Seq)> {
    let mut gathered = DeferredRows::default();
    // At the end of the log, no rows are left.
    let mut to = newest;
    log::visit_transactions(connection, from, &mut |(last, entries)| {
        for (kind, id, operation) in entries {
            if leaves_rows(kind, operation) {
                gathered.collect(connection, heads, kind, id, last)?;
            }
        }
        if last < from + STEP_ENTRIES && gathered.len() < STEP_ROWS {
            return Ok(ControlFlow::Continue(()));
        }
        to = last;
        Ok(ControlFlow::Break(()))
    })?;
    Ok((gathered, to))
}

/// Kind, path, value, and id of a row.
type DeferredRow = (NameNumber, NameNumber, String, String);

/// Collected rows to delete and to insert.
#[derive(Default)]
struct DeferredRows {
    removed: Vec<DeferredRow>,
    added: Vec<DeferredRow>,
    /// The documents of these rows.
    documents: HashSet<(NameNumber, String), DefaultHashBuilder>,
}

impl DeferredRows {
    fn len(&self) -> usize {
        self.removed.len() + self.added.len()
    }

    /// Collects the rows of a document that the change log names at a position, unless it names it again later.
    fn collect(
        &mut self,
        connection: &Connection,
        heads: &RowCache,
        kind: NameNumber,
        id: String,
        at: Seq,
    ) -> Result<()> {
        let found;
        let (revision, list) = match heads.get(kind, &id) {
            Some(head) => (head.revision, head.entries.as_slice()),
            None => {
                let Some(head) = RowState::find(connection, kind, &id)? else { return Ok(()) };
                found = head;
                (found.revision, found.entries.as_slice())
            }
        };
        if revision > to_sqlite_integer(at) || self.documents.contains(&(kind, id.clone())) {
            return Ok(());
        }
        let (removed, added) = row_changes::deferred_rows(list)?;
        self.removed.extend(removed.into_iter().map(|(path, value)| (kind, path, value, id.clone())));
        self.added.extend(added.into_iter().map(|(path, value)| (kind, path, value, id.clone())));
        self.documents.insert((kind, id));
        Ok(())
    }

    fn write(mut self, connection: &Connection) -> Result<()> {
        // Neighbouring index rows are on the same page.
        for rows in [&mut self.removed, &mut self.added] {
            rows.sort_unstable();
        }
        let mut remove = connection
            .prepare_cached("DELETE FROM indexed WHERE kind = ?1 AND path = ?2 AND value = ?3 AND id = ?4")?;
        for row in self.removed {
            remove.execute(row)?;
        }
        let mut add = connection.prepare_cached(
            "INSERT INTO indexed (kind, path, value, id) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        )?;
        for row in self.added {
            add.execute(row)?;
        }
        Ok(())
    }
}
