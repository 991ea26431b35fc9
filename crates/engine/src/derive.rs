//! Derived fields: what follows from other documents is brought up to date soon after them.
//!
//! A commit that changes a source leaves a work item, in the same transaction. Work is done in [`chunks`]
//! through the same writer as everything else, so one big change never holds others up, and a crash loses
//! none: an item is removed only when it is done. Derived writes leave the version as it is; they have a new
//! revision, so a change that read the old state is tried again.

mod chunks;

use crate::behaviour::Dependents;
use crate::document::{self, Document};
use crate::failure::storage_failure;
use crate::project;
use crate::rules::Rules;
use crate::shop::Shop;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::{Commit, CommitError, IndexPage, IndexRange, IndexSort, IndexValue, Put, Write};
use serde_json::json;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

/// The kind under which work items are stored. It is no kind of the model, so no face can see it.
pub(crate) const WORK: &str = "derivation";
/// Messages deleted in one commit.
const EXPIRED_CHUNK: usize = 256;
/// How often expired messages are looked for.
const EXPIRY_PERIOD: Duration = Duration::from_secs(60);
/// How long work that failed waits.
const RETRY_PERIOD: Duration = Duration::from_secs(1);
/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// The work that a change of a document leaves behind.
pub(crate) fn work_of(
    kind: KindId,
    before: Option<&Document>,
    after: Option<&Document>,
    rules: &Rules<'_>,
) -> Vec<Put> {
    let name = &rules.model.kind(kind).name;
    let mut items = Vec::new();
    for (index, (_, derivation)) in rules.behaviours.derivations().enumerate() {
        if derivation.source != name {
            continue;
        }
        match derivation.dependents {
            Dependents::ReferringAt { when, .. } => {
                // A document that is new has nobody who refers to it yet.
                let changed =
                    |field: &&str| before.and_then(|b| b.get(*field)) != after.and_then(|a| a.get(*field));
                if let Some(before) = before
                    && when.iter().any(changed)
                {
                    items.extend(document::text(before, &["id"]).map(|id| item(index, id)));
                }
            }
            Dependents::ReferredAt { path, when } | Dependents::Sharing { value: path, when, .. } => {
                let of =
                    |side: Option<&Document>, field: &str| side.and_then(|side| side.get(field)).cloned();
                let moved = when.iter().any(|field| of(before, field) != of(after, field));
                for side in [before, after].into_iter().flatten() {
                    if moved && let Some(id) = document::text(side, path) {
                        items.push(item(index, id));
                    }
                }
            }
        }
    }
    items.dedup_by(|a, b| a.id == b.id);
    items
}

/// True for a commit that leaves work behind.
pub(crate) fn leaves_work(commit: &Commit) -> bool {
    commit.writes.iter().any(|write| matches!(write, Write::Put(put) if put.kind == WORK))
}

fn item(derivation: usize, id: &str) -> Put {
    Put {
        kind: WORK.to_owned(),
        id: format!("{derivation}:{id}"),
        version: 1,
        body: json!({"derivation": derivation, "id": id}).to_string().into(),
        ..Put::default()
    }
}

impl Shop {
    /// Does derived work as it comes. One task a shop; it ends when it is aborted.
    pub async fn run_derivations(self: Arc<Self>) {
        let mut expiry = tokio::time::interval(EXPIRY_PERIOD);
        loop {
            let shop = Arc::clone(&self);
            let result = tokio::task::spawn_blocking(move || shop.do_pending_work()).await;
            if let Ok(Err(error)) = result {
                tracing::error!(project = %self.key, %error, "derived fields could not be brought up to date");
                tokio::time::sleep(RETRY_PERIOD).await;
                continue;
            }
            tokio::select! {
                () = self.work.notified() => {}
                _ = expiry.tick() => {
                    let shop = Arc::clone(&self);
                    let _ = tokio::task::spawn_blocking(move || shop.expire_messages()).await;
                }
            }
        }
    }

    /// Returns when no derived work is left and expired messages are gone. Holds the thread.
    pub fn settle(&self) -> ApiResult<()> {
        self.do_pending_work()?;
        self.expire_messages()
    }

    /// Deletes messages that are older than the project keeps them.
    fn expire_messages(&self) -> ApiResult<()> {
        let days = project::message_days(&self.project());
        let now = self.clock.now();
        let cutoff = jiff::Timestamp::from_millisecond(now.as_millisecond() - days * DAY_MS).unwrap_or(now);
        let range = IndexRange::Between(
            Bound::Unbounded,
            Bound::Excluded(IndexValue::Text(crate::clock::format_time(cutoff))),
        );
        loop {
            let page = IndexPage { sort: IndexSort::Value, ..IndexPage::first(EXPIRED_CHUNK) };
            let ids =
                self.storage.find_indexed("message", "createdAt", &range, &page).map_err(storage_failure)?;
            if ids.is_empty() {
                return Ok(());
            }
            let commit = ids.into_iter().fold(Commit::new(), |commit, id| commit.delete("message", id));
            match self.storage.commit_blocking(commit) {
                Ok(_) => {}
                // Another sweep was faster.
                Err(CommitError::Refused(_)) => {}
                Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
            }
        }
    }
}
