//! A [`Storage`] that changes documents when they are read ([`ReadTransform`]), and nothing else.

use crate::{
    BatchKey, ChangeLogEntry, Commit, CommitFuture, Delta, IndexPage, IndexRange, RecordRange, Result,
    ScanDirection, Seq, Storage, StoredDocument, StoredDocumentRef, StoredRecord,
};
use bytes::Bytes;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// A change of documents on reads, e.g. the decryption of secrets.
pub trait ReadTransform: Send + Sync {
    /// Whether documents of a kind may need a change.
    fn may_transform(&self, kind: &str) -> bool;

    /// Returns the changed text of a document; `None` if it needs no change, as documents of all other kinds.
    fn transform(&self, kind: &str, body: &[u8]) -> Option<Bytes>;
}

/// A storage whose documents pass a [`ReadTransform`]. Backups, copies ([`Storage::delta`]) and records of changes contain
/// what is stored.
pub struct TransformedStorage<T> {
    inner: Arc<dyn Storage>,
    transform: T,
}

impl<T: ReadTransform> TransformedStorage<T> {
    /// Wraps a storage.
    pub fn new(inner: Arc<dyn Storage>, transform: T) -> Self {
        Self { inner, transform }
    }

    fn transform(&self, kind: &str, stored: Option<StoredDocument>) -> Option<StoredDocument> {
        let stored = stored?;
        match self.transform.transform(kind, &stored.body) {
            Some(body) => Some(StoredDocument { body, ..stored }),
            None => Some(stored),
        }
    }

    fn transform_all(&self, kind: &str, stored: Vec<Option<StoredDocument>>) -> Vec<Option<StoredDocument>> {
        if !self.transform.may_transform(kind) {
            return stored;
        }
        stored.into_iter().map(|stored| self.transform(kind, stored)).collect()
    }

    fn transform_batch(
        &self,
        keys: &[BatchKey<'_>],
        mut found: Vec<Option<StoredDocument>>,
    ) -> Vec<Option<StoredDocument>> {
        for (key, stored) in keys.iter().zip(&mut found) {
            let (BatchKey::Id { kind, .. } | BatchKey::Unique { kind, .. }) = *key;
            *stored = self.transform(kind, stored.take());
        }
        found
    }

    fn visit_transformed(
        &self,
        kind: &str,
        stored: StoredDocumentRef<'_>,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self.transform.transform(kind, stored.body) {
            Some(body) => visit(StoredDocumentRef { body: &body, ..stored }),
            None => visit(stored),
        }
    }
}

impl<T: ReadTransform> Storage for TransformedStorage<T> {
    fn get(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>> {
        Ok(self.transform(kind, self.inner.get(kind, id)?))
    }
    fn get_many(&self, kind: &str, ids: &[&str]) -> Result<Vec<Option<StoredDocument>>> {
        Ok(self.transform_all(kind, self.inner.get_many(kind, ids)?))
    }
    fn find_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<String>> {
        self.inner.find_unique(kind, path, value)
    }
    fn get_by_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<StoredDocument>> {
        Ok(self.transform(kind, self.inner.get_by_unique(kind, path, value)?))
    }
    fn get_many_by_unique(
        &self,
        kind: &str,
        path: &str,
        values: &[&str],
    ) -> Result<Vec<Option<StoredDocument>>> {
        Ok(self.transform_all(kind, self.inner.get_many_by_unique(kind, path, values)?))
    }
    fn get_batch(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>> {
        Ok(self.transform_batch(keys, self.inner.get_batch(keys)?))
    }
    fn get_cached(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>> {
        Ok(self.transform(kind, self.inner.get_cached(kind, id)?))
    }
    fn get_batch_cached(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>> {
        Ok(self.transform_batch(keys, self.inner.get_batch_cached(keys)?))
    }
    fn find_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
    ) -> Result<Vec<String>> {
        self.inner.find_indexed(kind, path, range, page)
    }
    fn visit_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        if !self.transform.may_transform(kind) {
            return self.inner.visit_indexed(kind, path, range, page, visit);
        }
        let mut transforming = |stored: StoredDocumentRef<'_>| self.visit_transformed(kind, stored, visit);
        self.inner.visit_indexed(kind, path, range, page, &mut transforming)
    }
    fn count_indexed(&self, kind: &str, path: &str, range: &IndexRange, cap: u64) -> Result<u64> {
        self.inner.count_indexed(kind, path, range, cap)
    }
    fn scan(
        &self,
        kind: &str,
        direction: ScanDirection,
        after: Option<&str>,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        if !self.transform.may_transform(kind) {
            return self.inner.scan(kind, direction, after, visit);
        }
        let mut transforming = |stored: StoredDocumentRef<'_>| self.visit_transformed(kind, stored, visit);
        self.inner.scan(kind, direction, after, &mut transforming)
    }
    fn count(&self, kind: &str) -> Result<u64> {
        self.inner.count(kind)
    }
    fn count_each(&self, kinds: &[&str]) -> Result<Vec<u64>> {
        self.inner.count_each(kinds)
    }
    fn counter(&self, counter: &str) -> Result<i64> {
        self.inner.counter(counter)
    }
    fn commit(&self, commit: Commit) -> CommitFuture {
        self.inner.commit(commit)
    }
    fn close(&self) {
        self.inner.close();
    }
    fn faults(&self) -> Vec<String> {
        self.inner.faults()
    }
    fn is_full(&self) -> bool {
        self.inner.is_full()
    }
    fn changes(&self, after: Seq, limit: usize) -> Result<Vec<ChangeLogEntry>> {
        self.inner.changes(after, limit)
    }
    fn last_seq(&self) -> Result<Seq> {
        self.inner.last_seq()
    }
    fn epoch(&self) -> Result<u64> {
        self.inner.epoch()
    }
    fn changes_and_epoch(&self, after: Seq, limit: usize) -> Result<(Vec<ChangeLogEntry>, u64)> {
        self.inner.changes_and_epoch(after, limit)
    }
    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }
    fn takes_provisional_revisions(&self) -> bool {
        self.inner.takes_provisional_revisions()
    }
    fn is_keeper(&self) -> bool {
        self.inner.is_keeper()
    }
    fn subscribe(&self) -> watch::Receiver<Seq> {
        self.inner.subscribe()
    }
    fn records(&self, range: &RecordRange<'_>, limit: usize) -> Result<Vec<StoredRecord>> {
        self.inner.records(range, limit)
    }
    fn position(&self, consumer: &str) -> Result<Seq> {
        self.inner.position(consumer)
    }
    fn set_position(&self, consumer: &str, seq: Seq) -> Result<()> {
        self.inner.set_position(consumer, seq)
    }
    fn setting(&self, name: &str) -> Result<Option<String>> {
        self.inner.setting(name)
    }
    fn set_setting(&self, name: &str, value: Option<&str>) -> Result<()> {
        self.inner.set_setting(name, value)
    }
    fn delta(&self, after: Seq, limit: usize) -> Result<Delta> {
        self.inner.delta(after, limit)
    }
    fn refuse_commits(&self, moves_to: Option<&str>) -> Result<()> {
        self.inner.refuse_commits(moves_to)
    }
    fn backup(&self, to: &Path) -> Result<()> {
        self.inner.backup(to)
    }
    fn restore(&self, from: &Path) -> Result<()> {
        self.inner.restore(from)
    }
    fn clear(&self, keep_kinds: &[&str]) -> Result<()> {
        self.inner.clear(keep_kinds)
    }
}
