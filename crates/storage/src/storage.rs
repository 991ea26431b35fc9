//! What the engine asks of a storage.

use std::{ops::ControlFlow, path::Path};

use tokio::sync::watch;

use crate::{
    BatchKey, Change, Commit, CommitAnswer, CommitError, Delta, IndexPage, IndexRange, KeptRecord, Receipt,
    RecordRange, Result, ScanDirection, Seq, Stored, StoredRef, Write,
};

/// The documents, unique keys, counters, records and the change log of one shop.
///
/// A read sees every commit that was answered before it began. Each method that reads documents, unique keys, index rows,
/// counters, settings, positions or the change log **may wait**: where the storage is a file it answers on the calling
/// thread, most of the time within microseconds; where it is across a network, each call is a round trip. So nobody reads
/// one thing after the other that could be read at once: what is known together is read together, by
/// [`get_batch`](Self::get_batch), [`get_many`](Self::get_many) or [`get_many_by_unique`](Self::get_many_by_unique).
/// Scans and backups take as long as there is data, and belong on a thread that may block. [`commit`](Self::commit) and
/// [`subscribe`](Self::subscribe) never wait; the answer to a commit does.
pub trait Storage: Send + Sync {
    /// A document.
    fn get(&self, kind: &str, id: &str) -> Result<Option<Stored>>;

    /// Documents of one kind, in the sequence of the ids.
    fn get_many(&self, kind: &str, ids: &[&str]) -> Result<Vec<Option<Stored>>>;

    /// The id of the document that holds a unique key.
    fn find_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<String>>;

    /// The document that holds a unique key.
    fn get_by_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<Stored>>;

    /// The documents that hold unique keys, in the sequence of the values.
    fn get_many_by_unique(&self, kind: &str, path: &str, values: &[&str]) -> Result<Vec<Option<Stored>>>;

    /// Documents of any kinds, by ids and by unique keys, in the sequence of the keys: one round trip, however many.
    fn get_batch(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<Stored>>>;

    /// As [`get`](Self::get), for who has read the change log to its end ([`changes`](Self::changes)) since he was asked, or whose
    /// commit checks what he relies on: the document as it was when the log was last read here, or newer. No round trip
    /// where this process has it.
    fn get_as_seen(&self, kind: &str, id: &str) -> Result<Option<Stored>> {
        self.get(kind, id)
    }

    /// As [`get_batch`](Self::get_batch), with what is named by its id as in [`get_as_seen`](Self::get_as_seen).
    fn get_batch_as_seen(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<Stored>>> {
        self.get_batch(keys)
    }

    /// The ids of the documents whose values at an indexed path are in a range. Each id once.
    fn find_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
    ) -> Result<Vec<String>>;

    /// Visits the documents that [`find_indexed`](Self::find_indexed) names, one by one, until told to
    /// break. For predicates that the index answers only in part.
    fn visit_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
        visit: &mut dyn FnMut(StoredRef<'_>) -> ControlFlow<()>,
    ) -> Result<()>;

    /// How many documents have values in a range, counted up to `cap`.
    fn count_indexed(&self, kind: &str, path: &str, range: &IndexRange, cap: u64) -> Result<u64>;

    /// Visits all documents of a kind by id, from behind `after` on, until told to break. One consistent
    /// state, never more than one document in memory.
    fn scan(
        &self,
        kind: &str,
        direction: ScanDirection,
        after: Option<&str>,
        visit: &mut dyn FnMut(StoredRef<'_>) -> ControlFlow<()>,
    ) -> Result<()>;

    /// How many documents of a kind there are. Costs the same whatever the number.
    fn count(&self, kind: &str) -> Result<u64>;

    /// How many documents there are of each of these kinds, in one read where that takes a round trip.
    fn count_each(&self, kinds: &[&str]) -> Result<Vec<u64>> {
        kinds.iter().map(|kind| self.count(kind)).collect()
    }

    /// The value of a counter; 0 where it was never counted.
    fn counter(&self, counter: &str) -> Result<i64>;

    /// Hands in a commit. It is written in the sequence of the calls and answered when it is on disk.
    fn commit(&self, commit: Commit) -> CommitAnswer;

    /// Closes what is open of it, when what was handed in is written, whoever still holds it: so that its file has everything
    /// when the process ends. Whatever is asked from then on is answered with [`Error::Closed`]. Where the data are not kept by
    /// this process, there is nothing to do.
    fn close(&self) {}

    /// Why the data of the shop cannot be relied on, as sentences for the operator: damage that was met, a file that is gone. Empty
    /// while all is well. Never waits for the disk.
    fn troubles(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether only deletions are written, because the disk has no room for anything else.
    fn is_full(&self) -> bool {
        false
    }

    /// Hands in a commit and waits. Not for async tasks, see [`CommitAnswer::wait`].
    fn commit_blocking(&self, commit: Commit) -> std::result::Result<Receipt, CommitError> {
        self.commit(commit).wait()
    }

    /// The entries of the change log behind a position, oldest first, at most `limit`. None are left out:
    /// [`Error::Behind`] where some of them are no longer kept, or, of a log that others write too, where it does not reach to the
    /// position. The newest
    /// [`CHANGES_KEPT_DEFAULT`](crate::sqlite::CHANGES_KEPT_DEFAULT) are.
    fn changes(&self, after: Seq, limit: usize) -> Result<Vec<Change>>;

    /// The position of the newest entry of the change log; 0 where there is none.
    fn last_seq(&self) -> Result<Seq>;

    /// The epoch of the change log: rises when the content was replaced by [`restore`](Self::restore) or
    /// [`clear`](Self::clear). A consumer that sees a new one throws away what it derived and starts again
    /// at [`last_seq`](Self::last_seq).
    fn epoch(&self) -> Result<u64>;

    /// Entries as [`changes`](Self::changes) has them, with the epoch that they are of, or a later one: who reads them sees by it
    /// whether they are those of another content.
    fn changes_and_epoch(&self, after: Seq, limit: usize) -> Result<(Vec<Change>, u64)> {
        let changes = self.changes(after, limit)?;
        Ok((changes, self.epoch()?))
    }

    /// Whether other processes write too, so that what a process keeps in memory may be old.
    fn is_shared(&self) -> bool {
        false
    }

    /// Whether commits may follow others that are on their way ([`Commit::provisional_revision`]): then all are written in the sequence
    /// in which they are handed in.
    fn takes_provisional_revisions(&self) -> bool {
        false
    }

    /// Whether this process looks after the shop: does what waits in it, when the time has come or others are to be told. One process
    /// at a time does; for moments, when one takes over from another that is gone, there may be two or none. What it does is therefore
    /// right if done twice.
    fn is_keeper(&self) -> bool {
        true
    }

    /// Tells of each commit, with the newest position. A slow listener misses steps, never the last one.
    fn subscribe(&self) -> watch::Receiver<Seq>;

    /// Records, newest first, at most `limit`. Those of one document cost as much as they are, whatever there is beside them;
    /// those of all documents cost all that lie within the time, of whatever kind.
    fn records(&self, range: &RecordRange<'_>, limit: usize) -> Result<Vec<KeptRecord>>;

    /// How far a consumer of the change log has come; 0 where it never said.
    fn position(&self, consumer: &str) -> Result<Seq>;

    /// Records how far a consumer has come, apart from a commit. Waits for the disk.
    fn set_position(&self, consumer: &str, seq: Seq) -> Result<()> {
        let write = Write::Position { consumer: consumer.to_owned(), seq };
        only_failure(self.commit_blocking(Commit::new().write(write)))
    }

    /// A setting: small facts about the shop that are no documents.
    fn setting(&self, name: &str) -> Result<Option<String>>;

    /// Writes a setting, or removes it. Waits for the disk.
    fn set_setting(&self, name: &str, value: Option<&str>) -> Result<()> {
        let write = Write::Setting { name: name.to_owned(), value: value.map(str::to_owned) };
        only_failure(self.commit_blocking(Commit::new().write(write)))
    }

    /// What became of the shop behind a position, for a copy that follows it: at most `limit` entries of the change log, and the
    /// documents that they name. [`Error::Behind`] where some are no longer kept: the copy starts again.
    fn delta(&self, after: Seq, limit: usize) -> Result<Delta>;

    /// Refuses all commits from now on with [`Error::Moved`], when those are written that were handed in before, because the shop
    /// moves; `None` takes them again. Where other processes write too, this is not enough, and does nothing: there the whole
    /// database is held.
    fn refuse_commits(&self, moves_to: Option<&str>) -> Result<()> {
        let _ = moves_to;
        Ok(())
    }

    /// Writes a copy of one consistent state to a new file, while commits go on. The file is complete or
    /// not there.
    fn backup(&self, to: &Path) -> Result<()>;

    /// Replaces documents, keys, counters, records and settings with those of a file that [`backup`](Self::backup)
    /// wrote, here or in another shop, in this release or an earlier one. Starts a new epoch; positions of consumers stay.
    fn restore(&self, from: &Path) -> Result<()>;

    /// Deletes all documents but those of the given kinds, and all counters and records. Settings stay. Starts a new
    /// epoch.
    fn clear(&self, keep_kinds: &[&str]) -> Result<()>;
}

/// The result of a commit that has nothing which could be refused.
fn only_failure(result: std::result::Result<Receipt, CommitError>) -> Result<()> {
    result.map(|_| ()).map_err(CommitError::into_failure)
}
