//! Checkpoints: moves committed pages from the write-ahead log (WAL) into the file.
//!
//! A separate thread does it, so that no commit waits. It never catches up while commits keep coming, and the log can
//! only start over once everything is moved; so now and then the writer does the rest itself. The log file keeps its
//! size, because overwriting blocks is cheaper than allocating them; it is deleted when the last connection closes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{
    connections,
    database_state::DatabaseState,
    page::{FRAME_HEADER_BYTES, LOG_HEADER_BYTES},
};
use crate::{Error, Result};

/// Bytes in the log after which a background checkpoint is worth its syncs.
const PASSIVE_BYTES: u64 = 8 * 1024 * 1024;

/// Bytes in the log after which the writer makes the log start over.
const RESTART_BYTES: u64 = 32 * 1024 * 1024;

/// How long the writer waits for readers of an old snapshot before it postpones that.
pub(super) const RESTART_WAIT: Duration = Duration::from_millis(20);

/// The schedule of checkpoints.
pub(super) struct Checkpoints {
    /// Pages in the log after the last commit.
    pages: Arc<AtomicU32>,
    /// [`PASSIVE_BYTES`] and [`RESTART_BYTES`] in pages of the file.
    passive_pages: u32,
    restart_pages: u32,
    passive_at: u32,
    restart_at: u32,
    page_bytes: u64,
    /// Whether the log file was written to since it was truncated.
    has_length: bool,
}

impl Checkpoints {
    /// Starts to count the pages that a writer commits.
    pub(super) fn watch(connection: &mut Connection) -> Result<Self> {
        let pages = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            counted.store(u32::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        let page_bytes = connections::page_bytes(connection)?;
        let pages_of = |bytes: u64| u32::try_from(bytes / page_bytes).unwrap_or(u32::MAX);
        let (passive_pages, restart_pages) = (pages_of(PASSIVE_BYTES), pages_of(RESTART_BYTES));
        let (passive_at, restart_at) = (passive_pages, restart_pages);
        Ok(Checkpoints {
            pages,
            passive_pages,
            restart_pages,
            passive_at,
            restart_at,
            page_bytes,
            has_length: true,
        })
    }

    /// Starts a checkpoint if one is due.
    pub(super) fn after_commit(&mut self, shared: &Arc<DatabaseState>, connection: &Connection) {
        let pages = self.pages.load(Ordering::Relaxed);
        self.has_length |= pages > 0;
        if pages < self.passive_pages {
            // The log has started over.
            (self.passive_at, self.restart_at) = (self.passive_pages, self.restart_pages);
            return;
        }
        if pages < self.passive_at || shared.is_checkpointing.swap(true, Ordering::AcqRel) {
            return;
        }
        if pages >= self.restart_at {
            let is_restarted = restart(shared, connection, "PRAGMA wal_checkpoint(RESTART)");
            shared.is_checkpointing.store(false, Ordering::Release);
            if is_restarted {
                (self.passive_at, self.restart_at) = (self.passive_pages, self.restart_pages);
                self.pages.store(0, Ordering::Relaxed);
            } else {
                self.passive_at = pages + self.passive_pages;
                self.restart_at = pages + self.restart_pages;
            }
        } else {
            self.passive_at = pages + self.passive_pages;
            checkpoint_in_background(shared);
        }
    }

    /// Returns the bytes in the log after the last commit.
    pub(super) fn log_bytes(&self) -> u64 {
        u64::from(self.pages.load(Ordering::Relaxed)) * self.page_bytes
    }

    /// Bytes that the file of the log has at least, as of the last commit.
    pub(super) fn log_file_bytes_min(&self) -> u64 {
        match u64::from(self.pages.load(Ordering::Relaxed)) {
            0 => 0,
            pages => LOG_HEADER_BYTES + pages * (FRAME_HEADER_BYTES as u64 + self.page_bytes),
        }
    }

    /// Moves the whole log into the file, and truncates the log, which frees its disk space.
    pub(super) fn truncate_log(&mut self, shared: &Arc<DatabaseState>, connection: &Connection) {
        let is_empty = self.pages.load(Ordering::Relaxed) == 0;
        if (is_empty && !self.has_length) || shared.is_checkpointing.swap(true, Ordering::AcqRel) {
            return;
        }
        shared.watch.log_reaches(0);
        self.has_length = !restart(shared, connection, "PRAGMA wal_checkpoint(TRUNCATE)");
        if !self.has_length {
            (self.passive_at, self.restart_at) = (self.passive_pages, self.restart_pages);
            self.pages.store(0, Ordering::Relaxed);
        }
        shared.is_checkpointing.store(false, Ordering::Release);
    }
}

/// Makes the log start over at the next commit. Returns whether it succeeded.
fn restart(shared: &DatabaseState, connection: &Connection, sql: &str) -> bool {
    let started = Instant::now();
    let result = (|| -> Result<bool> {
        connection.busy_timeout(RESTART_WAIT)?;
        let result = checkpoint(connection, sql);
        connection.busy_timeout(connections::BUSY_TIMEOUT)?;
        result
    })();
    let duration_ms = started.elapsed().as_millis();
    match result {
        Ok(is_done) => {
            tracing::debug!(
                project = shared.project,
                duration_ms,
                is_done,
                "tried to restart the write-ahead log"
            );
            is_done
        }
        Err(error) => {
            tracing::warn!(project = shared.project, duration_ms, %error, "could not restart the write-ahead log");
            false
        }
    }
}

fn checkpoint_in_background(shared: &Arc<DatabaseState>) {
    let for_thread = Arc::clone(shared);
    let spawned = std::thread::Builder::new().name("kontor-checkpoint".into()).spawn(move || {
        let shared = for_thread;
        let started = Instant::now();
        let result = shared
            .readers
            .acquire()
            .and_then(|connection| checkpoint(&connection, "PRAGMA wal_checkpoint(PASSIVE)"));
        let duration_ms = started.elapsed().as_millis();
        shared.is_checkpointing.store(false, Ordering::Release);
        match result {
            Ok(_) => tracing::trace!(project = shared.project, duration_ms, "checkpoint"),
            // The thread that closes the storage checkpoints, too.
            Err(Error::Closed) => {}
            // The log still has everything; the next checkpoint tries again.
            Err(error) => {
                tracing::warn!(project = shared.project, duration_ms, %error, "could not checkpoint");
            }
        }
    });
    if let Err(error) = spawned {
        shared.is_checkpointing.store(false, Ordering::Release);
        let error = Error::io(shared.path.clone(), error);
        tracing::warn!(project = shared.project, %error, "could not start a checkpoint");
    }
}

/// Returns whether the checkpoint was complete, not blocked by readers.
fn checkpoint(connection: &Connection, sql: &str) -> Result<bool> {
    let busy: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(busy == 0)
}
