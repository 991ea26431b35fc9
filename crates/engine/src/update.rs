//! Updates documents by actions. Start at [`Shop::update`].

mod batch;
mod request;

use self::request::{ParsedUpdate, parse_update};
use crate::action_parser::parse_actions;
use crate::actions::{ActionSource, apply_actions};
use crate::address::Address;
use crate::caller::Caller;
use crate::change::{ChangeSet, DocumentChange};
use crate::commit_retry::{PreparedCommit, RetryableChange};
use crate::document::{Document, id_of, version_of};
use crate::effects::Effects;
use crate::failed_action::{add_failed_action, cause_of};
use crate::large_documents::{self, LARGE_BYTES_MIN};
use crate::pending_messages::PendingMessage;
use crate::pre_commit_hooks::{CallResponseCache, HookProgress, Proposal};
use crate::prefetch_plan::PrefetchPlan;
use crate::prefetched_documents::PrefetchedDocuments;
use crate::rules::{FoundDocument, Rules};
use crate::shop::{Shop, WrittenDocument};
use crate::{associate, change, document_writes, secret};
use futures_util::future::BoxFuture;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{KindId, Model};
use kontor_storage::StoredDocument;

/// The field of a body that requests a preview of the result, without writing it.
pub(crate) const DRY_RUN: &str = "dryRun";

/// Update actions on one document, validated against the model.
struct DocumentUpdate<'a> {
    kind: KindId,
    address: &'a Address<'a>,
    /// The version that the caller has seen; `None` accepts any version.
    version: Option<i64>,
    /// The names of the actions, with their arguments.
    actions: Vec<(String, Document)>,
    /// Whether the caller only wants a preview of the result.
    is_dry: bool,
    is_large: bool,
    caller: &'a Caller,
    /// Responses of external calls in earlier attempts.
    call_responses: CallResponseCache,
}

/// The stored document, and the progress of its change.
type UpdateProgress = (StoredDocument, HookProgress<PreparedCommit<WrittenDocument>>);

impl Shop {
    /// Applies all actions of a request `{version, actions}`, or none. The version rises by one if something changed.
    ///
    /// # Errors
    /// 400 for an invalid body or action, `DuplicateField` for a unique value in use, and `ReferencedResourceNotFound`
    /// for a missing reference target; 404 `ResourceNotFound`; 409 `ConcurrentModification` if the document has another
    /// version; 403 `AssociateMissingPermission`; the errors of the kind's rules and of API Extensions. 503
    /// `OverCapacity` if the change lost all races for 20 s, or if the storage cannot write.
    pub fn update<'a>(
        &'a self,
        kind: KindId,
        address: &'a Address<'a>,
        body: Value,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<WrittenDocument>> {
        Box::pin(async move {
            let is_large = large_documents::is_large([&body]);
            let read = || parse_update(body, kind, caller, &self.model);
            let ParsedUpdate { version, actions, is_dry } =
                large_documents::run_off_socket_thread(is_large, read)?;
            let (version, call_responses) = (Some(version), CallResponseCache::default());
            self.commit_update(DocumentUpdate {
                kind,
                address,
                version,
                actions,
                is_dry,
                is_large,
                caller,
                call_responses,
            })
            .await
        })
    }

    /// Applies all actions or none, to any version of the document: for callers that do not know the version.
    ///
    /// # Errors
    /// Those of [`Shop::update`], except 409 `ConcurrentModification`.
    pub fn update_any_version<'a>(
        &'a self,
        kind: KindId,
        address: &'a Address<'a>,
        actions: Vec<Value>,
        caller: &'a Caller,
    ) -> BoxFuture<'a, ApiResult<WrittenDocument>> {
        Box::pin(async move {
            let actions = parse_actions(actions, kind, caller, &self.model)?;
            self.commit_update(DocumentUpdate {
                kind,
                address,
                version: None,
                actions,
                is_dry: false,
                is_large: false,
                caller,
                call_responses: CallResponseCache::default(),
            })
            .await
        })
    }

    async fn commit_update(&self, mut updating: DocumentUpdate<'_>) -> ApiResult<WrittenDocument> {
        self.hash_secrets_of(updating.kind, &mut updating.actions, updating.caller).await?;
        self.commit_with_retries(&updating).await.map_err(|error| match cause_of(&error, &updating.actions) {
            Some(index) => updating.with_action_at(index, error, &self.model),
            None => error,
        })
    }

    async fn hash_secrets_of(
        &self,
        kind: KindId,
        actions: &mut [(String, Document)],
        caller: &Caller,
    ) -> ApiResult<()> {
        for (name, arguments) in actions {
            if let Some(action) = caller.bounds.action(self.model.kind(kind), name) {
                secret::hash_fields(&self.model, action.arguments, arguments).await?;
            }
        }
        Ok(())
    }
}

impl RetryableChange for DocumentUpdate<'_> {
    type ChangeResult = WrittenDocument;

    async fn prepare(&self, shop: &Shop) -> ApiResult<PreparedCommit<WrittenDocument>> {
        let (bounds, wanted) = (&self.caller.bounds, self.prefetch_plan(shop));
        let (stored, ahead) =
            shop.must_get_to_change_and_prefetch(self.kind, self.address, bounds, wanted)?;
        let permit = large_documents::acquire_permit(self.takes_long(&stored, &ahead)).await?;
        let (stored, step) = self.prepare_stored(stored, &ahead, shop)?;
        drop((permit, ahead));
        self.call_extensions(&stored, step, shop).await
    }
}

impl DocumentUpdate<'_> {
    /// Reads the needed documents and runs the rules.
    fn prepare_update(&self, shop: &Shop) -> ApiResult<UpdateProgress> {
        let (bounds, wanted) = (&self.caller.bounds, self.prefetch_plan(shop));
        let (stored, ahead) =
            shop.must_get_to_change_and_prefetch(self.kind, self.address, bounds, wanted)?;
        self.prepare_stored(stored, &ahead, shop)
    }

    /// Whether the rules work on large documents.
    fn takes_long(&self, stored: &StoredDocument, prefetched: &PrefetchedDocuments) -> bool {
        self.is_large || stored.body.len() >= LARGE_BYTES_MIN || prefetched.is_large()
    }

    /// Runs the rules over documents that were read.
    fn prepare_stored(
        &self,
        stored: StoredDocument,
        prefetched: &PrefetchedDocuments,
        shop: &Shop,
    ) -> ApiResult<UpdateProgress> {
        let project = shop.project();
        let step = large_documents::run_off_socket_thread(self.takes_long(&stored, prefetched), || {
            let before = prefetched.read(
                &shop.model.kind(shop.model.stored_kind(self.kind)).type_id,
                &stored,
                &shop.parsed_documents,
            )?;
            shop.with_rules_for_caller(prefetched, self.caller, &project, |rules| {
                self.run_rules(before, &stored, rules)
            })
        })?;
        Ok((stored, step))
    }

    /// Calls Extensions, if any match.
    async fn call_extensions(
        &self,
        stored: &StoredDocument,
        step: HookProgress<PreparedCommit<WrittenDocument>>,
        shop: &Shop,
    ) -> ApiResult<PreparedCommit<WrittenDocument>> {
        match step {
            HookProgress::Ready(prepared) => Ok(prepared),
            step => {
                let finish = |proposal: Proposal, rules: &Rules<'_>| self.finish(stored, proposal, rules);
                Box::pin(shop.call_extensions(step, &self.call_responses, self.caller, finish)).await
            }
        }
    }

    /// Returns the documents to prefetch: those named by the actions, and those requested by the rules of the
    /// kind.
    fn prefetch_plan<'m>(&self, shop: &'m Shop) -> PrefetchPlan<'m> {
        let mut wanted = PrefetchPlan::new(&shop.model);
        let entry = shop.model.kind(self.kind);
        for (name, arguments) in &self.actions {
            if let Some(action) = self.caller.bounds.action(entry, name) {
                wanted.add_named_in(action.arguments, arguments);
            }
        }
        if let Some(behaviour) = shop.behaviours.get(self.kind) {
            behaviour.prefetch(&mut wanted);
            for (_, arguments) in &self.actions {
                behaviour.prefetch_for_input(arguments, &mut wanted);
            }
        }
        wanted
    }

    fn run_rules(
        &self,
        before: FoundDocument,
        stored: &StoredDocument,
        rules: &Rules<'_>,
    ) -> ApiResult<HookProgress<PreparedCommit<WrittenDocument>>> {
        let Self { kind, caller, .. } = *self;
        check_version(self.version, &before.document).map_err(|stale| {
            let behaviour = rules.behaviours.get(kind);
            behaviour.and_then(|own| own.stale_update_error(&before.document, &self.actions)).unwrap_or(stale)
        })?;
        let mut effects = Effects::default();
        associate::authorize_actions(kind, &before.document, &self.actions, rules)?;
        let (mut after, pending) = apply_actions(
            (kind, ActionSource::Request),
            &self.actions,
            &before.document,
            caller,
            rules,
            &mut effects,
        )?;
        let unsettled = rules.behaviours.extension_policy_for(kind, rules).map(|_| effects.clone());
        change::settle(kind, Some(&before.document), &mut after, rules, &mut effects)
            .map_err(|error| self.with_cause(error, &before.document, rules))?;
        associate::authorize_move(kind, &before.document, &after, rules)?;
        let is_asked = unsettled.is_some();
        let is_same = after == *before.document && effects.is_empty();
        let proposal = Proposal { pending, effects, unsettled, ..Proposal::new(kind, Some(before), after) };
        match is_asked && !is_same {
            true => proposal.step(caller, rules, |proposal, rules| self.finish(stored, proposal, rules)),
            false => self.finish(stored, proposal, rules).map(HookProgress::Ready),
        }
    }

    /// Adds the action that caused an error found after all actions: the first action after which the document has
    /// the error.
    fn with_cause(&self, error: ApiError, before: &Document, rules: &Rules<'_>) -> ApiError {
        let Some(last) = self.actions.len().checked_sub(1).filter(|_| error.status() == 400) else {
            return error;
        };
        let is_refused_after = |index: &usize| {
            let (done, mut effects) = ((self.kind, ActionSource::Request), Effects::default());
            let some =
                apply_actions(done, &self.actions[..=*index], before, self.caller, rules, &mut effects);
            let settled = some.and_then(|(mut after, _)| {
                change::settle(self.kind, Some(before), &mut after, rules, &mut effects)
            });
            settled.is_err_and(|earlier| earlier.code() == error.code())
        };
        let index = (0..last).find(is_refused_after).unwrap_or(last);
        self.with_action_at(index, error, rules.model)
    }

    /// Adds the action at a position to an error.
    fn with_action_at(&self, index: usize, error: ApiError, model: &Model) -> ApiError {
        let Some((name, arguments)) = self.actions.get(index) else { return error };
        match self.caller.bounds.action(model.kind(self.kind), name) {
            Some(action) => add_failed_action(error, index, name, (action, arguments), model),
            None => error,
        }
    }

    /// Builds the commit of the changed document.
    fn finish(
        &self,
        stored: &StoredDocument,
        proposal: Proposal,
        rules: &Rules<'_>,
    ) -> ApiResult<PreparedCommit<WrittenDocument>> {
        let Self { kind, caller, .. } = *self;
        let Proposal { before, after, pending, mut effects, .. } = proposal;
        let Some(before) = before else { return Err(ApiError::bug("a document to update does not exist")) };
        if after == *before.document && effects.is_empty() {
            let body = change::add_warnings(stored.body.clone(), effects.take_warnings())?;
            return Ok(PreparedCommit::without_changes(WrittenDocument {
                body,
                created: false,
                deferred: false,
                additional_document: None,
            }));
        }
        if self.is_dry {
            let body = change::add_warnings(
                document_writes::serialize_value(&Value::Object(after))?,
                effects.take_warnings(),
            )?;
            return Ok(PreparedCommit::without_changes(WrittenDocument {
                body,
                created: false,
                deferred: false,
                additional_document: None,
            }));
        }
        let change = DocumentChange::updated(kind, before, after, pending);
        let change = change.with_action_names(self.actions.iter().map(|(name, _)| name));
        let deferred = effects.is_deferred();
        let prepared = ChangeSet::single(change).prepare(effects, caller, rules)?;
        let prepared = prepared.map_result(|body| {
            Ok(WrittenDocument { body, created: false, deferred, additional_document: None })
        })?;
        let entry = rules.model.kind(kind);
        let ends = |(name, _): &(String, Document)| {
            caller.bounds.action(entry, name).is_some_and(|action| action.ends_tokens)
        };
        let ends_tokens = self.actions.iter().any(ends);
        Ok(if ends_tokens { prepared.with_token_revocation(&stored.id) } else { prepared })
    }
}

/// Fails with 409 ConcurrentModification if the caller has seen another version.
pub(crate) fn check_version(given: Option<i64>, before: &Document) -> ApiResult<()> {
    match given {
        Some(given) if given != version_of(before) => {
            Err(ApiError::concurrent_modification(id_of(before), given, version_of(before)))
        }
        _ => Ok(()),
    }
}

/// Applies validated actions to a document. Returns it with its messages.
pub(crate) fn apply_and_settle(
    kind: KindId,
    actions: &[(String, Document)],
    before: &Document,
    caller: &Caller,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<(Document, Vec<PendingMessage>)> {
    associate::authorize_actions(kind, before, actions, rules)?;
    let done = (kind, ActionSource::Request);
    let (mut after, pending) = apply_actions(done, actions, before, caller, rules, effects)?;
    change::settle(kind, Some(before), &mut after, rules, effects)?;
    associate::authorize_move(kind, before, &after, rules)?;
    Ok((after, pending))
}
