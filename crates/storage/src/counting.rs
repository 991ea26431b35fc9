//! A storage for tests that counts calls: each would be a round trip on a storage across a network. Tests limit
//! by it how often an operation reads.

use crate::{
    BatchKey, ChangeLogEntry, Commit, CommitFuture, Delta, IndexPage, IndexRange, RecordRange, Result,
    ScanDirection, Seq, Sqlite, SqliteOptions, Storage, StoredDocument, StoredDocumentRef, StoredRecord,
};
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::path::Path;
use tokio::sync::watch;

/// The calls of a storage.
#[derive(Debug, Default)]
pub struct StorageCalls {
    /// A description of each reading call: kinds and indexed paths, e.g. `2 product + channel`.
    pub reads: Vec<String>,
    /// The number of commits.
    pub commits: usize,
}

/// A storage in memory that counts its calls.
#[derive(Debug)]
pub struct CountingStorage {
    inner: Sqlite,
    calls: Mutex<StorageCalls>,
}

impl CountingStorage {
    /// Creates an empty storage. Fails as [`Sqlite::in_memory`] does.
    pub fn in_memory() -> Result<Self> {
        Ok(Self { inner: Sqlite::in_memory(SqliteOptions::default())?, calls: Mutex::default() })
    }

    /// Returns the calls since the last call of this method.
    pub fn take_calls(&self) -> StorageCalls {
        std::mem::take(&mut self.calls.lock())
    }

    fn read(&self, what: impl Into<String>) -> &Sqlite {
        self.calls.lock().reads.push(what.into());
        &self.inner
    }
}

/// Returns each kind with the number of its occurrences, e.g. `2 product + channel`.
fn kinds<'a>(kinds: impl Iterator<Item = &'a str>) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for kind in kinds {
        match counted.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, count)) => *count += 1,
            None => counted.push((kind, 1)),
        }
    }
    let named = |(kind, count): (&str, usize)| {
        if count == 1 { kind.to_owned() } else { format!("{count} {kind}") }
    };
    counted.into_iter().map(named).collect::<Vec<_>>().join(" + ")
}

impl Storage for CountingStorage {
    fn get(&self, kind: &str, id: &str) -> Result<Option<StoredDocument>> {
        self.read(kind).get(kind, id)
    }
    fn get_many(&self, kind: &str, ids: &[&str]) -> Result<Vec<Option<StoredDocument>>> {
        self.read(kinds(ids.iter().map(|_| kind))).get_many(kind, ids)
    }
    fn find_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<String>> {
        self.read(kind).find_unique(kind, path, value)
    }
    fn get_by_unique(&self, kind: &str, path: &str, value: &str) -> Result<Option<StoredDocument>> {
        self.read(kind).get_by_unique(kind, path, value)
    }
    fn get_many_by_unique(
        &self,
        kind: &str,
        path: &str,
        values: &[&str],
    ) -> Result<Vec<Option<StoredDocument>>> {
        self.read(kinds(values.iter().map(|_| kind))).get_many_by_unique(kind, path, values)
    }
    fn get_batch(&self, keys: &[BatchKey<'_>]) -> Result<Vec<Option<StoredDocument>>> {
        let named = keys.iter().map(|key| match *key {
            BatchKey::Id { kind, .. } | BatchKey::Unique { kind, .. } => kind,
        });
        self.read(kinds(named)).get_batch(keys)
    }
    fn find_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
    ) -> Result<Vec<String>> {
        self.read(format!("{kind} at {path}")).find_indexed(kind, path, range, page)
    }
    fn visit_indexed(
        &self,
        kind: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        self.read(format!("{kind} at {path}")).visit_indexed(kind, path, range, page, visit)
    }
    fn count_indexed(&self, kind: &str, path: &str, range: &IndexRange, cap: u64) -> Result<u64> {
        self.read(format!("how many {kind} at {path}")).count_indexed(kind, path, range, cap)
    }
    fn scan(
        &self,
        kind: &str,
        direction: ScanDirection,
        after: Option<&str>,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        self.read(format!("all {kind}")).scan(kind, direction, after, visit)
    }
    fn count(&self, kind: &str) -> Result<u64> {
        self.read(format!("how many {kind}")).count(kind)
    }
    fn count_each(&self, kinds: &[&str]) -> Result<Vec<u64>> {
        self.read(format!("how many {}", kinds.join(" + "))).count_each(kinds)
    }
    fn counter(&self, counter: &str) -> Result<i64> {
        self.read(counter).counter(counter)
    }
    fn takes_provisional_revisions(&self) -> bool {
        self.inner.takes_provisional_revisions()
    }
    fn commit(&self, commit: Commit) -> CommitFuture {
        self.calls.lock().commits += 1;
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
        self.read("changes").changes(after, limit)
    }
    fn last_seq(&self) -> Result<Seq> {
        self.read("changes").last_seq()
    }
    fn epoch(&self) -> Result<u64> {
        self.read("changes").epoch()
    }
    fn changes_and_epoch(&self, after: Seq, limit: usize) -> Result<(Vec<ChangeLogEntry>, u64)> {
        self.read("changes").changes_and_epoch(after, limit)
    }
    fn subscribe(&self) -> watch::Receiver<Seq> {
        self.inner.subscribe()
    }
    fn records(&self, range: &RecordRange<'_>, limit: usize) -> Result<Vec<StoredRecord>> {
        self.read("records").records(range, limit)
    }
    fn position(&self, consumer: &str) -> Result<Seq> {
        self.read("position").position(consumer)
    }
    fn setting(&self, name: &str) -> Result<Option<String>> {
        self.read("setting").setting(name)
    }
    fn delta(&self, after: Seq, limit: usize) -> Result<Delta> {
        self.read("changes").delta(after, limit)
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
