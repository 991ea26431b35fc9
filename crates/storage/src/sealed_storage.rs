//! A [`Storage`] that decrypts secrets ([`SealKey`]) in documents of one kind when they are read.

use crate::{
    BatchKey, ChangeLogEntry, Commit, CommitFuture, Delta, IndexPage, IndexRange, RecordRange, Result,
    ScanDirection, SealKey, Seq, Sqlite, Storage, StoredDocument, StoredDocumentRef, StoredRecord,
};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// A storage that decrypts sealed values on reads. Backups and copies contain them encrypted.
#[derive(Debug)]
pub struct SealedStorage {
    inner: Arc<Sqlite>,
    key: Arc<SealKey>,
    /// The kind whose documents may contain sealed values.
    kind: &'static str,
}

impl SealedStorage {
    /// Wraps a storage.
    pub fn new(inner: Arc<Sqlite>, key: Arc<SealKey>, kind: &'static str) -> Self {
        Self { inner, key, kind }
    }

    fn unseal_document(&self, kind: &str, stored: Option<StoredDocument>) -> Option<StoredDocument> {
        let stored = stored?;
        if kind != self.kind {
            return Some(stored);
        }
        match self.key.unseal_all(&stored.body) {
            Cow::Borrowed(_) => Some(stored),
            Cow::Owned(body) => Some(StoredDocument { body: body.into(), ..stored }),
        }
    }

    fn unseal_documents(
        &self,
        kind: &str,
        stored: Vec<Option<StoredDocument>>,
    ) -> Vec<Option<StoredDocument>> {
        if kind != self.kind {
            return stored;
        }
        stored.into_iter().map(|stored| self.unseal_document(kind, stored)).collect()
    }
}

impl Storage for SealedStorage {
    fn get(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>> {
        Ok(self.unseal_document(kind, self.inner.get(kind, id)?))
    }
    fn get_many(&self, kind: &str, ids: &[&str]) -> Result<Vec<Option<StoredDocument>>> {
        Ok(self.unseal_documents(kind, self.inner.get_many(kind, ids)?))
    }
    fn find_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<String>> {
        self.inner.find_unique(kind, path, value)
    }
    fn get_by_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<StoredDocument>> {
        Ok(self.unseal_document(kind, self.inner.get_by_unique(kind, path, value)?))
    }
    fn get_many_by_unique(
        &self,
        kind: &str,
        path: &str,
        values: &[&str],
    ) -> Result<Vec<Option<StoredDocument>>> {
        Ok(self.unseal_documents(kind, self.inner.get_many_by_unique(kind, path, values)?))
    }
    fn get_batch(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>> {
        let mut found = self.inner.get_batch(keys)?;
        for (key, stored) in keys.iter().zip(&mut found) {
            let (BatchKey::Id { kind, .. } | BatchKey::Unique { kind, .. }) = *key;
            if kind == self.kind {
                *stored = self.unseal_document(kind, stored.take());
            }
        }
        Ok(found)
    }
    fn get_cached(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>> {
        Ok(self.unseal_document(kind, self.inner.get_cached(kind, id)?))
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
        if kind != self.kind {
            return self.inner.visit_indexed(kind, path, range, page, visit);
        }
        let mut opening = |stored: StoredDocumentRef<'_>| {
            visit(StoredDocumentRef { body: &self.key.unseal_all(stored.body), ..stored })
        };
        self.inner.visit_indexed(kind, path, range, page, &mut opening)
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
        if kind != self.kind {
            return self.inner.scan(kind, direction, after, visit);
        }
        let mut opening = |stored: StoredDocumentRef<'_>| {
            visit(StoredDocumentRef { body: &self.key.unseal_all(stored.body), ..stored })
        };
        self.inner.scan(kind, direction, after, &mut opening)
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
    fn takes_provisional_revisions(&self) -> bool {
        self.inner.takes_provisional_revisions()
    }
    fn commit(&self, commit: Commit) -> CommitFuture {
        self.inner.commit(commit)
    }
    fn close(&self) {
        self.inner.close();
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
    fn setting(&self, name: &str) -> Result<Option<String>> {
        self.inner.setting(name)
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
