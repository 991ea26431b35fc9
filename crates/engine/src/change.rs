//! From changed documents to one commit.

use crate::acting::Pending;
use crate::behaviour::Refused;
use crate::caller::Caller;
use crate::clock::format_time;
use crate::document::{Document, version_of};
use crate::failure::storage_failure;
use crate::rules::Rules;
use crate::shop::Shop;
use crate::{derive, project, write};
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_model::KindId;
use kontor_storage::{Commit, CommitError, Precondition, Receipt, Refusal, Write};
use serde_json::json;

/// How often a change is tried again from the read when what it relied on changed meanwhile.
pub(crate) const ATTEMPTS_MAX: usize = 16;

impl Shop {
    /// Hands a commit to the storage, and wakes who does the work that it leaves behind.
    pub(crate) async fn write(&self, commit: Commit) -> Result<Receipt, CommitError> {
        let leaves_work = derive::leaves_work(&commit);
        let receipt = self.storage.commit(commit).await?;
        if leaves_work {
            self.work.notify_one();
        }
        Ok(receipt)
    }

    /// Stamps a document and turns it, its messages and the work that follows from it into a commit.
    pub(crate) fn commit_of(&self, change: Change<'_>, rules: &Rules<'_>) -> ApiResult<(Commit, Bytes)> {
        let Change { kind, before, mut after, sequence, mut pending, is_new_version, caller } = change;
        let entry = rules.model.kind(kind);
        let by = caller.to_json();
        let now = json!(format_time(rules.now));
        let has = |name: &str| rules.model.object(entry.object).field(name).is_some();
        let version = before.map_or(1, |before| version_of(before) + i64::from(is_new_version));
        after.insert("version".into(), json!(version));
        if before.is_none() && has("createdAt") {
            after.insert("createdAt".into(), now.clone());
        }
        if is_new_version && has("lastModifiedAt") {
            after.insert("lastModifiedAt".into(), now);
        }
        if let Some(by) = &by {
            if before.is_none() && has("createdBy") {
                after.insert("createdBy".into(), by.clone());
            }
            if is_new_version && has("lastModifiedBy") {
                after.insert("lastModifiedBy".into(), by.clone());
            }
        }
        if !project::keeps_messages(rules.project) {
            pending.clear();
        }
        let messages = write::messages(kind, pending, &after, sequence, by.as_ref(), rules)?;
        let work = derive::work_of(kind, before, Some(&after), rules);
        let put = write::put(kind, after, sequence + messages.len() as i64, rules)?;
        let body = put.body.clone();
        let mut commit = Commit { preconditions: rules.take_requirements(), writes: Vec::new() };
        if before.is_none()
            && let Some(limit) = entry.limit
        {
            commit = commit.require(Precondition::CountAtMost { kind: entry.type_id.clone(), limit });
        }
        commit = commit.put(put);
        for message in messages {
            commit = commit.put(message);
        }
        for item in work {
            commit = commit.put(item);
        }
        for (name, value) in rules.take_settings() {
            commit = commit.write(Write::Setting { name, value });
        }
        for write in rules.take_beside() {
            commit = commit.write(write);
        }
        for (kind, found, mut after) in rules.take_companions() {
            after.insert("version".into(), json!(version_of(&found.document) + 1));
            after.insert("lastModifiedAt".into(), json!(format_time(rules.now)));
            if let Some(by) = &by {
                after.insert("lastModifiedBy".into(), by.clone());
            }
            for item in derive::work_of(kind, Some(&found.document), Some(&after), rules) {
                commit = commit.put(item);
            }
            commit = commit.put(write::put(kind, after, found.sequence, rules)?);
        }
        Ok((commit, body))
    }
}

/// A changed document on its way to the storage.
pub(crate) struct Change<'a> {
    pub(crate) kind: KindId,
    pub(crate) before: Option<&'a Document>,
    pub(crate) after: Document,
    pub(crate) sequence: i64,
    pub(crate) pending: Vec<Pending>,
    /// False where only messages and what is kept beside the document are new.
    pub(crate) is_new_version: bool,
    pub(crate) caller: &'a Caller,
}

/// What to do about a commit that did not happen.
pub(crate) enum Outcome {
    /// Read again and try once more: something the caller did not version has changed.
    Again,
    /// Tell the caller.
    Refuse(ApiError),
}

/// Reads a refusal. `preconditions` are those of the refused commit.
pub(crate) fn outcome(
    error: CommitError,
    preconditions: &[Precondition],
    shop: &Shop,
    kind: KindId,
) -> Outcome {
    let refusal = match error {
        CommitError::Failed(error) => return Outcome::Refuse(storage_failure(error)),
        CommitError::Refused(refusal) => refusal,
    };
    if let Some(error) = own_refusal(&refusal, preconditions, shop, kind) {
        return Outcome::Refuse(error);
    }
    match refusal {
        Refusal::Duplicate { path, value, .. } => {
            let value = json!(write::own_part(&value));
            Outcome::Refuse(ApiError::duplicate_field(&path, value))
        }
        Refusal::Precondition { which, .. } => match preconditions.get(which) {
            Some(Precondition::NotReferenced { kind: referrer, .. }) => {
                Outcome::Refuse(ApiError::reference_exists(&shop.model.kind(kind).type_id, referrer))
            }
            // No limit: a rule relied on there being none.
            Some(Precondition::CountAtMost { limit: 0, .. }) => Outcome::Again,
            Some(Precondition::CountAtMost { kind, limit }) => Outcome::Refuse(
                ApiError::new(
                    Code::MaxResourceLimitExceeded,
                    format!("You have exceeded the limit of {limit} resources of type {kind}."),
                )
                .with("exceededResource", json!(kind)),
            ),
            // A target that is gone, a document that was written meanwhile: the next read shows it.
            _ => Outcome::Again,
        },
        Refusal::Missing { .. } | Refusal::Counter { .. } => Outcome::Again,
    }
}

/// The error that the behaviour of the kind has for a refusal.
fn own_refusal(
    refusal: &Refusal,
    preconditions: &[Precondition],
    shop: &Shop,
    kind: KindId,
) -> Option<ApiError> {
    let refused = match refusal {
        Refusal::Duplicate { path, value, holder, .. } => Refused::Duplicate { path, value, holder },
        Refusal::Precondition { which, .. } => Refused::Precondition(preconditions.get(*which)?),
        Refusal::Missing { .. } | Refusal::Counter { .. } => return None,
    };
    shop.behaviours.of(kind)?.refused(refused)
}

/// Too many others write the same documents.
pub(crate) fn too_busy() -> ApiError {
    ApiError::new(Code::OverCapacity, "The resources involved change too often. Try again.")
}
