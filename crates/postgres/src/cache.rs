//! A cache of documents that this process has read or written, for callers that have read the change log.
//!
//! **Invariant:** an entry equals the database's state when the change log was at `seen` or later, in the
//! same epoch. Reading log entries ([`Cache::saw`]) removes the documents that they name, and cancels running
//! reads of them, so that those do not fill the cache. So a caller that has read the newest log entries, and
//! then finds a document here, gets its state at that time, or a newer one.

use std::hash::Hash;
use std::time::Duration;

use kontor_storage::{Change, Error, Result, Seq, Stored, sqlite::CACHE_BYTES_DEFAULT};
use parking_lot::Mutex;
use quick_cache::{
    DefaultHashBuilder, Equivalent, Weighter,
    sync::{Cache as QuickCache, DefaultLifecycle, GuardResult, PlaceholderGuard},
};

use crate::reads::{LogHead, LogRead};

/// The size of a shop's cache in bytes; as large as that of a shop in a file.
const BYTES: u64 = CACHE_BYTES_DEFAULT;
/// The cost of an entry in addition to its bytes: links of the cache, headers of allocations.
const ENTRY_OVERHEAD_BYTES: u64 = 128;
/// Average bytes of a document, to estimate the number of entries.
const DOCUMENT_BYTES: u64 = 2048;
/// Larger documents are not cached: they would displace too many others.
const DOCUMENT_BYTES_MAX: u64 = 1024 * 1024;

/// Kind and id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DocumentName {
    kind: Box<str>,
    id: Box<str>,
}

/// A borrowed [`DocumentName`] with the same hash, because it has the same fields in the same order.
#[derive(Hash)]
struct DocumentNameRef<'a>(&'a str, &'a str);

impl Equivalent<DocumentName> for DocumentNameRef<'_> {
    fn equivalent(&self, name: &DocumentName) -> bool {
        *self.0 == *name.kind && *self.1 == *name.id
    }
}

/// A document; `None`: it does not exist. That can be cached, since its creation would be an entry of the log.
pub(crate) type Known = Option<Stored>;

/// Weighs an entry in bytes.
#[derive(Debug, Clone)]
pub(crate) struct Weigh;

impl Weighter<DocumentName, Known> for Weigh {
    fn weight(&self, name: &DocumentName, known: &Known) -> u64 {
        let body = known.as_ref().map_or(0, |stored| stored.body.len());
        (name.kind.len() + 2 * name.id.len() + body) as u64 + ENTRY_OVERHEAD_BYTES
    }
}

/// The right to fill an entry, unless a change is faster.
pub(crate) type Filling<'a> = PlaceholderGuard<
    'a,
    DocumentName,
    Known,
    Weigh,
    DefaultHashBuilder,
    DefaultLifecycle<DocumentName, Known>,
>;

/// The result of a cache lookup.
pub(crate) enum Lookup<'a> {
    /// The document, or that it does not exist.
    Hit(Known),
    /// No entry: the caller reads, then fills the placeholder.
    Miss(Filling<'a>),
    /// No entry, and the caller may not fill it: another read does, or the log was not read. Callers do not
    /// wait for each other.
    Busy,
}

/// The cached documents of a shop.
pub(crate) struct Cache {
    documents: QuickCache<DocumentName, Known, Weigh>,
    /// The position up to which the log was read; `None` before the first read, or after entries were missed.
    seen: Mutex<Option<Seen>>,
}

/// The position up to which a log was read without gaps.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// The epoch of the log: replaced content leaves no entries, and need not change the position.
    epoch: u64,
    seq: Seq,
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Cache").field("seen", &*self.seen.lock()).finish_non_exhaustive()
    }
}

impl Default for Cache {
    fn default() -> Self {
        let items = usize::try_from(BYTES / DOCUMENT_BYTES).unwrap_or(usize::MAX);
        Cache { documents: QuickCache::with_weighter(items, BYTES, Weigh), seen: Mutex::default() }
    }
}

impl Cache {
    /// Looks up a document as of the last read of the log, or newer.
    pub(crate) fn document(&self, kind: &str, id: &str) -> Lookup<'_> {
        if self.seen().is_none() {
            return Lookup::Busy;
        }
        if let Some(known) = self.documents.get(&DocumentNameRef(kind, id)) {
            return Lookup::Hit(known);
        }
        let name = DocumentName { kind: kind.into(), id: id.into() };
        match self.documents.get_value_or_guard(&name, Some(Duration::ZERO)) {
            GuardResult::Value(known) => Lookup::Hit(known),
            GuardResult::Guard(filling) => Lookup::Miss(filling),
            GuardResult::Timeout => Lookup::Busy,
        }
    }

    /// Returns the position up to which the log was read without gaps.
    pub(crate) fn seen(&self) -> Option<Seq> {
        self.seen.lock().map(|seen| seen.seq)
    }

    /// Handles entries read after a position, in an epoch: removes the documents that they name.
    fn saw(&self, epoch: u64, after: Seq, changes: &[Change]) {
        let mut seen = self.seen.lock();
        let before = seen.filter(|seen| seen.epoch == epoch).map(|seen| seen.seq);
        if before.is_none_or(|before| after > before) {
            self.documents.clear();
        }
        for Change { seq, kind, id, .. } in changes {
            let name = DocumentNameRef(kind, id);
            let newest = self.documents.peek(&name).flatten().map(|stored| stored.revision.unsigned_abs());
            if newest.is_none_or(|newest| newest < *seq) {
                self.documents.remove(&name);
            }
        }
        let last = changes.last().map_or(after, |change| change.seq);
        *seen = Some(Seen { epoch, seq: before.map_or(last, |before| before.max(last)) });
    }

    /// Handles the result of reading the log after a position: removes the documents that the entries name, and returns
    /// the entries with their epoch. Fails with [`Error::Behind`] if entries are missing.
    pub(crate) fn saw_all(&self, after: Seq, (head, found): LogRead) -> Result<(Vec<Change>, u64)> {
        let LogHead { base, newest, epoch } = head.ok_or(Error::Closed)?;
        // After the end: a position in another log, e.g. of a deleted shop with the same key.
        if after < base || after > newest {
            self.lost();
            return Err(Error::Behind { after, base });
        }
        let changes = found.into_iter().map(|row| row.ok_or(Error::Damaged("an entry of the change log")));
        let changes: Vec<Change> = changes.collect::<Result<_>>()?;
        self.saw(epoch, after, &changes);
        Ok((changes, epoch))
    }

    /// Clears the cache, because log entries were missed or the log was replaced.
    pub(crate) fn lost(&self) {
        let mut seen = self.seen.lock();
        self.documents.clear();
        *seen = None;
    }

    /// Caches documents that this process has written. If the log was already read beyond a write, its document may
    /// have changed again, and is removed instead.
    pub(crate) fn wrote<'d>(&self, documents: impl Iterator<Item = (&'d str, Stored)>) {
        let seen = self.seen.lock();
        for (kind, stored) in documents {
            let is_newest = seen.is_some_and(|seen| stored.revision.unsigned_abs() > seen.seq);
            if is_newest && stored.body.len() as u64 <= DOCUMENT_BYTES_MAX {
                self.documents
                    .insert(DocumentName { kind: kind.into(), id: stored.id.as_str().into() }, Some(stored));
            } else {
                self.documents.remove(&DocumentNameRef(kind, &stored.id));
            }
        }
    }

    /// Removes outdated documents.
    pub(crate) fn forget<'a>(&self, names: impl Iterator<Item = (&'a str, &'a str)>) {
        for (kind, id) in names {
            self.documents.remove(&DocumentNameRef(kind, id));
        }
    }
}

/// Fills an entry with a read document. Does nothing if a change was faster, which is its purpose.
pub(crate) fn fill(filling: Filling<'_>, known: &Known) {
    if known.as_ref().is_none_or(|stored| stored.body.len() as u64 <= DOCUMENT_BYTES_MAX) {
        let _ = filling.insert(known.clone());
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use kontor_storage::Operation;

    use super::*;

    const EPOCH: u64 = 1;

    fn stored(revision: i64) -> Stored {
        Stored { id: "1".into(), version: revision, revision, sequence: 0, body: Bytes::from_static(b"{}") }
    }

    fn change(seq: Seq) -> Change {
        Change { seq, kind: "cart".into(), id: "1".into(), version: 1, operation: Operation::Updated }
    }

    fn found(cache: &Cache) -> Option<i64> {
        match cache.document("cart", "1") {
            Lookup::Hit(known) => known.map(|stored| stored.revision),
            Lookup::Miss(_) | Lookup::Busy => None,
        }
    }

    /// Returns a cache whose log was read up to a position, with a document that was read then.
    fn filled(seen: Seq, revision: i64) -> Cache {
        let cache = Cache::default();
        cache.saw(EPOCH, seen, &[]);
        let Lookup::Miss(filling) = cache.document("cart", "1") else { panic!("something is there") };
        fill(filling, &Some(stored(revision)));
        assert_eq!(found(&cache), Some(revision));
        cache
    }

    #[test]
    fn nothing_is_kept_before_the_log_was_read() {
        let cache = Cache::default();
        assert!(matches!(cache.document("cart", "1"), Lookup::Busy));
        cache.wrote([("cart", stored(1))].into_iter());
        cache.saw(EPOCH, 0, &[]);
        assert!(found(&cache).is_none());
    }

    #[test]
    fn what_is_older_than_a_change_that_was_seen_goes_and_what_is_newer_stays() {
        let cache = filled(5, 5);
        cache.saw(EPOCH, 5, &[change(6)]);
        assert_eq!(found(&cache), None);
        let cache = filled(5, 7);
        cache.saw(EPOCH, 5, &[change(6), change(7)]);
        assert_eq!(found(&cache), Some(7));
    }

    #[test]
    fn who_read_before_a_change_does_not_fill_after_it() {
        let cache = Cache::default();
        cache.saw(EPOCH, 5, &[]);
        let Lookup::Miss(filling) = cache.document("cart", "1") else { panic!("something is there") };
        cache.saw(EPOCH, 5, &[change(6)]);
        fill(filling, &Some(stored(5)));
        assert_eq!(found(&cache), None);
    }

    #[test]
    fn that_there_is_none_is_known_until_the_log_names_it() {
        let cache = Cache::default();
        cache.saw(EPOCH, 5, &[]);
        let Lookup::Miss(filling) = cache.document("cart", "1") else { panic!("something is there") };
        fill(filling, &None);
        assert!(matches!(cache.document("cart", "1"), Lookup::Hit(None)));
        cache.saw(EPOCH, 5, &[change(6)]);
        let Lookup::Miss(filling) = cache.document("cart", "1") else { panic!("it is still not there") };
        // A read that found no document before its creation does not fill the cache after it.
        cache.saw(EPOCH, 6, &[change(7)]);
        fill(filling, &None);
        assert!(!matches!(cache.document("cart", "1"), Lookup::Hit(_)));
        cache.wrote([("cart", stored(8))].into_iter());
        assert_eq!(found(&cache), Some(8));
    }

    #[test]
    fn what_was_written_is_kept_unless_later_changes_were_seen_already() {
        let cache = filled(5, 5);
        cache.wrote([("cart", stored(6))].into_iter());
        assert_eq!(found(&cache), Some(6));
        cache.saw(EPOCH, 5, &[change(6), change(8)]);
        cache.wrote([("cart", stored(7))].into_iter());
        assert_eq!(found(&cache), None);
    }

    #[test]
    fn another_epoch_takes_everything_away_though_the_position_is_the_same() {
        let cache = filled(5, 5);
        let Lookup::Miss(filling) = cache.document("cart", "2") else { panic!("something is there") };
        cache.saw(EPOCH + 1, 5, &[]);
        assert_eq!(found(&cache), None);
        fill(filling, &Some(Stored { id: "2".into(), ..stored(4) }));
        assert!(!matches!(cache.document("cart", "2"), Lookup::Hit(_)));
    }

    #[test]
    fn entries_that_nobody_read_take_everything_away() {
        let cache = filled(5, 5);
        cache.saw(EPOCH, 9, &[]);
        assert_eq!(found(&cache), None);
        let cache = filled(5, 5);
        cache.lost();
        cache.saw(EPOCH, 5, &[]);
        assert_eq!(found(&cache), None);
    }

    #[test]
    fn what_a_commit_was_refused_for_is_read_again() {
        let cache = filled(5, 5);
        cache.forget([("cart", "1")].into_iter());
        assert_eq!(found(&cache), None);
    }
}
