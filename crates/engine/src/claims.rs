//! Locks on documents that a change will write in addition to its own, e.g. stock. Changes with the same
//! claim run one after the other, so that none is prepared in vain.
//!
//! A change that has submitted its commit releases its claims before the commit is on disk, and passes its
//! writes on: the next change builds on them, and shares a sync of the disk. Its commit requires that the
//! previous one succeeds ([`Commit::provisional_revision`]).
//!
//! Claims are an optimization; correctness rests on the preconditions of the commits. Other processes on the
//! same storage do not see claims.

use kontor_storage::{Commit, CommitFuture, Storage, StoredDocument, Write, provisional_revision};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, watch};

/// Number of claims in the table at which unused ones are first removed.
const CLAIMS_KEPT: usize = 1_024;

/// The lock on documents of a kind with a certain indexed value, e.g. stock by its SKU. Its owner may change
/// these documents, but not that value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Claim {
    type_id: &'static str,
    value: String,
}

impl Claim {
    /// Returns the claim on the documents of the kind `type_id` with this indexed value, e.g. on the stock of a SKU:
    /// `("inventory-entry", sku)`.
    pub fn new(type_id: &'static str, value: impl Into<String>) -> Self {
        Self { type_id, value: value.into() }
    }
}

/// The table of claims of a shop.
#[derive(Default)]
pub(crate) struct ClaimTable {
    locks: Mutex<ClaimLocks>,
}

/// The lock of a claim; it holds the submitted write of the last owner.
type ClaimLock = AsyncMutex<Option<InFlightWrite>>;

#[derive(Default)]
struct ClaimLocks {
    by_claim: HashMap<Claim, Weak<ClaimLock>>,
    /// The size of the table after unused locks were last removed.
    retained: usize,
}

/// The claimed documents as a commit writes them that is submitted but not on disk.
#[derive(Clone)]
pub(crate) struct InFlightWrite {
    documents: Arc<[(&'static str, StoredDocument)]>,
    /// Closed when the commit is on disk or has failed.
    completion: watch::Receiver<()>,
}

impl InFlightWrite {
    fn is_over(&self) -> bool {
        self.completion.has_changed().is_err()
    }

    /// A document as the commit writes it.
    pub(crate) fn document(&self, type_id: &str, id: &str) -> Option<&StoredDocument> {
        let is_it = |(kind, stored): &&(&str, StoredDocument)| stored.id == id && *kind == type_id;
        self.documents.iter().find(is_it).map(|(_, stored)| stored)
    }
}

/// The claims of a change, released when it is dropped.
#[derive(Default)]
pub(crate) struct HeldClaims {
    guards: Vec<(&'static str, OwnedMutexGuard<Option<InFlightWrite>>)>,
}

/// The claims of a change whose commit is submitted but not on disk.
#[derive(Default)]
pub(crate) struct SubmittedCommit {
    /// Claims that are held until the commit is on disk.
    _held_claims: HeldClaims,
    /// The locks stay in the table, so that the next owner finds the submitted write.
    _locks: Vec<Arc<ClaimLock>>,
    _over: Option<watch::Sender<()>>,
}

impl HeldClaims {
    /// True if nothing is claimed.
    pub(crate) fn is_empty(&self) -> bool {
        self.guards.is_empty()
    }

    /// Returns the submitted writes of earlier owners of these claims, the latest first.
    pub(crate) fn in_flight(&self) -> Vec<InFlightWrite> {
        let mut writes: Vec<InFlightWrite> = self
            .guards
            .iter()
            .filter_map(|(_, lock)| (**lock).clone())
            .filter(|write| !write.is_over())
            .collect();
        let revision = |write: &InFlightWrite| write.documents.first().map(|(_, stored)| stored.revision);
        writes.sort_by_key(revision);
        // One commit may have had several of the claims.
        writes.dedup_by_key(|write| revision(write));
        writes
    }

    /// Submits the commit, and passes the claims on to the next changes, which build on it.
    pub(crate) fn submit(self, mut commit: Commit, storage: &dyn Storage) -> (CommitFuture, SubmittedCommit) {
        if self.is_empty() || !storage.takes_provisional_revisions() {
            return (
                storage.commit(commit),
                SubmittedCommit { _held_claims: self, ..SubmittedCommit::default() },
            );
        }
        let provisional = provisional_revision();
        commit.provisional_revision = Some(provisional);
        let documents = self.documents_in(&commit, provisional);
        let future = storage.commit(commit);
        let (over_sender, over) = watch::channel(());
        let locks = self.guards.into_iter().map(|(_, mut lock)| {
            *lock = Some(InFlightWrite { documents: Arc::clone(&documents), completion: over.clone() });
            Arc::clone(OwnedMutexGuard::mutex(&lock))
        });
        (
            future,
            SubmittedCommit {
                _locks: locks.collect(),
                _over: Some(over_sender),
                _held_claims: HeldClaims::default(),
            },
        )
    }

    /// Returns the documents of claimed kinds that a commit writes.
    fn documents_in(&self, commit: &Commit, revision: i64) -> Arc<[(&'static str, StoredDocument)]> {
        let claimed = commit.writes.iter().filter_map(|write| {
            let Write::Put(put) = write else { return None };
            let (type_id, _) = self.guards.iter().find(|(type_id, _)| *type_id == put.kind)?;
            let (id, version, sequence) = (put.id.clone(), put.version, put.sequence);
            Some((*type_id, StoredDocument { id, version, revision, sequence, body: put.body.clone() }))
        });
        claimed.collect()
    }
}

/// Waits until all submitted commits are on disk or have failed.
pub(crate) async fn wait_for_all(writes: &[InFlightWrite]) {
    for write in writes {
        let mut over = write.completion.clone();
        while over.changed().await.is_ok() {}
    }
}

impl ClaimTable {
    /// Waits until all of these claims are owned.
    pub(crate) async fn claim(&self, mut claims: Vec<Claim>) -> HeldClaims {
        // All callers lock in the same order, so that there is no deadlock.
        claims.sort_unstable();
        claims.dedup();
        let mut locks = Vec::with_capacity(claims.len());
        for claim in claims {
            locks.push((claim.type_id, self.lock_of(claim).lock_owned().await));
        }
        HeldClaims { guards: locks }
    }

    fn lock_of(&self, claim: Claim) -> Arc<ClaimLock> {
        let mut locks = self.locks.lock();
        if locks.by_claim.len() >= CLAIMS_KEPT + 2 * locks.retained {
            locks.by_claim.retain(|_, lock| lock.strong_count() > 0);
            locks.retained = locks.by_claim.len();
        }
        if let Some(lock) = locks.by_claim.get(&claim).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::default();
        locks.by_claim.insert(claim, Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_storage::{Precondition, Put, Sqlite, SqliteOptions};
    use std::time::Duration;
    use tokio::time::timeout;

    const STOCK: &str = "inventory-entry";

    fn stock_claims(values: &[&str]) -> Vec<Claim> {
        values.iter().map(|value| Claim::new(STOCK, *value)).collect()
    }

    /// Returns `None` if another change holds one of them.
    async fn claimed(claims: &ClaimTable, values: &[&str]) -> Option<HeldClaims> {
        timeout(Duration::ZERO, claims.claim(stock_claims(values))).await.ok()
    }

    fn stock(id: &str, version: i64) -> Put {
        Put { kind: STOCK.to_owned(), id: id.to_owned(), version, body: "{}".into(), ..Put::default() }
    }

    fn unchanged(id: &str, revision: i64) -> Precondition {
        Precondition::Revision { kind: STOCK.to_owned(), id: id.to_owned(), revision }
    }

    #[tokio::test]
    async fn waits_for_the_owner_of_a_claim() {
        let claims = ClaimTable::default();
        let first = claims.claim(stock_claims(&["b", "a", "b"])).await;
        assert!(claimed(&claims, &["a0", "b"]).await.is_none(), "b is claimed");
        assert!(claimed(&claims, &["a0"]).await.is_some(), "a cancelled claim holds nothing");
        drop(first);
        assert!(claimed(&claims, &["a", "b"]).await.is_some());
    }

    #[tokio::test]
    async fn removes_unused_claims() {
        let claims = ClaimTable::default();
        let held = claims.claim(stock_claims(&["held"])).await;
        for number in 0..3 * CLAIMS_KEPT {
            claims.claim(stock_claims(&[&number.to_string()])).await;
        }
        assert!(claims.locks.lock().by_claim.len() <= CLAIMS_KEPT + 2);
        assert!(claimed(&claims, &["held"]).await.is_none());
        drop(held);
    }

    #[tokio::test]
    async fn passes_submitted_writes_to_the_next_owner() {
        let storage = Sqlite::in_memory(SqliteOptions::default()).unwrap();
        let claims = ClaimTable::default();
        let first = claims.claim(stock_claims(&["a", "b"])).await;
        assert!(first.in_flight().is_empty());
        let commit = Commit::new().put(stock("1", 4)).put(Put { kind: "order".into(), ..stock("1", 1) });
        let (response, submitted) = first.submit(commit, &storage);
        let both = claimed(&claims, &["a", "b"]).await.unwrap();
        assert_eq!(both.in_flight().len(), 1, "one commit had both");
        drop(both);

        let second =
            claimed(&claims, &["b"]).await.expect("the claim is passed on before the commit is on disk");
        let [write] = &second.in_flight()[..] else { panic!("the first one is in flight") };
        assert!(write.document("order", "1").is_none(), "Orders were not claimed");
        let stored = write.document(STOCK, "1").unwrap().clone();
        assert_eq!(stored.version, 4);
        let commit = Commit::new().require(unchanged("1", stored.revision)).put(stock("1", 5));
        let (second_answer, _submitted) = second.submit(commit, &storage);
        let third = claimed(&claims, &["a", "b"]).await.unwrap();
        let versions = |claimed: &HeldClaims| -> Vec<i64> {
            claimed.in_flight().iter().filter_map(|write| Some(write.document(STOCK, "1")?.version)).collect()
        };
        assert_eq!(versions(&third), [5, 4], "the latest first");

        response.await.unwrap();
        second_answer.await.unwrap();
        drop(submitted);
        assert_eq!(versions(&third), [5], "the first one is over");
        assert_eq!(storage.get(STOCK, "1").unwrap().unwrap().version, 5);
    }

    #[tokio::test]
    async fn refuses_a_commit_that_builds_on_a_failed_one() {
        let storage = Sqlite::in_memory(SqliteOptions::default()).unwrap();
        let claims = ClaimTable::default();
        storage.commit(Commit::new().put(stock("1", 1))).await.unwrap();
        let first = claims.claim(stock_claims(&["a"])).await;
        let (response, submitted) =
            first.submit(Commit::new().require(unchanged("2", 1)).put(stock("1", 2)), &storage);
        let second = claimed(&claims, &["a"]).await.unwrap();
        let revision = second.in_flight()[0].document(STOCK, "1").unwrap().revision;
        let (second_answer, _) =
            second.submit(Commit::new().require(unchanged("1", revision)).put(stock("1", 3)), &storage);
        response.await.unwrap_err();
        second_answer.await.unwrap_err();
        drop(submitted);
        assert_eq!(storage.get(STOCK, "1").unwrap().unwrap().version, 1);
    }
}
