//! Creates documents from drafts: validates and converts the draft, completes and settles the document, calls
//! Extensions, and commits. Start at [`Shop::create`].

use crate::address::Address;
use crate::asking::{Answers, Proposal, Readiness};
use crate::attempt::{Attempt, Prepared};
use crate::caller::Caller;
use crate::change::{Answered, Change, ChangeSet};
use crate::document::{self, Document, id_of, version_of};
use crate::effects::Effects;
use crate::kept::Kept;
use crate::read_ahead::ReadAhead;
use crate::rules::{Found, Rules};
use crate::shop::{Shop, Written};
use crate::{associate, change, convert, large, secret};
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{Addressing, KindId, ObjectId, Operation};
use kontor_storage::Precondition;

impl Shop {
    /// Creates a document. On a kind that [upserts](kontor_model::Kind::upserts), replaces the document with the
    /// draft's address.
    pub fn create<'a>(
        &'a self,
        kind: KindId,
        draft: Value,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<Written>> {
        self.create_kept(kind, Kept::default(), draft, caller)
    }

    /// Replaces the secrets among the fields of an object by hashes, for drafts that are stored before a
    /// document is created from them ([`Kept::is_hashed`]).
    pub fn hash_secrets<'a>(
        &'a self,
        shape: ObjectId,
        fields: &'a mut Document,
    ) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move { secret::hash_fields(&self.model, shape, fields).await })
    }

    /// Like [`Shop::create`], with metadata of the document's earlier life, e.g. for imports.
    pub fn create_kept<'a>(
        &'a self,
        kind: KindId,
        kept: Kept<'a>,
        mut draft: Value,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<Written>> {
        Box::pin(async move {
            let bounds = &caller.bounds;
            let shape = bounds
                .draft(self.model.kind(kind))
                .ok_or_else(|| ApiError::bug("a kind without a draft is created"))?;
            let is_large = large::is_large([&draft]);
            large::beside_others(is_large, || caller.validator(&self.model).object(shape, &mut draft, ""))?;
            let Value::Object(mut draft) = draft else {
                return Err(ApiError::bug("a draft that the model admitted is no object"));
            };
            if kept.is_hashed {
                secret::check_hashes(&self.model, shape, &draft)?;
            } else {
                secret::hash_fields(&self.model, shape, &mut draft).await?;
            }
            self.change(&Creation {
                kind,
                kept,
                draft: &draft,
                is_large,
                caller,
                answers: Answers::default(),
            })
            .await
        })
    }
}

/// A validated draft that becomes a document.
struct Creation<'a> {
    kind: KindId,
    kept: Kept<'a>,
    draft: &'a Document,
    is_large: bool,
    caller: &'a Caller,
    /// Responses of external calls in earlier attempts.
    answers: Answers,
}

impl Attempt for Creation<'_> {
    type Answer = Written;

    async fn prepare(&self, shop: &Shop) -> ApiResult<Prepared<Written>> {
        if let Some(id) = self.kept.id
            && shop.get(self.kind, &Address::Id(id))?.is_some()
        {
            return Err(ApiError::duplicate_field("id", json!(id)));
        }
        let existing = self.replaced(shop)?;
        let project = shop.project();
        let ahead = large::beside_others(self.is_large, || shop.read_ahead(self.wanted(shop)))?;
        let is_large = self.is_large || ahead.is_large();
        let permit = large::permit(is_large).await?;
        let step = large::beside_others(is_large, || {
            shop.with_rules_after(&ahead, self.caller, &project, |rules| self.ready(existing, rules))
        })?;
        drop((permit, ahead));
        match step {
            Readiness::Ready(prepared) => Ok(prepared),
            step => {
                let finish = |proposal: Proposal, rules: &Rules<'_>| self.finish(proposal, rules);
                Box::pin(shop.ask_all(step, &self.answers, self.caller, finish)).await
            }
        }
    }
}

impl Creation<'_> {
    /// Returns the documents to prefetch: those named by the draft, and those requested by the rules of the
    /// kind.
    fn wanted<'m>(&self, shop: &'m Shop) -> ReadAhead<'m> {
        let mut wanted = ReadAhead::new(&shop.model);
        if let Some(shape) = self.caller.bounds.draft(shop.model.kind(self.kind)) {
            wanted.named_in(shape, self.draft);
        }
        if let Some(behaviour) = shop.behaviours.of(self.kind) {
            behaviour.read_ahead(&mut wanted);
            behaviour.read_ahead_of(self.draft, &mut wanted);
        }
        wanted
    }

    /// Returns the document that the draft replaces, if the kind allows that.
    fn replaced(&self, shop: &Shop) -> ApiResult<Option<Found>> {
        let entry = shop.model.kind(self.kind);
        let Addressing::Fields(fields) = &entry.addressing else { return Ok(None) };
        let parts = fields.iter().filter_map(|field| document::text(self.draft, &[field])).collect();
        shop.get(self.kind, &Address::Fields(parts))?.as_ref().map(Found::read).transpose()
    }

    fn ready(&self, existing: Option<Found>, rules: &Rules<'_>) -> ApiResult<Readiness<Prepared<Written>>> {
        let Self { kind, kept, draft, .. } = *self;
        let id = kept.id;
        let before = existing.as_ref().map(|existing| &*existing.document);
        if let (Some(before), Some(given)) = (before, draft.get("version").and_then(Value::as_i64))
            && given != version_of(before)
        {
            return Err(ApiError::concurrent_modification(id_of(before), given, version_of(before)));
        }
        let mut effects = Effects::default();
        let mut after = drafted(kind, id, draft, before, rules, &mut effects)?;
        let unsettled = rules.behaviours.asks_about(kind, rules).map(|_| effects.clone());
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
            false => self.finish(proposal, rules).map(Readiness::Ready),
        }
    }

    /// Returns the commit of the new document.
    fn finish(&self, proposal: Proposal, rules: &Rules<'_>) -> ApiResult<Prepared<Written>> {
        let Self { kind, kept, caller, .. } = *self;
        let Proposal { before: existing, after, effects, .. } = proposal;
        let created = existing.is_none();
        let change = match existing {
            None => Change::created(kind, after, rules).in_version(kept.version),
            Some(existing) => Change::updated(kind, existing, after, Vec::new()),
        };
        let prepared = ChangeSet::of(change).prepare_with_beside(effects, caller, rules)?;
        prepared.answering(|Answered { body, beside }| Ok(Written { body, created, beside }))
    }
}

/// Returns the settled document of a validated draft, with the id `id` or a new one. `before` is the document
/// that it replaces.
pub(crate) fn document_of(
    kind: KindId,
    id: Option<&str>,
    draft: &Document,
    before: Option<&Document>,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<Document> {
    let mut after = drafted(kind, id, draft, before, rules, effects)?;
    change::settle(kind, before, &mut after, rules, effects)?;
    rules.bounds.admit_new(kind, &after, rules)?;
    Ok(after)
}

/// Like [`document_of`], before the document is settled.
fn drafted(
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
    let mut after = convert::object(shape, entry.object, draft.clone(), "", rules)?;
    rules.bounds.forget_store(kind, &mut after, rules);
    rules.bounds.stamp(kind, &mut after, rules)?;
    associate::admit(kind, &after, Operation::Create, rules)?;
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
    if let (None, Some(behaviour)) = (before, rules.behaviours.of(kind)) {
        behaviour.complete(&mut after, draft, rules, effects)?;
    }
    Ok(after)
}

/// Returns a new document with the content of a stored one.
pub(crate) fn document_like(
    kind: KindId,
    mut content: Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<Document> {
    rules.bounds.stamp(kind, &mut content, rules)?;
    associate::admit(kind, &content, Operation::Create, rules)?;
    content.insert("id", json!(rules.new_id()));
    change::settle(kind, None, &mut content, rules, effects)?;
    rules.bounds.admit_new(kind, &content, rules)?;
    Ok(content)
}
