//! What may still be written when the disk is nearly full: what makes room, and what fits into room that was made.
//!
//! A deletion is written to the log before it gives anything back. So the last of a disk is left to deletions, and a shop
//! that has filled its disk can be emptied again.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::connections;
use crate::{Commit, Record, Result, Write, disk::disk_bytes_free};

/// How long what was found of the disk is believed.
const BELIEVED_FOR: Duration = Duration::from_millis(100);
/// After how many bytes it is looked at again at once.
const BELIEVED_BYTES_MAX: usize = 1024 * 1024;
/// What a deletion may write beside: the messages that tell it.
const BESIDE_DELETION_BYTES_MAX: usize = 64 * 1024;
/// How much of a commit its pages take at most, indexes and all.
const PAGES_OF_COMMIT: usize = 4;
/// And how much whatever it has.
const PAGES_BYTES_MIN: usize = 512 * 1024;

/// What is known of the disk.
pub(super) struct Room {
    bytes_kept: u64,
    looked_at: Option<Instant>,
    bytes_since: usize,
    is_low: bool,
    bytes_free: Option<u64>,
}

impl Room {
    /// `bytes_kept`: of what is left on the disk, so much is for deletions.
    pub(super) fn new(bytes_kept: u64) -> Self {
        Room { bytes_kept, looked_at: None, bytes_since: 0, is_low: false, bytes_free: None }
    }

    /// True where the disk is nearly full.
    pub(super) fn is_low(&self) -> bool {
        self.is_low
    }

    /// Whether the write-ahead log is to be given back to the disk: the file may have to grow by as much as the log has, and
    /// must not need what is kept for deletions.
    pub(super) fn needs_log(&self, log_bytes: u64) -> bool {
        self.is_low || self.bytes_free.is_some_and(|free| free < self.bytes_kept.saturating_add(log_bytes))
    }

    /// Looks at the disk before these are written, where it is time to.
    pub(super) fn look<'c>(&mut self, path: &Path, commits: impl Iterator<Item = &'c Commit>) {
        self.bytes_since += commits.map(bytes_put).sum::<usize>();
        let is_believed = self.looked_at.is_some_and(|at| at.elapsed() < BELIEVED_FOR);
        if self.bytes_kept == 0 || (is_believed && self.bytes_since < BELIEVED_BYTES_MAX) {
            return;
        }
        let was_low = self.is_low;
        self.bytes_free = disk_bytes_free(path);
        self.is_low = self.bytes_free.is_some_and(|free| free < self.bytes_kept);
        (self.looked_at, self.bytes_since) = (Some(Instant::now()), 0);
        if self.is_low != was_low {
            let words = if self.is_low {
                "the disk is full: only deletions are written"
            } else {
                "the disk has room again"
            };
            tracing::warn!(path = %path.display(), "{words}");
        }
    }

    /// Whether a commit may be written to a disk that is nearly full.
    pub(super) fn admits(&self, connection: &Connection, commit: &Commit) -> Result<bool> {
        let bytes = bytes_put(commit);
        let is_deletion = |write: &Write| {
            matches!(write, Write::Delete { .. } | Write::EraseRecords { .. } | Write::EndRecords { .. })
        };
        let deletes = commit.writes.iter().any(is_deletion);
        if bytes == 0 || (deletes && bytes <= BESIDE_DELETION_BYTES_MAX) {
            return Ok(true);
        }
        let free: i64 = connection.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
        let free_bytes = free.unsigned_abs().saturating_mul(connections::page_bytes(connection)?);
        let free_bytes = usize::try_from(free_bytes).unwrap_or(usize::MAX);
        Ok(free_bytes >= bytes * PAGES_OF_COMMIT + PAGES_BYTES_MIN)
    }
}

/// Whether the disk has less room than is kept for deletions.
pub(super) fn is_low(path: &Path, bytes_kept: u64) -> bool {
    bytes_kept > 0 && disk_bytes_free(path).is_some_and(|free| free < bytes_kept)
}

fn bytes_put(commit: &Commit) -> usize {
    let of_record = |record: &Option<Record>| record.as_ref().map_or(0, |record| record.body.len());
    let puts = commit.writes.iter().map(|write| match write {
        Write::Put(put) => put.body.len() + of_record(&put.record),
        Write::Append(line) => line.text.len(),
        Write::Delete { record, .. } => of_record(record),
        _ => 0,
    });
    puts.sum()
}
