//! The hooks and handlers of a resource type ([`Behaviour`]), and their join with the model at startup.
//!
//! [`Behaviours::join`] fails unless every action and endpoint of the model has exactly one implementation.

use crate::access_scope::AccessScope;
use crate::action_context::{ActionHandler, DueRule, TaskStep, ValueCompletion};
use crate::change_recorder::ChangeRecorder;
use crate::choices::Choice;
use crate::derivation::{Derivation, Derivations, JoinedDerivation};
use crate::document::Document;
use crate::effects::Effects;
use crate::endpoint_context::{EndpointHandler, ListEndpointHandler};
use crate::event_policy::EventPolicy;
use crate::extension_policy::ExtensionPolicy;
use crate::index_tuning::{IndexTuning, Indexes};
use crate::limit::Limit;
use crate::prefetch_plan::PrefetchPlan;
use crate::refusal_reason::RefusalReason;
use crate::rules::Rules;
use crate::view_options::ViewOptions;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Action, KindId, Model, PairIndex, StagedActionSet};
use kontor_query::IndexedPaths;
use kontor_storage::{IndexValue, SealKey, UniqueKey};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The hooks of a resource: its behaviour beyond the model. Each of them has an empty default.
///
/// **Invariant:** no hook waits. No clock, no random numbers, no storage.
pub trait Behaviour: Send + Sync {
    /// The name of the resource in the model.
    fn resource(&self) -> &'static str;

    /// The update actions that have no verb in the model.
    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[]
    }

    /// The update actions below `/me` without a verb there that differ from those of the same names elsewhere.
    fn my_actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[]
    }

    /// The handlers of staged actions, which documents store to apply them later: the name of their set in the model,
    /// of the action, and the handler. Other staged actions run like those of the kind that they come from.
    fn staged_actions(&self) -> &'static [(&'static str, &'static str, ActionHandler)] {
        &[]
    }

    /// The handlers of the endpoints that the model declares.
    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[]
    }

    /// The first documents of each project, with fixed ids and without versions and times; also after it was emptied.
    fn first_documents(&self) -> Vec<Document> {
        Vec::new()
    }

    /// Behaviour that an operator selects, where sources differ; see [`Rules::choices`](crate::Rules::choices).
    fn choices(&self) -> &'static [Choice] {
        &[]
    }

    /// The handlers of endpoints that return many documents.
    fn list_endpoints(&self) -> &'static [(&'static str, ListEndpointHandler)] {
        &[]
    }

    /// Lists documents to prefetch that the rules of nearly every change of the kind need, whatever was sent. Only
    /// the number of round trips to the storage depends on it.
    fn prefetch(&self, _wanted: &mut PrefetchPlan<'_>) {}

    /// Lists documents to prefetch because of a draft or action arguments that the model does not describe as
    /// references.
    fn prefetch_for_input(&self, _sent: &Document, _wanted: &mut PrefetchPlan<'_>) {}

    /// Lists documents to prefetch because of a stored document, for requests that change several documents.
    fn prefetch_for_stored(&self, _before: &Document, _wanted: &mut PrefetchPlan<'_>) {}

    /// Completes a new document with values that a draft may omit. Runs once, with the draft as the client sent it.
    fn complete(
        &self,
        _after: &mut Document,
        _draft: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        Ok(())
    }

    /// Checks the whole document and updates computed fields. Runs once: after a draft was converted, after all
    /// actions of a request, or after the change of another document that changes this one too.
    fn settle(
        &self,
        _before: Option<&Document>,
        _after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        Ok(())
    }

    /// True if predicates name Attributes only together with their values.
    fn names_need_values(&self) -> bool {
        false
    }

    /// Refuses parameters that select the content of responses. Runs before anything is read or written.
    fn validate_view_options(&self, _asked: &ViewOptions) -> ApiResult<()> {
        Ok(())
    }

    /// Adapts a document for the response, by the parameters that the model names: adds fields that depend on the
    /// request, or removes those that were not selected. The stored document does not change. Runs if one of the
    /// parameters is sent, or the request is for a Store.
    fn splice(&self, _document: &mut Document, _asked: &ViewOptions, _rules: &Rules<'_>) -> ApiResult<()> {
        Ok(())
    }

    /// Returns an Associate's permissions in a unit, for the kind of units; `None` for a customer who is no
    /// Associate.
    fn permissions(
        &self,
        _unit: &Document,
        _associate: &str,
        _rules: &Rules<'_>,
    ) -> ApiResult<Option<BTreeSet<String>>> {
        Ok(None)
    }

    /// Whether a document, in the requested projection, is visible in a Store; filters queries before counting.
    fn is_visible(&self, _document: &Document, _asked: &ViewOptions, _rules: &Rules<'_>) -> ApiResult<bool> {
        Ok(true)
    }

    /// Whether a document without a Store can be read by id or key below each Store; lists below a Store omit it.
    fn is_in_each_store(&self, _document: &Document) -> bool {
        false
    }

    /// True if [`splice`](Self::splice) must run for every response, whatever the parameters.
    fn always_splices(&self) -> bool {
        false
    }

    /// True if [`splice`](Self::splice) must run for responses with a single document, whatever the parameters. Pages
    /// of queries have the stored documents.
    fn splices_one(&self) -> bool {
        false
    }

    /// Returns the object that a view of the model shows instead of the document.
    fn render_view(
        &self,
        _view: &str,
        _document: &Document,
        _asked: &ViewOptions,
        _rules: &Rules<'_>,
    ) -> ApiResult<Document> {
        Err(ApiError::bug("a kind that the model shows as another one has no Rust for it"))
    }

    /// Returns the stored hashes of a document's secrets, under the fields of its draft.
    fn stored_secret_hashes(&self, _document: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        Ok(Document::new())
    }

    /// Returns additional fields of the response to a deletion, e.g. warnings.
    fn delete_response_fields(&self, _document: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        Ok(Document::new())
    }

    /// Refuses a deletion, or deletes the hidden documents that belong to the document.
    fn before_delete(
        &self,
        _document: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        Ok(())
    }

    /// Returns message fields calculated from the finished document, in place of those of the model. Others are
    /// ignored.
    fn message_fields(&self, _message: &str, _subject: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        Ok(Document::new())
    }

    /// Returns user-provided identifiers of a document for its messages, in addition to those in its own fields.
    fn provided_identifiers(&self, _document: &Document) -> Document {
        Document::new()
    }

    /// Returns calculated unique keys, in addition to those of the model.
    fn unique_keys(&self, _document: &Document) -> Vec<UniqueKey> {
        Vec::new()
    }

    /// Returns calculated index rows, in addition to those of the model, for rules that look up documents by more
    /// than a field. Queries of clients cannot name their paths.
    fn index_rows(&self, _document: &Document, _rules: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
        Ok(Vec::new())
    }

    /// Returns the ids that documents of a list below `parent` refer to, if that is not the id of `parent` alone.
    /// `list` is the name of the list in the model.
    fn list_parent_ids(&self, _list: &str, _parent: &Document) -> Option<Vec<String>> {
        None
    }

    /// The limits that the behaviour enforces, for the documentation.
    fn limits(&self) -> &'static [Limit] {
        &[]
    }

    /// Returns the error for a commit that the storage refused, if it is not the usual one.
    fn refusal_error(&self, _refused: RefusalReason<'_>) -> Option<ApiError> {
        None
    }

    /// Returns a more specific error than 409 for an update with an old version whose actions cannot be applied now.
    fn stale_update_error(&self, _current: &Document, _actions: &[(String, Document)]) -> Option<ApiError> {
        None
    }

    /// The derived fields of the kind, which follow from other documents and are updated soon after them.
    fn derivations(&self) -> &'static [Derivation] {
        &[]
    }

    /// Describes how documents of the kind change at a certain time, without a request.
    fn due_rule(&self) -> Option<DueRule> {
        None
    }

    /// The steps of the background tasks of the kind ([`Effects::begin_task`]).
    fn background_step(&self) -> Option<TaskStep> {
        None
    }

    /// Returns the messages of a change without actions of its own: a derivation, or a change together with another
    /// document. Names of messages with their fields.
    fn messages_of_change(&self, _before: &Document, _after: &Document) -> Vec<(&'static str, Document)> {
        Vec::new()
    }
}

/// All behaviours, joined with the model.
#[derive(Default)]
pub struct Behaviours {
    by_kind: Vec<Option<Box<dyn Behaviour>>>,
    handlers: HashMap<(KindId, String), ActionHandler>,
    my_handlers: HashMap<(KindId, String), ActionHandler>,
    /// By the name of the set and that of the action.
    staged_handlers: HashMap<(&'static str, &'static str), ActionHandler>,
    endpoints: HashMap<(KindId, String), EndpointHandler>,
    list_endpoints: HashMap<(KindId, String), ListEndpointHandler>,
    completions: HashMap<&'static str, ValueCompletion>,
    derivations: Derivations,
    indexes: Indexes,
    pub(crate) extension_policy: Option<Box<dyn ExtensionPolicy>>,
    /// Selects the notifications of changes.
    pub(crate) event_policy: Option<Box<dyn EventPolicy>>,
    /// Creates the Change History records of changes.
    pub(crate) change_recorder: Option<Box<dyn ChangeRecorder>>,
    /// The `typeId`s of kinds whose documents are all held in memory.
    resident_kinds: Vec<&'static str>,
    /// The key that encrypts secrets in Messages.
    pub(crate) seal_key: Option<Arc<SealKey>>,
    /// Kinds of documents outside the model with data of a resource, and the indexed path of its key.
    pub(crate) kept_by_key: &'static [(&'static str, &'static str)],
}

impl Behaviours {
    /// Joins behaviours and completions with the model.
    ///
    /// # Errors
    /// Returns a problem for an action with neither a verb nor a handler, or with both; a handler or behaviour that
    /// the model does not know; a missing completion; a derivation whose name occurs twice, or that names a kind, a
    /// field or an indexed path that the model does not know; a tuned index that does not exist.
    pub fn join(
        model: &Model,
        behaviours: Vec<Box<dyn Behaviour>>,
        completions: &[(&'static str, ValueCompletion)],
        index_tuning: &[IndexTuning],
    ) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let indexes = Indexes::join(model, index_tuning, &mut problems);
        let completions = completions.iter().copied().collect();
        let mut joined = Self { completions, indexes, ..Self::default() };
        joined.by_kind.resize_with(model.kinds().count(), || None);
        for behaviour in behaviours {
            joined.add(model, behaviour, &mut problems);
        }
        joined.check_complete(model, &mut problems);
        for ((id, _), behaviour) in model.kinds().zip(&joined.by_kind) {
            for derivation in behaviour.iter().flat_map(|behaviour| behaviour.derivations()) {
                joined.derivations.add(model, id, derivation, &mut problems);
            }
            joined.derivations.add_custom_fields(model, id, &mut problems);
        }
        if problems.is_empty() { Ok(joined) } else { Err(problems) }
    }

    /// Joins one behaviour with its kind.
    fn add(&mut self, model: &Model, behaviour: Box<dyn Behaviour>, problems: &mut Vec<String>) {
        let name = behaviour.resource();
        let Some(id) = model.kind_by_name(name) else {
            problems.push(format!("behaviour {name}: the model has no such resource"));
            return;
        };
        let kind = model.kind(id);
        for (action, handler) in behaviour.actions() {
            match kind.action(action) {
                None => problems.push(format!("{name}.{action}: a handler without an action in the model")),
                Some(action) if action.verb.is_some() => {
                    problems.push(format!("{name}.{}: both a verb and a handler", action.name));
                }
                Some(_) => {
                    self.handlers.insert((id, (*action).to_owned()), *handler);
                }
            }
        }
        for (action, handler) in behaviour.my_actions() {
            let declared = kind.mine.as_ref().and_then(|mine| mine.action(action));
            if declared.is_none_or(|declared| declared.verb.is_some()) {
                problems.push(format!("{name}.{action}: no such action without a verb below /me"));
            }
            self.my_handlers.insert((id, (*action).to_owned()), *handler);
        }
        for (set, action, handler) in behaviour.staged_actions() {
            if model.staged_by_name(set).and_then(|staged| staged.action(action)).is_none() {
                problems.push(format!("{set}.{action}: a handler without a staged action in the model"));
            }
            self.staged_handlers.insert((set, action), *handler);
        }
        let undeclared = |name: &str, many: bool| {
            let mut endpoints = kind.endpoints.iter();
            let is_declared = endpoints.any(|endpoint| endpoint.name == name && endpoint.many == many);
            let problem = format!("{}.{name}: a handler without an endpoint in the model", kind.name);
            (!is_declared).then_some(problem)
        };
        for (name, handler) in behaviour.endpoints() {
            problems.extend(undeclared(name, false));
            self.endpoints.insert((id, (*name).to_owned()), *handler);
        }
        for (name, handler) in behaviour.list_endpoints() {
            problems.extend(undeclared(name, true));
            self.list_endpoints.insert((id, (*name).to_owned()), *handler);
        }
        if self.by_kind[id.index()].replace(behaviour).is_some() {
            problems.push(format!("behaviour {name}: there are two"));
        }
    }

    /// Checks that everything that the model leaves to Rust is implemented.
    fn check_complete(&self, model: &Model, problems: &mut Vec<String>) {
        for (id, kind) in model.kinds().filter(|(_, kind)| kind.is_served) {
            for action in &kind.actions {
                if action.verb.is_none() && !self.handlers.contains_key(&(id, action.name.clone())) {
                    problems.push(format!("{}.{}: neither a verb nor a handler", kind.name, action.name));
                }
            }
            for action in kind.mine.iter().flat_map(|mine| &mine.actions) {
                let key = (id, action.name.clone());
                let is_done = self.my_handlers.contains_key(&key) || self.handlers.contains_key(&key);
                if action.verb.is_none() && !is_done {
                    problems.push(format!(
                        "{}.{}: neither a verb nor a handler below /me",
                        kind.name, action.name
                    ));
                }
            }
            for endpoint in &kind.endpoints {
                let key = (id, endpoint.name.clone());
                if !self.endpoints.contains_key(&key) && !self.list_endpoints.contains_key(&key) {
                    problems.push(format!("{}.{}: an endpoint without a handler", kind.name, endpoint.name));
                }
            }
        }
        for staged in model.staged() {
            for action in &staged.actions {
                if action.verb.is_none() && self.staged_handler(staged, action).is_none() {
                    problems.push(format!("{}.{}: neither a verb nor a handler", staged.name, action.name));
                }
            }
        }
        for (_, object) in model.objects() {
            if let Some(name) = &object.complete
                && !self.completions.contains_key(name.as_str())
            {
                problems.push(format!("{}: @complete(by: \"{name}\") is not written", object.name));
            }
        }
    }

    /// Returns all behaviour that an operator can select.
    pub fn choices(&self) -> impl Iterator<Item = &'static Choice> {
        let of_kinds = self.by_kind.iter().flatten().flat_map(|behaviour| behaviour.choices());
        let of_recording = self.change_recorder.iter().flat_map(|recording| recording.choices());
        of_kinds.chain(of_recording)
    }

    /// The behaviour of a kind, if it has one.
    pub fn get(&self, kind: KindId) -> Option<&dyn Behaviour> {
        self.by_kind.get(kind.index())?.as_deref()
    }

    /// Returns the indexed paths of a kind.
    pub fn indexed_paths(&self, kind: KindId) -> &IndexedPaths {
        self.indexes.paths(kind)
    }

    /// Returns the paths of a kind with index rows of name-value pairs.
    pub fn paired_paths(&self, kind: KindId) -> &[PairIndex] {
        self.indexes.pairs(kind)
    }

    /// Returns the handler of an action without a verb.
    pub fn handler(&self, kind: KindId, action: &str) -> Option<ActionHandler> {
        self.handlers.get(&(kind, action.to_owned())).copied()
    }

    /// The handler of an action without a verb, for a request with this access scope.
    pub(crate) fn handler_in_scope(
        &self,
        access_scope: &AccessScope,
        kind: KindId,
        action: &str,
    ) -> Option<ActionHandler> {
        let own = access_scope
            .mine
            .as_ref()
            .and_then(|_| self.my_handlers.get(&(kind, action.to_owned())).copied());
        own.or_else(|| self.handler(kind, action))
    }

    /// The handler of a staged action; `None` if its verb implements it.
    pub(crate) fn staged_handler(&self, set: &StagedActionSet, action: &Action) -> Option<ActionHandler> {
        let own = self.staged_handlers.get(&(set.name.as_str(), action.name.as_str())).copied();
        let is_free = action.verb.is_none();
        own.or_else(|| self.handler(set.origin(&action.name), &action.name).filter(|_| is_free))
    }

    /// Returns the handler of an endpoint.
    pub fn endpoint(&self, kind: KindId, name: &str) -> Option<EndpointHandler> {
        self.endpoints.get(&(kind, name.to_owned())).copied()
    }

    /// The handler of an endpoint that returns many documents.
    pub(crate) fn list_endpoint(&self, kind: KindId, name: &str) -> Option<ListEndpointHandler> {
        self.list_endpoints.get(&(kind, name.to_owned())).copied()
    }

    /// Returns a completion, by its name.
    pub fn completion(&self, name: &str) -> Option<ValueCompletion> {
        self.completions.get(name).copied()
    }

    /// Returns the behaviours with the names of derivations by position, for work items of early releases, which
    /// contain the position. Each name follows the name of its kind.
    #[must_use]
    pub fn with_numbered_derivations(mut self, names: &'static [&'static str]) -> Self {
        self.derivations.set_numbered_names(names);
        self
    }

    /// Returns the behaviours with all documents of these (small) kinds held in memory ([`Rules::resident_documents`]).
    #[must_use]
    pub fn with_resident_kinds(self, type_ids: &[&'static str]) -> Self {
        Self { resident_kinds: type_ids.to_vec(), ..self }
    }

    /// The `typeId`s of kinds whose documents are all held in memory.
    pub(crate) fn resident_kinds(&self) -> &[&'static str] {
        &self.resident_kinds
    }

    /// True if work items with this derivation name are known.
    pub fn has_derivation(&self, name: &str) -> bool {
        self.derivations.find(&Value::from(name)).is_some()
    }

    /// The derivations that may have work when a document of `source` was written.
    pub(crate) fn derivations_from(&self, source: KindId) -> impl Iterator<Item = &JoinedDerivation> {
        self.derivations.from(source)
    }

    /// The derivation of a work item, by its name or its number.
    pub(crate) fn derivation(&self, name_or_number: &Value) -> Option<&JoinedDerivation> {
        self.derivations.find(name_or_number)
    }
}
