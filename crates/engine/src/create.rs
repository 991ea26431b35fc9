//! Creating a document from a draft.

use crate::caller::Caller;
use crate::change::{ATTEMPTS_MAX, Change, Outcome, outcome, too_busy};
use crate::document::{self, Document, parse, version_of};
use crate::large;
use crate::read::Address;
use crate::rules::Rules;
use crate::shop::{Shop, Written};
use crate::{associate, convert, emit, secret};
use bytes::Bytes;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{Addressing, KindId, Operation, Validator};
use kontor_storage::{Commit, Precondition, Stored};
use serde_json::{Value, json};

impl Shop {
    /// Creates a document. On a kind with `upsert`, replaces the one that has the draft's address.
    pub async fn create(&self, kind: KindId, draft: Value, caller: &Caller) -> ApiResult<Written> {
        self.create_with_id(kind, None, draft, caller).await
    }

    /// As [`Shop::create`], with an id that the caller chose. Refused with DuplicateField where it is taken, so
    /// whoever repeats a call whose answer was lost creates nothing twice.
    pub async fn create_with_id(
        &self,
        kind: KindId,
        id: Option<&str>,
        mut draft: Value,
        caller: &Caller,
    ) -> ApiResult<Written> {
        let bounds = &caller.bounds;
        let shape = bounds.draft(self.model.kind(kind)).ok_or_else(ApiError::internal)?;
        let is_large = large::is_large([&draft]);
        large::beside_others(is_large, || Validator::new(&self.model).object(shape, &mut draft, ""))?;
        let Value::Object(mut draft) = draft else { return Err(ApiError::internal()) };
        secret::hash_fields(&self.model, shape, &mut draft).await?;
        for _ in 0..ATTEMPTS_MAX {
            if let Some(id) = id
                && self.get(kind, &Address::Id(id))?.is_some()
            {
                return Err(ApiError::duplicate_field("id", json!(id)));
            }
            let existing = self.replaced(kind, &draft)?;
            let born = existing.is_none();
            let ready = || self.ready_to_create(kind, id, &draft, existing.as_ref(), caller);
            let (commit, body) = large::beside_others(is_large, ready)?;
            let preconditions = commit.preconditions.clone();
            match self.write(commit).await {
                Ok(_) => return Ok(Written { body, created: born }),
                // Somebody else was first to create what this call would have replaced.
                Err(error) if self.model.kind(kind).upsert && is_duplicate(&error) => {}
                Err(error) => match outcome(error, &preconditions, self, kind) {
                    Outcome::Again => {}
                    Outcome::Refuse(error) => return Err(error),
                },
            }
        }
        Err(too_busy())
    }

    /// The commit that makes a document of a checked draft, in the place of the `existing` one, and the document.
    fn ready_to_create(
        &self,
        kind: KindId,
        id: Option<&str>,
        draft: &Document,
        existing: Option<&Stored>,
        caller: &Caller,
    ) -> ApiResult<(Commit, Bytes)> {
        let project = self.project();
        self.with_rules_within(&caller.bounds, &project, |rules| {
            let entry = rules.model.kind(kind);
            let before = existing.map(parse).transpose()?;
            if let (Some(before), Some(given)) = (&before, draft.get("version").and_then(Value::as_i64))
                && given != version_of(before)
            {
                let id = document::text(before, &["id"]).unwrap_or_default();
                return Err(ApiError::concurrent_modification(id, given, version_of(before)));
            }
            let after = document_of(kind, id, draft, before.as_ref(), rules)?;
            if let (Some(id), None) = (id, &before) {
                rules.require(Precondition::Absent { kind: entry.type_id.clone(), id: id.to_owned() });
            }
            if let Some(stored) = existing {
                rules.require(Precondition::Revision {
                    kind: entry.type_id.clone(),
                    id: stored.id.clone(),
                    revision: stored.revision,
                });
            }
            let pending = match entry.created {
                Some(message) if before.is_none() => vec![emit::whole(kind, message, &after, rules)],
                _ => Vec::new(),
            };
            let sequence = existing.map_or(0, |stored| stored.sequence);
            let before = before.as_ref();
            let change = Change { kind, before, after, sequence, pending, is_new_version: true, caller };
            self.commit_of(change, rules)
        })
    }

    /// The document that a draft replaces, where the kind allows that.
    fn replaced(&self, kind: KindId, draft: &Document) -> ApiResult<Option<Stored>> {
        let entry = self.model.kind(kind);
        let Addressing::Fields(fields) = &entry.addressing else { return Ok(None) };
        if !entry.upsert {
            return Ok(None);
        }
        let parts = fields.iter().filter_map(|field| document::text(draft, &[field])).collect();
        self.get(kind, &Address::Fields(parts))
    }
}

/// The document that a checked draft makes, in the place of `before` where there is one; with the id `id` or a
/// new one.
pub(crate) fn document_of(
    kind: KindId,
    id: Option<&str>,
    draft: &Document,
    before: Option<&Document>,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let entry = rules.model.kind(kind);
    let shape = rules.bounds.draft(entry).ok_or_else(ApiError::internal)?;
    let mut after = convert::object(shape, entry.object, draft.clone(), "", rules)?;
    rules.bounds.stamp(kind, &mut after, rules)?;
    associate::admit(kind, &after, Operation::Create, rules)?;
    match before {
        None => {
            let id = id.map_or_else(|| rules.new_id(), str::to_owned);
            after.insert("id".into(), json!(id));
        }
        Some(before) => {
            for name in ["id", "version", "createdAt", "createdBy"] {
                if let Some(value) = before.get(name) {
                    after.insert(name.into(), value.clone());
                }
            }
        }
    }
    if let Some(behaviour) = rules.behaviours.of(kind) {
        if before.is_none() {
            behaviour.complete(&mut after, draft, rules)?;
        }
        behaviour.settle(before, &mut after, rules)?;
    }
    rules.bounds.admit_new(kind, &after, rules)?;
    Ok(after)
}

fn is_duplicate(error: &kontor_storage::CommitError) -> bool {
    matches!(error, kontor_storage::CommitError::Refused(kontor_storage::Refusal::Duplicate { .. }))
}
