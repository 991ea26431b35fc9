//! The trait of a storage, [`Storage`]: everything that the engine reads and writes.

use std::{ops::ControlFlow, path::Path};

use tokio::sync::watch;

use crate::{
    BatchKey, ChangeLogEntry, Commit, CommitError, CommitFuture, CommitReceipt, Delta, IndexPage, IndexRange,
    RecordRange, Result, ScanDirection, Seq, StoredDocument, StoredDocumentRef, StoredRecord, Write,
};

/// The documents, unique keys, counters, records and the change log of one shop.
///
/// A read sees every commit that was acknowledged before it began. Methods that read documents, unique keys, index
/// rows, counters, settings, positions or the change log **may block**: a file is read on the calling thread, mostly
/// within microseconds; over a network, each call is a round trip. So read all known keys together, by
/// [`get_batch`](Self::get_batch), [`get_many`](Self::get_many) or [`get_many_by_unique`](Self::get_many_by_unique).
/// Scans and backups take time proportional to the data, and belong on a thread that may block.
/// [`commit`](Self::commit) and [`subscribe`](Self::subscribe) never block; the acknowledgement of a commit is awaited.
pub trait Storage: Send + Sync {
    /// Returns a document.
    fn get(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>>;

    /// Returns documents of one kind, in the order of the ids.
    fn get_many(&self, kind: &str, ids: &[&str]) -> Result<Vec<Option<StoredDocument>>>;

    /// Returns the id of the document that has a unique key.
    fn find_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<String>>;

    /// Returns the document that has a unique key.
    fn get_by_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<StoredDocument>>;

    /// Returns the documents that have unique keys, in the order of the values.
    fn get_many_by_unique(
        &self,
        kind: &str,
        path: &str,
        values: &[&str],
    ) -> Result<Vec<Option<StoredDocument>>>;

    /// Returns documents of any kinds, by ids and by unique keys, in the order of the keys: one round trip for any
    /// number.
    fn get_batch(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>>;

    /// Like [`get`](Self::get), but may return a cached copy, which is no older than this process's last read of the
    /// change log, without a round trip. Only for callers that have read the change log to its end
    /// ([`changes`](Self::changes)) since their request arrived, or whose commit checks the revision.
    fn get_cached(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>> {
        self.get(kind, id)
    }

    /// Like [`get_batch`](Self::get_batch), but may return cached copies of documents named by id, as
    /// [`get_cached`](Self::get_cached) does.
    fn get_batch_cached(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>> {
        self.get_batch(keys)
    }

    /// Returns the ids of the documents with a value in a range at an indexed path, each once.
    fn find_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
    ) -> Result<Vec<String>>;

    /// Visits the documents that [`find_indexed`](Self::find_indexed) would return, until `visit` breaks. For
    /// predicates that the index decides only in part.
    fn visit_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()>;

    /// Counts the documents with a value in a range, up to `cap`.
    fn count_indexed(&self, kind: &str, path: &str, range: &IndexRange, cap: u64) -> Result<u64>;

    /// Visits all documents of a kind by id, starting after `after`, until `visit` breaks. Reads one consistent
    /// snapshot, with one document in memory at a time.
    fn scan(
        &self,
        kind: &str,
        direction: ScanDirection,
        after: Option<&str>,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()>;

    /// Returns the number of documents of a kind, in constant time.
    fn count(&self, kind: &str) -> Result<u64>;

    /// Returns the number of documents of each kind, in one round trip.
    fn count_each(&self, kinds: &[&str]) -> Result<Vec<u64>> {
        kinds.iter().map(|kind| self.count(kind)).collect()
    }

    /// Returns the value of a counter; 0 if it was never written.
    fn counter(&self, counter: &str) -> Result<i64>;

    /// Submits a commit. Commits are written in the order of the calls; the result arrives when the commit is on disk.
    fn commit(&self, commit: Commit) -> CommitFuture;

    /// Closes the storage after the submitted commits are written, even if others still hold it, so that the file is
    /// complete when the process ends. Later calls fail with [`Error::Closed`](crate::Error::Closed). Does nothing for a storage on a
    /// database server.
    fn close(&self) {}

    /// Returns why the data of the shop cannot be trusted, as sentences for the operator, e.g. damage, or a missing
    /// file. Empty if all is well. Never waits for the disk.
    fn faults(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether only deletions are accepted because the disk is full.
    fn is_full(&self) -> bool {
        false
    }

    /// Submits a commit and blocks until it is written. Not for async tasks, see [`CommitFuture::wait`].
    fn commit_blocking(&self, commit: Commit) -> std::result::Result<CommitReceipt, CommitError> {
        self.commit(commit).wait()
    }

    /// Returns the entries of the change log after a position, oldest first, at most `limit`. None are left out: fails
    /// with [`Error::Behind`](crate::Error::Behind) if some of them were removed already, or if the log (which other processes write, too)
    /// does not reach the position. At least the newest [`CHANGES_KEPT_DEFAULT`](crate::sqlite::CHANGES_KEPT_DEFAULT)
    /// entries are available.
    fn changes(&self, after: Seq, limit: usize) -> Result<Vec<ChangeLogEntry>>;

    /// Returns the position of the newest entry of the change log; 0 if it is empty.
    fn last_seq(&self) -> Result<Seq>;

    /// Returns the epoch of the change log. It rises when [`restore`](Self::restore) or [`clear`](Self::clear) replaces
    /// the content. A consumer that sees a new epoch discards what it derived, and starts again at
    /// [`last_seq`](Self::last_seq).
    fn epoch(&self) -> Result<u64>;

    /// Returns entries as [`changes`](Self::changes) does, with their epoch or a later one, so that the caller notices
    /// if the content was replaced.
    fn changes_and_epoch(&self, after: Seq, limit: usize) -> Result<(Vec<ChangeLogEntry>, u64)> {
        let changes = self.changes(after, limit)?;
        Ok((changes, self.epoch()?))
    }

    /// Returns whether other processes write to the storage, too, so that data cached in memory may be outdated.
    fn is_shared(&self) -> bool {
        false
    }

    /// Returns whether commits may depend on others that are not on disk yet ([`Commit::provisional_revision`]). Then
    /// all commits are written in the order in which they are submitted.
    fn takes_provisional_revisions(&self) -> bool {
        false
    }

    /// Returns whether this process does the background work of the shop: due work and notifications. One process at a
    /// time does; for moments during a takeover there may be two or none, so background work must be idempotent.
    fn is_keeper(&self) -> bool {
        true
    }

    /// Returns a receiver of the newest position, updated by each commit. A slow receiver misses steps, but never the
    /// last one.
    fn subscribe(&self) -> watch::Receiver<Seq>;

    /// Returns records, newest first, at most `limit`. For one document, the cost is proportional to its records. For
    /// all documents, the whole time range is scanned, whatever the kinds.
    fn records(&self, range: &RecordRange<'_>, limit: usize) -> Result<Vec<StoredRecord>>;

    /// Returns the position of a consumer of the change log; 0 if it never stored one.
    fn position(&self, consumer: &str) -> Result<Seq>;

    /// Stores the position of a consumer in a commit of its own. Waits for the disk.
    fn set_position(&self, consumer: &str, seq: Seq) -> Result<()> {
        let write = Write::Position { consumer: consumer.to_owned(), seq };
        only_failure(self.commit_blocking(Commit::new().write(write)))
    }

    /// Returns a setting: a small value of the shop outside of documents.
    fn setting(&self, name: &str) -> Result<Option<String>>;

    /// Writes a setting, or removes it if `value` is `None`. Waits for the disk.
    fn set_setting(&self, name: &str, value: Option<&str>) -> Result<()> {
        let write = Write::Setting { name: name.to_owned(), value: value.map(str::to_owned) };
        only_failure(self.commit_blocking(Commit::new().write(write)))
    }

    /// Returns the changes after a position, for a copy that follows the shop: at most `limit` entries of the change
    /// log, and the documents that they name. Fails with [`Error::Behind`](crate::Error::Behind) if entries were removed already: the copy
    /// must start again.
    fn delta(&self, after: Seq, limit: usize) -> Result<Delta>;

    /// Refuses all later commits with [`Error::Moved`](crate::Error::Moved), after those submitted before are written, because the shop
    /// moves; `None` accepts commits again. Does nothing for a storage that other processes write, too: there the whole
    /// database is frozen.
    fn refuse_commits(&self, moves_to: Option<&str>) -> Result<()> {
        let _ = moves_to;
        Ok(())
    }

    /// Writes a consistent snapshot to a new file, while commits continue. The file is complete or does not exist.
    fn backup(&self, to: &Path) -> Result<()>;

    /// Replaces documents, keys, counters, records and settings with those of a file written by
    /// [`backup`](Self::backup), of this shop or another, by this release or an earlier one. Starts a new epoch;
    /// positions of consumers stay.
    fn restore(&self, from: &Path) -> Result<()>;

    /// Deletes all documents except those of the given kinds, and all counters and records. Settings stay. Starts a new
    /// epoch.
    fn clear(&self, keep_kinds: &[&str]) -> Result<()>;
}

/// Returns the result of a commit without preconditions.
fn only_failure(result: std::result::Result<CommitReceipt, CommitError>) -> Result<()> {
    result.map(|_| ()).map_err(CommitError::into_failure)
}
