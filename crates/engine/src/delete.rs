//! Deleting a document.

use crate::caller::Caller;
use crate::change::{ATTEMPTS_MAX, Outcome, outcome, too_busy};
use crate::document::{self, Document, MESSAGE, parse, version_of};
use crate::failure::storage_failure;
use crate::read::Address;
use crate::sessions::Ending;
use crate::shop::Shop;
use crate::{associate, derive, emit, project, write};
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{KindId, OnDelete, Operation};
use kontor_storage::{Commit, IndexPage, IndexRange, IndexValue, Precondition, Stored, Write};
use serde_json::Value;

/// What is asked of a deletion.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deletion {
    /// The last version that the caller has seen; `None` only where the kind allows to leave it out.
    pub version: Option<i64>,
    /// The Messages about the document go with it, since they may hold what is personal in it: `dataErasure`.
    pub erase: bool,
}

impl Shop {
    /// Deletes a document and answers it as it was.
    pub async fn delete(
        &self,
        kind: KindId,
        address: &Address<'_>,
        deletion: Deletion,
        caller: &Caller,
    ) -> ApiResult<Bytes> {
        for _ in 0..ATTEMPTS_MAX {
            let stored = self.must_get_to_change(kind, address, &caller.bounds)?;
            let before = parse(&stored)?;
            if let Some(version) = deletion.version
                && version != version_of(&before)
            {
                return Err(ApiError::concurrent_modification(&stored.id, version, version_of(&before)));
            }
            let mut commit = self.deletion(kind, &stored, &before, caller)?;
            if deletion.erase {
                commit = self
                    .messages_about(&stored.id)?
                    .into_iter()
                    .fold(commit, |commit, message| commit.delete(MESSAGE, message));
            }
            let ending = self.is_who_asks(kind).then(|| Ending::of(&stored.id));
            commit.writes.extend(ending.iter().map(|ending| Write::Put(ending.put())));
            let preconditions = commit.preconditions.clone();
            let said = match self.behaviours.of(kind) {
                Some(behaviour) => {
                    self.with_rules(&self.project(), |rules| behaviour.said_at_end(&before, rules))?
                }
                None => Document::new(),
            };
            match self.write(commit).await {
                Ok(_) => {
                    if let Some(ending) = ending {
                        self.end_sessions(ending).await?;
                    }
                    if said.is_empty() {
                        return Ok(stored.body);
                    }
                    let mut answered = before;
                    answered.extend(said);
                    return write::bytes_of(&Value::Object(answered));
                }
                Err(error) => match outcome(error, &preconditions, self, kind) {
                    Outcome::Again => {}
                    Outcome::Refuse(error) => return Err(error),
                },
            }
        }
        Err(too_busy())
    }

    /// Ids of the Messages about a document.
    fn messages_about(&self, id: &str) -> ApiResult<Vec<String>> {
        let about = IndexRange::equal(IndexValue::Text(id.to_owned()));
        self.storage
            .find_indexed(MESSAGE, "resource.id", &about, &IndexPage::default())
            .map_err(storage_failure)
    }

    /// The commit that deletes a document, with all that stands against it.
    pub(crate) fn deletion(
        &self,
        kind: KindId,
        stored: &Stored,
        before: &Document,
        caller: &Caller,
    ) -> ApiResult<Commit> {
        let project = self.project();
        self.with_rules_within(&caller.bounds, &project, |rules| {
            let entry = rules.model.kind(kind);
            associate::admit(kind, before, Operation::Delete, rules)?;
            if let Some(behaviour) = rules.behaviours.of(kind) {
                behaviour.admit_delete(before, rules)?;
            }
            rules.require(Precondition::Revision {
                kind: entry.type_id.clone(),
                id: stored.id.clone(),
                revision: stored.revision,
            });
            for referrer in rules.model.referrers(kind) {
                let holder = rules.model.kind(referrer.kind);
                if !holder.is_served || referrer.on_delete != OnDelete::Block {
                    continue;
                }
                let by_key = referrer.path.last().is_some_and(|end| end == "key");
                let target = if by_key { document::text(before, &["key"]) } else { Some(stored.id.as_str()) };
                if let Some(target) = target {
                    rules.require(Precondition::NotReferenced {
                        kind: holder.type_id.clone(),
                        path: referrer.path.join("."),
                        value: IndexValue::Text(target.to_owned()),
                    });
                }
            }
            let pending = match entry.deleted {
                Some(message) if project::keeps_messages(rules.project) => {
                    vec![emit::whole(kind, message, before, rules)]
                }
                _ => Vec::new(),
            };
            let by = caller.to_json();
            let messages = write::messages(kind, pending, before, stored.sequence, by.as_ref(), rules)?;
            let work = derive::work_of(kind, Some(before), None, rules);
            let mut commit = Commit { preconditions: rules.take_requirements(), writes: Vec::new() }
                .delete(entry.type_id.clone(), stored.id.clone());
            for put in messages.into_iter().chain(work) {
                commit = commit.put(put);
            }
            for write in rules.take_beside() {
                commit = commit.write(write);
            }
            Ok::<_, ApiError>(commit)
        })
    }
}
