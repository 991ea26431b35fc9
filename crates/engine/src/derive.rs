//! Runs derivations: updates the fields of documents that follow from other documents, soon after those change.
//!
//! A commit that changes a source document also writes a work item, in the same transaction. Items are
//! processed in [`chunks`] through the same writer as everything else, so that one big change never blocks
//! others. A crash loses no work: an item is removed only when it is done. An item contains the name of its
//! derivation, because some items wait for months and other derivations are added meanwhile. Derived writes
//! leave the version as it is; they have a new revision, so that a change that read the old state is retried.

mod chunks;
mod item;
mod stored_sources;

use self::chunks::RoundResult;
use crate::clock::format_time;
use crate::derivation::{Dependents, JoinedDerivation};
use crate::derivation_queue::{ALL, AT, LATER, work_item};
use crate::document::{Document, MESSAGE, read_stored};
use crate::project;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use crate::token_revocation::PendingRevocations;
use futures_util::future::BoxFuture;
use jiff::SignedDuration;
use kontor_errors::{ApiError, ApiResult, catch_panic};
use kontor_json::{Value, json};
use kontor_storage::{Commit, CommitError, IndexPage, IndexRange, IndexSort, IndexValue, Precondition, Put};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Documents updated and items removed in one commit.
const CHUNK_STEPS: usize = 256;
/// Due items that are moved to the queue at once.
const DUE_READ: usize = 64;
/// Interval between lookups of due items.
const DUE_PERIOD: Duration = Duration::from_secs(1);
/// Messages deleted in one commit.
const EXPIRED_CHUNK: usize = 256;
/// Interval between lookups of expired messages.
const EXPIRY_PERIOD: Duration = Duration::from_secs(60);
/// Interval between lookups of token revocations that crashed processes left behind.
const LEFTOVER_PERIOD: Duration = Duration::from_secs(5);
/// The maximum time between the start of two rounds while there is work. A document that many changes affect,
/// e.g. a Product whose stock many Orders take, is written once for all changes within that time.
const ROUND_PERIOD: Duration = Duration::from_millis(50);
/// The next round starts earlier if no new work arrives for this time, so that a single client that changes and
/// reads in turns does not wait longer.
const QUIET_PERIOD: Duration = Duration::from_millis(3);
/// The delay before failed background work is retried.
pub const RETRY_PERIOD: Duration = Duration::from_secs(1);

impl Shop {
    /// Runs derived work, due changes and expiry of a shop, in one task that ends when it is aborted.
    pub fn run_derivations(self: Arc<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let mut expiry = tokio::time::interval(EXPIRY_PERIOD);
            let mut due = tokio::time::interval(DUE_PERIOD);
            due.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            let mut leftovers = tokio::time::interval(LEFTOVER_PERIOD);
            leftovers.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            let mut pending = PendingRevocations::default();
            let mut looks_for_due = true;
            loop {
                let begun = Instant::now();
                let shop = Arc::clone(&self);
                let result = tokio::task::spawn_blocking(move || {
                    catch_panic(|| {
                        shop.catch_up_blocking()?;
                        shop.wake_due()?;
                        let round = shop.process_round()?;
                        let is_more_due =
                            looks_for_due && shop.storage.is_keeper() && shop.run_due_changes()?;
                        Ok((round, is_more_due))
                    })?
                })
                .await;
                if let Ok(Err(error)) = result {
                    let error: ApiError = error;
                    let bug = error.broken().map(tracing::field::display);
                    tracing::error!(project = %self.key, %error, bug, "derived fields could not be updated");
                    tokio::time::sleep(RETRY_PERIOD).await;
                    continue;
                }
                let round;
                (round, looks_for_due) =
                    result.ok().and_then(Result::ok).unwrap_or((RoundResult::Nothing, false));
                if looks_for_due {
                    continue;
                }
                if let Err(error) = self.retry_revocations().await {
                    tracing::error!(project = %self.key, %error, "customer tokens could not be revoked");
                }
                tokio::select! {
                    () = self.next_round(round, begun) => {}
                    _ = due.tick() => looks_for_due = true,
                    _ = leftovers.tick() => if let Err(error) = self.revoke_abandoned_tokens(&mut pending).await {
                        tracing::error!(project = %self.key, %error, "customer tokens could not be revoked");
                    },
                    _ = expiry.tick() => if self.storage.is_keeper() {
                        self.expire_in_background().await;
                    }
                }
            }
        })
    }

    /// Deletes expired Messages and documents.
    async fn expire_in_background(self: &Arc<Self>) {
        let shop = Arc::clone(self);
        let _ = tokio::task::spawn_blocking(move || {
            let expire = || {
                shop.catch_up_blocking()?;
                shop.expire_messages()?;
                shop.expire_documents()
            };
            if let Err(error) = catch_panic(expire).and_then(|result| result) {
                tracing::error!(project = %shop.key, %error, "expired documents could not be deleted");
            }
        })
        .await;
    }

    /// Waits until the next round should start. The last one started at `begun`.
    async fn next_round(&self, last: RoundResult, begun: Instant) {
        match last {
            RoundResult::Nothing => self.work.notified().await,
            RoundResult::Complete => {
                let end = begun + ROUND_PERIOD;
                let is_quiet = || tokio::time::timeout(QUIET_PERIOD, self.work.notified());
                while Instant::now() < end && is_quiet().await.is_ok() {}
            }
            RoundResult::Part => {}
        }
    }

    /// Returns when no derived work is left, due changes have happened, and expired documents are deleted.
    /// Blocks the thread. Fails if the storage fails.
    pub fn settle(&self) -> ApiResult<()> {
        self.expire_documents()?;
        while self.run_due_changes()? {}
        self.process_pending_work()?;
        self.expire_messages()
    }

    /// Moves due items to the work queue.
    fn wake_due(&self) -> ApiResult<()> {
        if self.storage.count(LATER).map_err(storage_failure)? == 0 {
            return Ok(());
        }
        let now = IndexValue::Text(format_time(self.clock.now()));
        let range = IndexRange::Between(Bound::Unbounded, Bound::Included(now));
        loop {
            let page = IndexPage { sort: IndexSort::Value, ..IndexPage::first(DUE_READ) };
            let ids = self.storage.find_indexed(LATER, AT, &range, &page).map_err(storage_failure)?;
            if ids.is_empty() {
                return Ok(());
            }
            for id in ids {
                let Some(stored) = self.storage.get(LATER, &id).map_err(storage_failure)? else { continue };
                let mut commit = Commit::new()
                    .require(Precondition::Revision {
                        kind: LATER.into(),
                        id: id.clone(),
                        revision: stored.revision,
                    })
                    .delete(LATER, id);
                if let Some(joined) = self.derivation_of(&read_stored(&stored)?) {
                    commit = commit.put(work_item(joined, ALL));
                    commit = self.epoch_of(joined).into_iter().fold(commit, Commit::put);
                }
                match self.storage.commit_blocking(commit) {
                    Ok(_) | Err(CommitError::Refused(_)) => {}
                    Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
                }
            }
        }
    }

    /// Returns the derivation of a work item; `None` if this release does not know it, so that the item has no
    /// effect.
    fn derivation_of(&self, work: &Document) -> Option<&JoinedDerivation> {
        let said = work.get("derivation").unwrap_or(&Value::Null);
        let known = self.behaviours.derivation(said);
        if known.is_none() {
            tracing::warn!(project = %self.key, derivation = %said, "skipped a work item of an unknown derivation");
        }
        known
    }

    /// Returns the write that is made when a time has come that a derivation waited for.
    fn epoch_of(&self, joined: &JoinedDerivation) -> Option<Put> {
        let Dependents::All { epoch: Some(name), .. } = joined.derivation.dependents else { return None };
        Some(Put {
            kind: name.to_owned(),
            id: name.to_owned(),
            version: 1,
            body: json!({"since": format_time(self.clock.now())}).to_string().into(),
            ..Put::default()
        })
    }

    /// Deletes messages that are older than the project's retention time.
    fn expire_messages(&self) -> ApiResult<()> {
        let days = project::message_days(&self.project());
        let now = self.clock.now();
        let cutoff = now.checked_sub(SignedDuration::from_hours(24 * days)).unwrap_or(now);
        let range =
            IndexRange::Between(Bound::Unbounded, Bound::Excluded(IndexValue::Text(format_time(cutoff))));
        loop {
            let page = IndexPage { sort: IndexSort::Value, ..IndexPage::first(EXPIRED_CHUNK) };
            let ids =
                self.storage.find_indexed(MESSAGE, "createdAt", &range, &page).map_err(storage_failure)?;
            if ids.is_empty() {
                return Ok(());
            }
            let commit = ids.into_iter().fold(Commit::new(), |commit, id| commit.delete(MESSAGE, id));
            match self.storage.commit_blocking(commit) {
                Ok(_) => {}
                // Another sweep deleted them first.
                Err(CommitError::Refused(_)) => {}
                Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
            }
        }
    }
}
