//! A cache of documents that this process has read or written, for callers that have read the change log.
//!
//! **Invariant:** an entry equals the database's state when the change log was at `seen` or later, in the
//! same epoch. Reading log entries ([`DocumentCache::apply_changes`]) removes the documents that they name, and cancels running
//! reads of them, so that those do not fill the cache. So a caller that has read the newest log entries, and
//! then finds a document here, gets its state at that time, or a newer one.

use std::hash::Hash;
use std::time::Duration;

use kontor_storage::{ChangeLogEntry, Error, Result, Seq, StoredDocument, sqlite::CACHE_BYTES_DEFAULT};
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
pub(crate) type CachedState = Option<StoredDocument>;

/// Weighs an entry in bytes.
#[derive(Debug, Clone)]
pub(crate) struct DocumentWeighter;

impl Weighter<DocumentName, CachedState> for DocumentWeighter {
    fn weight(&self, name: &DocumentName, known: &CachedState) -> u64 {
        let body = known.as_ref().map_or(0, |stored| stored.body.len());
        (name.kind.len() + 2 * name.id.len() + body) as u64 + ENTRY_OVERHEAD_BYTES
    }
}

/// The right to fill an entry, unless a change is faster.
pub(crate) type DocumentPlaceholder<'a> = PlaceholderGuard<
    'a,
    DocumentName,
    CachedState,
    DocumentWeighter,
    DefaultHashBuilder,
    DefaultLifecycle<DocumentName, CachedState>,
>;

/// The result of a cache lookup.
pub(crate) enum CachedDocumentLookup<'a> {
    /// The document, or that it does not exist.
    Hit(CachedState),
    /// No entry: the caller reads, then fills the placeholder.
    Miss(DocumentPlaceholder<'a>),
    /// No entry, and the caller may not fill it: another read does, or the log was not read. Callers do not
    /// wait for each other.
    Busy,
}

/// The cached documents of a shop.
pub(crate) struct DocumentCache {
    documents: QuickCache<DocumentName, CachedState, DocumentWeighter>,
    /// The position up to which the log was read; `None` before the first read, or after entries were missed.
    seen: Mutex<Option<ReadPosition>>,
}

/// The position up to which a log was read without gaps.
#[derive(Debug, Clone, Copy)]
struct ReadPosition {
    /// The epoch of the log: replaced content leaves no entries, and need not change the position.
    epoch: u64,
    seq: Seq,
}

impl std::fmt::Debug for DocumentCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("DocumentCache").field("seen", &*self.seen.lock()).finish_non_exhaustive()
    }
}

impl Default for DocumentCache {
    fn default() -> Self {
        let items = usize::try_from(BYTES / DOCUMENT_BYTES).unwrap_or(usize::MAX);
        DocumentCache {
            documents: QuickCache::with_weighter(items, BYTES, DocumentWeighter),
            seen: Mutex::default(),
        }
    }
}

impl DocumentCache {
    /// Looks up a document as of the last read of the log, or newer.
    pub(crate) fn document(&self, kind: &str, id: &str) -> CachedDocumentLookup<'_> {
        if self.read_position().is_none() {
            return CachedDocumentLookup::Busy;
        }
        if let Some(known) = self.documents.get(&DocumentNameRef(kind, id)) {
            return CachedDocumentLookup::Hit(known);
        }
        let name = DocumentName { kind: kind.into(), id: id.into() };
        match self.documents.get_value_or_guard(&name, Some(Duration::ZERO)) {
            GuardResult::Value(known) => CachedDocumentLookup::Hit(known),
            GuardResult::Guard(filling) => CachedDocumentLookup::Miss(filling),
            GuardResult::Timeout => CachedDocumentLookup::Busy,
        }
    }

    /// Returns the position up to which the log was read without gaps.
    pub(crate) fn read_position(&self) -> Option<Seq> {
        self.seen.lock().map(|seen| seen.seq)
    }

    /// Handles entries read after a position, in an epoch: removes the documents that they name.
    fn apply_changes(&self, epoch: u64, after: Seq, changes: &[ChangeLogEntry]) {
        let mut seen = self.seen.lock();
        let before = seen.filter(|seen| seen.epoch == epoch).map(|seen| seen.seq);
        if before.is_none_or(|before| after > before) {
            self.documents.clear();
        }
        for ChangeLogEntry { seq, kind, id, .. } in changes {
            let name = DocumentNameRef(kind, id);
            let newest = self.documents.peek(&name).flatten().map(|stored| stored.revision.unsigned_abs());
            if newest.is_none_or(|newest| newest < *seq) {
                self.documents.remove(&name);
            }
        }
        let last = changes.last().map_or(after, |change| change.seq);
        *seen = Some(ReadPosition { epoch, seq: before.map_or(last, |before| before.max(last)) });
    }

    /// Handles the result of reading the log after a position: removes the documents that the entries name, and returns
    /// the entries with their epoch. Fails with [`Error::Behind`] if entries are missing.
    pub(crate) fn apply_log_read(
        &self,
        after: Seq,
        (head, found): LogRead,
    ) -> Result<(Vec<ChangeLogEntry>, u64)> {
        let LogHead { base, newest, epoch } = head.ok_or(Error::Closed)?;
        // After the end: a position in another log, e.g. of a deleted shop with the same key.
        if after < base || after > newest {
            self.invalidate();
            return Err(Error::Behind { after, base });
        }
        let changes = found.into_iter().map(|row| row.ok_or(Error::Damaged("an entry of the change log")));
        let changes: Vec<ChangeLogEntry> = changes.collect::<Result<_>>()?;
        self.apply_changes(epoch, after, &changes);
        Ok((changes, epoch))
    }

    /// Clears the cache, because log entries were missed or the log was replaced.
    pub(crate) fn invalidate(&self) {
        let mut seen = self.seen.lock();
        self.documents.clear();
        *seen = None;
    }

    /// Caches documents that this process has written. If the log was already read beyond a write, its document may
    /// have changed again, and is removed instead.
    pub(crate) fn insert_written<'d>(&self, documents: impl Iterator<Item = (&'d str, StoredDocument)>) {
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
    pub(crate) fn remove<'a>(&self, names: impl Iterator<Item = (&'a str, &'a str)>) {
        for (kind, id) in names {
            self.documents.remove(&DocumentNameRef(kind, id));
        }
    }
}

/// Fills an entry with a read document. Does nothing if a change was faster, which is its purpose.
pub(crate) fn fill(filling: DocumentPlaceholder<'_>, known: &CachedState) {
    if known.as_ref().is_none_or(|stored| stored.body.len() as u64 <= DOCUMENT_BYTES_MAX) {
        let _ = filling.insert(known.clone());
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use kontor_storage::ChangeOperation;

    use super::*;

    const EPOCH: u64 = 1;

    fn stored(revision: i64) -> StoredDocument {
        StoredDocument {
            id: "1".into(),
            version: revision,
            revision,
            sequence: 0,
            body: Bytes::from_static(b"{}"),
        }
    }

    fn change(seq: Seq) -> ChangeLogEntry {
        ChangeLogEntry {
            seq,
            kind: "cart".into(),
            id: "1".into(),
            version: 1,
            operation: ChangeOperation::Updated,
        }
    }

    fn cached_revision(cache: &DocumentCache) -> Option<i64> {
        match cache.document("cart", "1") {
            CachedDocumentLookup::Hit(known) => known.map(|stored| stored.revision),
            CachedDocumentLookup::Miss(_) | CachedDocumentLookup::Busy => None,
        }
    }

    /// Returns a cache whose log was read up to a position, with a document that was read then.
    fn filled(seen: Seq, revision: i64) -> DocumentCache {
        let cache = DocumentCache::default();
        cache.apply_changes(EPOCH, seen, &[]);
        let CachedDocumentLookup::Miss(filling) = cache.document("cart", "1") else {
            panic!("something is there")
        };
        fill(filling, &Some(stored(revision)));
        assert_eq!(cached_revision(&cache), Some(revision));
        cache
    }

    #[test]
    fn caches_nothing_before_the_log_was_read() {
        let cache = DocumentCache::default();
        assert!(matches!(cache.document("cart", "1"), CachedDocumentLookup::Busy));
        cache.insert_written([("cart", stored(1))].into_iter());
        cache.apply_changes(EPOCH, 0, &[]);
        assert!(cached_revision(&cache).is_none());
    }

    #[test]
    fn removes_documents_older_than_a_change() {
        let cache = filled(5, 5);
        cache.apply_changes(EPOCH, 5, &[change(6)]);
        assert_eq!(cached_revision(&cache), None);
        let cache = filled(5, 7);
        cache.apply_changes(EPOCH, 5, &[change(6), change(7)]);
        assert_eq!(cached_revision(&cache), Some(7));
    }

    #[test]
    fn rejects_fills_of_reads_before_a_change() {
        let cache = DocumentCache::default();
        cache.apply_changes(EPOCH, 5, &[]);
        let CachedDocumentLookup::Miss(filling) = cache.document("cart", "1") else {
            panic!("something is there")
        };
        cache.apply_changes(EPOCH, 5, &[change(6)]);
        fill(filling, &Some(stored(5)));
        assert_eq!(cached_revision(&cache), None);
    }

    #[test]
    fn caches_absence_until_the_log_names_it() {
        let cache = DocumentCache::default();
        cache.apply_changes(EPOCH, 5, &[]);
        let CachedDocumentLookup::Miss(filling) = cache.document("cart", "1") else {
            panic!("something is there")
        };
        fill(filling, &None);
        assert!(matches!(cache.document("cart", "1"), CachedDocumentLookup::Hit(None)));
        cache.apply_changes(EPOCH, 5, &[change(6)]);
        let CachedDocumentLookup::Miss(filling) = cache.document("cart", "1") else {
            panic!("it is still not there")
        };
        // A read that found no document before its creation does not fill the cache after it.
        cache.apply_changes(EPOCH, 6, &[change(7)]);
        fill(filling, &None);
        assert!(!matches!(cache.document("cart", "1"), CachedDocumentLookup::Hit(_)));
        cache.insert_written([("cart", stored(8))].into_iter());
        assert_eq!(cached_revision(&cache), Some(8));
    }

    #[test]
    fn caches_writes_unless_later_changes_were_read() {
        let cache = filled(5, 5);
        cache.insert_written([("cart", stored(6))].into_iter());
        assert_eq!(cached_revision(&cache), Some(6));
        cache.apply_changes(EPOCH, 5, &[change(6), change(8)]);
        cache.insert_written([("cart", stored(7))].into_iter());
        assert_eq!(cached_revision(&cache), None);
    }

    #[test]
    fn clears_on_another_epoch_at_the_same_position() {
        let cache = filled(5, 5);
        let CachedDocumentLookup::Miss(filling) = cache.document("cart", "2") else {
            panic!("something is there")
        };
        cache.apply_changes(EPOCH + 1, 5, &[]);
        assert_eq!(cached_revision(&cache), None);
        fill(filling, &Some(StoredDocument { id: "2".into(), ..stored(4) }));
        assert!(!matches!(cache.document("cart", "2"), CachedDocumentLookup::Hit(_)));
    }

    #[test]
    fn clears_when_entries_were_missed() {
        let cache = filled(5, 5);
        cache.apply_changes(EPOCH, 9, &[]);
        assert_eq!(cached_revision(&cache), None);
        let cache = filled(5, 5);
        cache.invalidate();
        cache.apply_changes(EPOCH, 5, &[]);
        assert_eq!(cached_revision(&cache), None);
    }

    #[test]
    fn reads_again_after_a_refusal() {
        let cache = filled(5, 5);
        cache.remove([("cart", "1")].into_iter());
        assert_eq!(cached_revision(&cache), None);
    }
}
