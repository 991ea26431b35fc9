//! Creates documents from drafts: validates and converts the draft, completes and settles the document, calls
//! Extensions, and commits. Start at [`Shop::create`].

use crate::address::Address;
use crate::caller::Caller;
use crate::change::{ChangeResponse, ChangeSet, DocumentChange};
use crate::commit_retry::{PreparedCommit, RetryableChange};
use crate::document::{self, Document, id_of, version_of};
use crate::effects::Effects;
use crate::pre_commit_hooks::{CallResponseCache, HookProgress, Proposal};
use crate::prefetch_plan::PrefetchPlan;
use crate::rules::{FoundDocument, Rules};
use crate::shop::{Shop, WrittenDocument};
use crate::update::DRY_RUN;
use crate::{associate, change, convert, large_documents, secret};
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{Addressing, KindId, Model, ObjectId, Operation};
use kontor_storage::Precondition;

impl Shop {
    /// Creates a document. On a kind that [upserts](kontor_model::Kind::upserts), replaces the document with the
    /// draft's address.
    ///
    /// # Errors
    /// 400 for an invalid draft (e.g. `RequiredField`, `InvalidField`), `DuplicateField` for a unique value in use,
    /// `ReferencedResourceNotFound` for a missing reference target, and the limit of the kind; 403
    /// `AssociateMissingPermission`; the errors of the kind's rules and of API Extensions. 503 `OverCapacity` if the
    /// change lost all races for 20 s, or if the storage cannot write.
    pub fn create<'a>(
        &'a self,
        kind: KindId,
        draft: Value,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<WrittenDocument>> {
        self.create_preserving(kind, PreservedMetadata::default(), draft, caller)
    }

    /// Replaces the secrets among the fields of an object by hashes, for drafts that are stored before a
    /// document is created from them ([`PreservedMetadata::is_hashed`]). Fails with 400 `InvalidInput` if a secret is
    /// empty or too long; the error does not repeat it.
    pub fn hash_secrets<'a>(
        &'a self,
        shape: ObjectId,
        fields: &'a mut Document,
    ) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move { secret::hash_fields(&self.model, shape, fields).await })
    }

    /// Like [`Shop::create`], with metadata of the document's earlier life, e.g. for imports.
    ///
    /// # Errors
    /// Those of [`Shop::create`], and 400 `DuplicateField` for an `id` in use.
    pub fn create_preserving<'a>(
        &'a self,
        kind: KindId,
        preserved: PreservedMetadata<'a>,
        mut draft: Value,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<WrittenDocument>> {
        Box::pin(async move {
            let bounds = &caller.bounds;
            let shape = bounds
                .draft(self.model.kind(kind))
                .ok_or_else(|| ApiError::bug("a kind without a draft is created"))?;
            let is_large = large_documents::is_large([&draft]);
            large_documents::run_off_socket_thread(is_large, || {
                caller.validator(&self.model).object(shape, &mut draft, "")
            })?;
            let Value::Object(mut draft) = draft else {
                return Err(ApiError::bug("a draft that the model admitted is no object"));
            };
            if preserved.is_hashed {
                secret::check_hashes(&self.model, shape, &draft)?;
            } else {
                secret::hash_fields(&self.model, shape, &mut draft).await?;
            }
            self.commit_with_retries(&Creation {
                kind,
                metadata: preserved,
                draft: &draft,
                is_large,
                caller,
                call_responses: CallResponseCache::default(),
            })
            .await
        })
    }
}

/// A validated draft that becomes a document.
struct Creation<'a> {
    kind: KindId,
    metadata: PreservedMetadata<'a>,
    draft: &'a Document,
    is_large: bool,
    caller: &'a Caller,
    /// Responses of external calls in earlier attempts.
    call_responses: CallResponseCache,
}

impl RetryableChange for Creation<'_> {
    type ChangeResult = WrittenDocument;

    async fn prepare(&self, shop: &Shop) -> ApiResult<PreparedCommit<WrittenDocument>> {
        if let Some(id) = self.metadata.id
            && shop.get(self.kind, &Address::Id(id))?.is_some()
        {
            return Err(ApiError::duplicate_field("id", json!(id)));
        }
        let existing = self.replaced(shop)?;
        let project = shop.project();
        let ahead = large_documents::run_off_socket_thread(self.is_large, || {
            shop.prefetch(self.prefetch_plan(shop))
        })?;
        let is_large = self.is_large || ahead.is_large();
        let permit = large_documents::acquire_permit(is_large).await?;
        let step = large_documents::run_off_socket_thread(is_large, || {
            shop.with_rules_for_caller(&ahead, self.caller, &project, |rules| self.run_rules(existing, rules))
        })?;
        drop((permit, ahead));
        match step {
            HookProgress::Ready(prepared) => Ok(prepared),
            step => {
                let finish = |proposal: Proposal, rules: &Rules<'_>| self.finish(proposal, rules);
                Box::pin(shop.call_extensions(step, &self.call_responses, self.caller, finish)).await
            }
        }
    }
}

impl Creation<'_> {
    /// Returns the documents to prefetch: those named by the draft, and those requested by the rules of the
    /// kind.
    fn prefetch_plan<'m>(&self, shop: &'m Shop) -> PrefetchPlan<'m> {
        let mut wanted = PrefetchPlan::new(&shop.model);
        if let Some(shape) = self.caller.bounds.draft(shop.model.kind(self.kind)) {
            wanted.add_named_in(shape, self.draft);
        }
        if let Some(behaviour) = shop.behaviours.get(self.kind) {
            behaviour.prefetch(&mut wanted);
            behaviour.prefetch_for_input(self.draft, &mut wanted);
        }
        wanted
    }

    /// Returns the document that the draft replaces, if the kind allows that.
    fn replaced(&self, shop: &Shop) -> ApiResult<Option<FoundDocument>> {
        let entry = shop.model.kind(self.kind);
        let Addressing::Fields(fields) = &entry.addressing else { return Ok(None) };
        let parts = fields.iter().filter_map(|field| document::text(self.draft, &[field])).collect();
        shop.get(self.kind, &Address::Fields(parts))?.as_ref().map(FoundDocument::read).transpose()
    }

    fn run_rules(
        &self,
        existing: Option<FoundDocument>,
        rules: &Rules<'_>,
    ) -> ApiResult<HookProgress<PreparedCommit<WrittenDocument>>> {
        let Self { kind, metadata, draft, .. } = *self;
        let id = metadata.id;
        let before = existing.as_ref().map(|existing| &*existing.document);
        if let (Some(before), Some(given)) = (before, draft.get("version").and_then(Value::as_i64))
            && given != version_of(before)
        {
            return Err(ApiError::concurrent_modification(id_of(before), given, version_of(before)));
        }
        let mut effects = Effects::default();
        let mut after = convert_draft(kind, id, draft, before, rules, &mut effects)?;
        let unsettled = rules.behaviours.extension_policy_for(kind, rules).map(|_| effects.clone());
        change::settle(kind, before, &mut after, rules, &mut effects)?;
        rules.bounds.admit_new(kind, &after, rules)?;
        if let (Some(id), None) = (id, before) {
            let type_id = rules.model.kind(kind).type_id.clone();
            rules.require(Precondition::Absent { kind: type_id, id: id.to_owned() });
        }
        let is_asked = unsettled.is_some();
        let proposal = Proposal { effects, unsettled, ..Proposal::new(kind, existing, after) };
        match is_asked {
            true => proposal.step(self.caller, rules, |proposal, rules| self.finish(proposal, rules)),
            false => self.finish(proposal, rules).map(HookProgress::Ready),
        }
    }

    /// Returns the commit of the new document.
    fn finish(&self, proposal: Proposal, rules: &Rules<'_>) -> ApiResult<PreparedCommit<WrittenDocument>> {
        let Self { kind, metadata, caller, .. } = *self;
        let Proposal { before: existing, after, effects, .. } = proposal;
        let created = existing.is_none();
        let change = match existing {
            None => DocumentChange::created(kind, after, rules).with_first_version(metadata.version),
            Some(existing) => DocumentChange::updated(kind, existing, after, Vec::new()),
        };
        let deferred = effects.is_deferred();
        let prepared = ChangeSet::single(change).prepare_with_additional(effects, caller, rules)?;
        let prepared = prepared.map_result(|ChangeResponse { body, additional_document }| {
            Ok(WrittenDocument { body, created, deferred, additional_document })
        })?;
        Ok(if self.is_dry(rules.model) { prepared.into_dry_run() } else { prepared })
    }

    /// Whether the draft asks for the result alone, as an update with `dryRun` does.
    fn is_dry(&self, model: &Model) -> bool {
        model.takes_dry_run(self.kind) && self.draft.get(DRY_RUN) == Some(&Value::Bool(true))
    }
}

/// Returns the settled document of a validated draft, with the id `id` or a new one. `before` is the document
/// that it replaces.
pub(crate) fn build_document(
    kind: KindId,
    id: Option<&str>,
    draft: &Document,
    before: Option<&Document>,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<Document> {
    let mut after = convert_draft(kind, id, draft, before, rules, effects)?;
    change::settle(kind, before, &mut after, rules, effects)?;
    rules.bounds.admit_new(kind, &after, rules)?;
    Ok(after)
}

/// Like [`build_document`], before the document is settled.
fn convert_draft(
    kind: KindId,
    id: Option<&str>,
    draft: &Document,
    before: Option<&Document>,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<Document> {
    let entry = rules.model.kind(kind);
    let shape =
        rules.bounds.draft(entry).ok_or_else(|| ApiError::bug("a kind without a draft is created"))?;
    let mut after = convert::convert_object(shape, entry.object, draft.clone(), "", rules)?;
    rules.bounds.remove_named_store(kind, &mut after, rules);
    rules.bounds.stamp(kind, &mut after, rules)?;
    associate::authorize(kind, &after, Operation::Create, rules)?;
    match before {
        None => {
            let id = id.map_or_else(|| rules.new_id(), str::to_owned);
            after.insert("id", json!(id));
        }
        Some(before) => {
            for name in ["id", "version", "createdAt", "createdBy"] {
                if let Some(value) = before.get(name) {
                    after.insert(name, value.clone());
                }
            }
        }
    }
    if let (None, Some(behaviour)) = (before, rules.behaviours.get(kind)) {
        behaviour.complete(&mut after, draft, rules, effects)?;
    }
    Ok(after)
}

/// Returns a new document with the content of a stored one.
pub(crate) fn copy_document(
    kind: KindId,
    mut content: Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<Document> {
    rules.bounds.stamp(kind, &mut content, rules)?;
    associate::authorize(kind, &content, Operation::Create, rules)?;
    content.insert("id", json!(rules.new_id()));
    change::settle(kind, None, &mut content, rules, effects)?;
    rules.bounds.admit_new(kind, &content, rules)?;
    Ok(content)
}

/// Metadata that a created document brings from elsewhere. The platform sets all of this itself for other clients; only the
/// operator may bring it, and has the data anyway.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PreservedMetadata<'a> {
    /// Its id. A used id is refused with DuplicateField, so that repeating a call with a lost response
    /// creates nothing twice.
    pub id: Option<&'a str>,
    /// Its version, from 1.
    pub version: Option<i64>,
    /// The fields with `@secret` contain hashes, as [`crate::Shop::stored_secret_hashes`] returns them. Any other
    /// value is InvalidInput.
    pub is_hashed: bool,
}
