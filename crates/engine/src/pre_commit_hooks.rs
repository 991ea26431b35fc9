//! Pre-commit hooks: calls external systems (API Extensions) before a change is written. They may refuse the
//! change, or return update actions that are applied in the same commit.
//!
//! [`ExtensionPolicy`](crate::extension_policy::ExtensionPolicy) selects the calls by rules, which never wait;
//! [`ExtensionClient`] sends them. Calls run between the preparation of a change and its commit, while no claim or lock
//! is held. Start at [`Shop::call_extensions`].

use crate::access_scope::AccessScope;
use crate::action_parser::parse_actions;
use crate::actions::{ActionSource, apply_actions};
use crate::caller::Caller;
use crate::change::{self, FIRST_VERSION};
use crate::change_metadata::ChangeMetadata;
use crate::commit_retry::PreparedCommit;
use crate::document::{self, Document};
use crate::document_writes;
use crate::effects::Effects;
use crate::extension_client::{ExtensionCall, ExtensionClient};
use crate::extension_policy::ProposedChange;
use crate::memory_budget::ResponseMeter;
use crate::pending_messages::PendingMessage;
use crate::prefetched_documents::PrefetchedDocuments;
use crate::rules::{FoundDocument, Rules};
use crate::secret;
use crate::shop::Shop;
use futures_util::future::join_all;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{IgnoredFields, KindId};
use kontor_storage::Precondition;
use parking_lot::Mutex;
use std::sync::Arc;

/// Maximum size of the expanded documents in one call, in bytes.
const QUESTION_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A prepared change for which external calls may be needed. It owns everything that it relies on.
pub(crate) struct Proposal {
    pub(crate) kind: KindId,
    pub(crate) before: Option<FoundDocument>,
    pub(crate) after: Document,
    pub(crate) pending: Vec<PendingMessage>,
    pub(crate) effects: Effects,
    /// The effects before the document was settled. If set, the document is settled again from them after
    /// further actions; `None`: it is settled as a change of its state before these actions.
    pub(crate) unsettled: Option<Effects>,
    pub(crate) requirements: Vec<Precondition>,
    pub(crate) round: usize,
}

/// The state of a change's preparation.
pub(crate) enum HookProgress<T> {
    /// Ready to be committed.
    Ready(T),
    /// These external calls must be made first.
    CallExtensions(Box<Proposal>, Vec<ExtensionCall>),
}

/// The document that configures a target, and the update actions of its response.
type TargetActions = (Arc<Document>, Vec<(String, Document)>);

/// The response of a target to a call about one state of the document.
struct CachedCallResponse {
    target_id: String,
    document: Document,
    actions: ApiResult<Vec<Value>>,
}

/// Caches the responses of earlier attempts of a change, including refusals, so that a retry does not call a
/// target twice about the same state.
#[derive(Default)]
pub(crate) struct CallResponseCache(Mutex<Vec<CachedCallResponse>>);

impl Proposal {
    pub(crate) fn new(kind: KindId, before: Option<FoundDocument>, after: Document) -> Self {
        Self {
            kind,
            before,
            after,
            pending: Vec::new(),
            effects: Effects::default(),
            unsettled: None,
            requirements: Vec::new(),
            round: 0,
        }
    }

    /// Returns the document as it will be written.
    fn written_document(&self, by: Option<&Value>, rules: &Rules<'_>) -> Document {
        let before = self.before.as_ref().map(|before| &*before.document);
        let authored = ChangeMetadata { before, first_version: FIRST_VERSION, is_new_version: true, by };
        let mut written = self.after.clone();
        authored.stamp(self.kind, &mut written, rules);
        document_writes::in_model_order(rules.model, rules.model.kind(self.kind), written)
    }

    /// Returns the calls of the next round that has any, or the finished change. `caller` makes the change.
    pub(crate) fn step<T>(
        mut self,
        caller: &Caller,
        rules: &Rules<'_>,
        finish: impl FnOnce(Self, &Rules<'_>) -> ApiResult<T>,
    ) -> ApiResult<HookProgress<T>> {
        // Most changes need no external call; then the document as it will be written is not needed either.
        let Some(asks) = rules.behaviours.extension_policy_for(self.kind, rules) else {
            return finish(self, rules).map(HookProgress::Ready);
        };
        let written = self.written_document(caller.to_json().as_ref(), rules);
        while self.round < asks.rounds() {
            let proposed = ProposedChange {
                kind: self.kind,
                before: self.before.as_ref().map(|before| &*before.document),
                after: &written,
                kept_apart: self.effects.settings(),
            };
            let questions = asks.calls(&proposed, self.round, rules)?;
            self.round += 1;
            if !questions.is_empty() {
                self.requirements = rules.take_requirements();
                return Ok(HookProgress::CallExtensions(Box::new(self), questions));
            }
        }
        finish(self, rules).map(HookProgress::Ready)
    }

    /// Applies the returned update actions, and settles the document again.
    fn apply_response_actions(
        &mut self,
        outcome: Vec<TargetActions>,
        caller: &Caller,
        rules: &Rules<'_>,
    ) -> ApiResult<()> {
        std::mem::take(&mut self.requirements).into_iter().for_each(|required| rules.require(required));
        let Some(last) = outcome.iter().rev().find(|(_, actions)| !actions.is_empty()) else {
            return Ok(());
        };
        let last = Arc::clone(&last.0);
        let refused = |requested: &Document, why: ApiError| match rules.behaviours.extension_policy() {
            Some(asks) if why.broken().is_none() => asks.refusal_error(requested, why),
            _ => why,
        };
        let settled = self.after.clone();
        let mut effects = match &self.unsettled {
            Some(unsettled) => unsettled.clone(),
            None => std::mem::take(&mut self.effects),
        };
        for (requested, actions) in outcome {
            let done = apply_actions(
                (self.kind, ActionSource::Request),
                &actions,
                &self.after,
                caller,
                rules,
                &mut effects,
            );
            let (after, pending) = done.map_err(|why| refused(&requested, why))?;
            self.after = after;
            self.pending.extend(pending);
        }
        let before = match &mut self.unsettled {
            Some(unsettled) => {
                *unsettled = effects.clone();
                self.before.as_ref().map(|before| &*before.document)
            }
            None => Some(&settled),
        };
        change::settle(self.kind, before, &mut self.after, rules, &mut effects)
            .map_err(|why| refused(&last, why))?;
        self.effects = effects;
        Ok(())
    }
}

impl Shop {
    /// Returns the shop with a client for external calls.
    #[must_use]
    pub fn with_extension_client(self, extension_client: Option<Arc<dyn ExtensionClient>>) -> Self {
        Self { extension_client, ..self }
    }

    /// Makes all external calls for a change and applies the returned actions, until the change is ready.
    pub(crate) async fn call_extensions<T>(
        &self,
        mut step: HookProgress<PreparedCommit<T>>,
        answers: &CallResponseCache,
        caller: &Caller,
        finish: impl Fn(Proposal, &Rules<'_>) -> ApiResult<PreparedCommit<T>>,
    ) -> ApiResult<PreparedCommit<T>> {
        // Extensions act with full rights. Unknown fields in their responses are ignored if those of requests
        // are. They are not reported to the caller, who did not send them.
        let ignored = caller.ignored.as_ref().map(|_| Arc::<IgnoredFields>::default());
        let unlimited =
            Caller { bounds: AccessScope::default(), references: None, ignored, ..caller.clone() };
        loop {
            let (mut proposal, questions) = match step {
                HookProgress::Ready(prepared) => return Ok(prepared),
                HookProgress::CallExtensions(proposal, questions) => (proposal, questions),
            };
            let mut outcome = Vec::with_capacity(questions.len());
            for (requested, given) in self.call_responses(&questions, &proposal, answers, caller).await? {
                let actions =
                    self.read_response_actions(proposal.kind, &requested, given, &unlimited).await?;
                outcome.push((requested, actions));
            }
            let project = self.project();
            step =
                self.with_rules_for_caller(&PrefetchedDocuments::default(), &unlimited, &project, |rules| {
                    proposal.apply_response_actions(outcome, &unlimited, rules)?;
                    proposal.step(&unlimited, rules, &finish)
                })?;
        }
    }

    /// Returns the responses to several calls, which are made concurrently.
    async fn call_responses(
        &self,
        questions: &[ExtensionCall],
        proposal: &Proposal,
        answers: &CallResponseCache,
        caller: &Caller,
    ) -> ApiResult<Vec<(Arc<Document>, Vec<Value>)>> {
        let mut asking = Vec::with_capacity(questions.len());
        let mut all: Vec<Option<Vec<Value>>> = vec![None; questions.len()];
        for (position, question) in questions.iter().enumerate() {
            let name = document::id_of(&question.target_document);
            let is_same =
                |known: &&CachedCallResponse| known.target_id == name && known.document == proposal.after;
            if let Some(known) = answers.0.lock().iter().find(is_same) {
                all[position] = Some(known.actions.clone()?);
                continue;
            }
            let Some(client) = &self.extension_client else { continue };
            let question = self.expand_call(proposal.kind, question, caller)?;
            let answering = client.call(&self.key, &self.model, Arc::clone(&self.storage), question);
            asking.push(async move { (position, answering.await) });
        }
        // Polled by the waiting request itself: a task for each call would only add wake-ups.
        for (position, response) in join_all(asking).await {
            let requested = document::id_of(&questions[position].target_document).to_owned();
            let document = proposal.after.clone();
            answers.0.lock().push(CachedCallResponse {
                target_id: requested,
                document,
                actions: response.clone(),
            });
            all[position] = Some(response?);
        }
        let known = questions.iter().zip(all);
        Ok(known
            .map(|(question, all)| (Arc::clone(&question.target_document), all.unwrap_or_default()))
            .collect())
    }

    /// Returns a call with expanded references in its documents and the correlation id of the request.
    fn expand_call(&self, kind: KindId, call: &ExtensionCall, caller: &Caller) -> ApiResult<ExtensionCall> {
        let mut call = call.clone();
        call.correlation_id = caller.sender.correlation_id().map(str::to_owned);
        if call.expand.is_empty() {
            return Ok(call);
        }
        let meter = ResponseMeter::with_limit(QUESTION_BYTES_MAX);
        for (_, member) in call.body.as_object_mut().into_iter().flatten() {
            let Some(shown) = member.get_mut("obj") else { continue };
            let bytes = shown.take().to_string().into();
            let expanded = self.render(kind, bytes, &call.expand, &AccessScope::default(), None, &meter)?;
            *shown = Value::Object(document::read(&expanded)?);
        }
        Ok(call)
    }

    /// Validates the update actions of a response.
    async fn read_response_actions(
        &self,
        kind: KindId,
        requested: &Document,
        given: Vec<Value>,
        caller: &Caller,
    ) -> ApiResult<Vec<(String, Document)>> {
        let refused = |why: ApiError| match self.behaviours.extension_policy() {
            Some(asks) => asks.refusal_error(requested, why),
            None => why,
        };
        let mut actions = parse_actions(given, kind, caller, &self.model).map_err(refused)?;
        for (name, arguments) in &mut actions {
            if let Some(action) = caller.bounds.action(self.model.kind(kind), name) {
                secret::hash_fields(&self.model, action.arguments, arguments).await?;
            }
        }
        Ok(actions)
    }
}
