//! Decides which commits are still written when the disk is nearly full, or the file has nearly reached the size limit of the process:
//! deletions, and commits that fit into the room that deletions made.
//!
//! A deletion is written to the log before it frees anything. So the last part of a disk is reserved for deletions, and
//! a shop that has filled its disk can be emptied again.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::connections;
use crate::{ChangeRecord, Commit, Result, Write, disk::BytesLeft};

/// How long a measurement of the free space is used.
const MEASUREMENT_VALIDITY: Duration = Duration::from_millis(100);
/// Number of written bytes after which it is measured again at once.
const UNMEASURED_BYTES_MAX: usize = 1024 * 1024;
/// Maximum bytes that a deletion may write in addition, e.g. messages about it.
const DELETION_EXTRA_BYTES_MAX: usize = 64 * 1024;
/// Upper bound of the page bytes for each byte of a commit, including indexes.
const PAGES_OF_COMMIT: usize = 4;
/// Page bytes of a commit in addition to that.
const PAGES_BYTES_MIN: usize = 512 * 1024;

/// The last measurement of the free disk space.
pub(super) struct DiskSpace {
    bytes_kept: u64,
    looked_at: Option<Instant>,
    bytes_since: usize,
    is_low: bool,
    bytes_left: Option<BytesLeft>,
}

impl DiskSpace {
    /// Starts without a measurement. `bytes_kept`: the disk space reserved for deletions.
    pub(super) fn new(bytes_kept: u64) -> Self {
        DiskSpace { bytes_kept, looked_at: None, bytes_since: 0, is_low: false, bytes_left: None }
    }

    /// Returns whether the disk is nearly full.
    pub(super) fn is_low(&self) -> bool {
        self.is_low
    }

    /// Returns whether the write-ahead log must be truncated: the file may have to grow by the size of the log, and
    /// must not use the space reserved for deletions.
    pub(super) fn needs_log_space(&self, log_bytes: u64) -> bool {
        self.is_low || self.bytes_left.is_some_and(|left| left.free < left.kept.saturating_add(log_bytes))
    }

    /// Measures the free space before these commits are written, if the last measurement is too old.
    pub(super) fn measure<'c>(&mut self, path: &Path, commits: impl Iterator<Item = &'c Commit>) {
        self.bytes_since += commits.map(bytes_put).sum::<usize>();
        let is_believed = self.looked_at.is_some_and(|at| at.elapsed() < MEASUREMENT_VALIDITY);
        if self.bytes_kept == 0 || (is_believed && self.bytes_since < UNMEASURED_BYTES_MAX) {
            return;
        }
        let was_low = self.is_low;
        self.bytes_left = BytesLeft::measure(path, self.bytes_kept);
        self.is_low = self.bytes_left.is_some_and(BytesLeft::is_low);
        (self.looked_at, self.bytes_since) = (Some(Instant::now()), 0);
        if self.is_low != was_low {
            let words = if self.is_low {
                "the disk is full, or the file reached its size limit (ulimit -f): only deletions are accepted"
            } else {
                "there is free space again"
            };
            tracing::warn!(path = %path.display(), "{words}");
        }
    }

    /// Returns whether a commit may be written to a disk that is nearly full.
    pub(super) fn has_room_for(&self, connection: &Connection, commit: &Commit) -> Result<bool> {
        let bytes = bytes_put(commit);
        let is_deletion = |write: &Write| {
            matches!(write, Write::Delete { .. } | Write::EraseRecords { .. } | Write::EndRecords { .. })
        };
        let deletes = commit.writes.iter().any(is_deletion);
        if bytes == 0 || (deletes && bytes <= DELETION_EXTRA_BYTES_MAX) {
            return Ok(true);
        }
        let free: i64 = connection.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
        let free_bytes = free.unsigned_abs().saturating_mul(connections::page_bytes(connection)?);
        let free_bytes = usize::try_from(free_bytes).unwrap_or(usize::MAX);
        Ok(free_bytes >= bytes * PAGES_OF_COMMIT + PAGES_BYTES_MIN)
    }
}

/// Returns whether there is less free space than is reserved for deletions.
pub(super) fn is_low(path: &Path, bytes_kept: u64) -> bool {
    bytes_kept > 0 && BytesLeft::measure(path, bytes_kept).is_some_and(BytesLeft::is_low)
}

fn bytes_put(commit: &Commit) -> usize {
    let of_record = |record: &Option<ChangeRecord>| record.as_ref().map_or(0, |record| record.body.len());
    let puts = commit.writes.iter().map(|write| match write {
        Write::Put(put) => put.body.len() + of_record(&put.record),
        Write::Append(line) => line.text.len(),
        Write::Delete { record, .. } => of_record(record),
        _ => 0,
    });
    puts.sum()
}
