//! The Rust of resources, and the join with the model that leaves no action without one.

use crate::acting::{ActionHandler, Due};
use crate::asks::Asks;
use crate::bounds::Bounds;
use crate::derivation::{Derivation, Derivations, Joined};
use crate::document::Document;
use crate::effects::Effects;
use crate::index_tuning::{IndexTuning, Indexes};
use crate::limit::Limit;
use crate::read_ahead::ReadAhead;
use crate::recording::Recording;
use crate::refused::Refused;
use crate::rules::Rules;
use crate::serving::{EndpointHandler, Matching};
use crate::sight::Sight;
use crate::tells::Tells;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Action, KindId, Location, Model, PairIndex, Staged};
use kontor_query::IndexedPaths;
use kontor_storage::{IndexValue, SealKey, UniqueKey};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What a resource does beyond what the model says. Every moment has an empty default.
///
/// **Invariant:** nothing here waits. No clock, no chance, no storage.
pub trait Behaviour: Send + Sync {
    /// The name of the resource in the model.
    fn resource(&self) -> &'static str;

    /// The update actions that have no verb in the model.
    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[]
    }

    /// The update actions below `/me` that have no verb there and are done otherwise than those of their names
    /// elsewhere.
    fn my_actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[]
    }

    /// The Rust of actions that documents of some kind keep, to be done later: the name of their set in the model, of the
    /// action, and what does it. Those that are not here are done as on the kind that they come from.
    fn staged_actions(&self) -> &'static [(&'static str, &'static str, ActionHandler)] {
        &[]
    }

    /// The endpoints that the model declares.
    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[]
    }

    /// The documents that belong to each project from its beginning, with ids of their own and without versions and times. A project that is
    /// emptied has them again.
    fn first_documents(&self) -> Vec<Document> {
        Vec::new()
    }

    /// The names of what the sources leave to choose here; what an operator chose is asked of
    /// [`Rules::choices`](crate::Rules::choices).
    fn choices(&self) -> &'static [&'static str] {
        &[]
    }

    /// The endpoints that the model declares to answer many documents.
    fn matching(&self) -> &'static [(&'static str, Matching)] {
        &[]
    }

    /// Names documents that the rules of nearly every change of the kind ask for, whatever was sent: they are read in one
    /// batch with what a draft or actions name. Nothing depends on it but the number of round trips.
    fn read_ahead(&self, _wanted: &mut ReadAhead<'_>) {}

    /// Names what they will ask for because of what was sent, a draft or the arguments of an action, where the model does not
    /// say that it is named there.
    fn read_ahead_of(&self, _sent: &Document, _wanted: &mut ReadAhead<'_>) {}

    /// Names what they will ask for because of what is stored, where one request changes several documents.
    fn read_ahead_of_stored(&self, _before: &Document, _wanted: &mut ReadAhead<'_>) {}

    /// Fills in what the platform knows and a draft may leave out. Runs once, when a document is born,
    /// with the draft as it was sent.
    fn complete(
        &self,
        _after: &mut Document,
        _draft: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        Ok(())
    }

    /// Checks the whole document and brings computed fields up to date. Runs once, after a draft was
    /// converted, after all actions of a request, or after the change of another document that changes this one too.
    fn settle(
        &self,
        _before: Option<&Document>,
        _after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        Ok(())
    }

    /// True where predicates name Attributes together with their values only.
    fn names_need_values(&self) -> bool {
        false
    }

    /// Refuses parameters by which nothing can be put into answers. Runs before anything is read or written.
    fn admit_sight(&self, _asked: &Sight) -> ApiResult<()> {
        Ok(())
    }

    /// Puts into an answer what follows from who asks, by the parameters that the model names, or takes out
    /// what was not asked for. The document is not stored again. Runs where one of them is sent, or a Store is meant.
    fn splice(&self, _document: &mut Document, _asked: &Sight, _rules: &Rules<'_>) -> ApiResult<()> {
        Ok(())
    }

    /// The permissions of an associate in a unit, by names; `None` for who is no associate of it. For the kind of the
    /// units.
    fn permissions(
        &self,
        _unit: &Document,
        _associate: &str,
        _rules: &Rules<'_>,
    ) -> ApiResult<Option<BTreeSet<String>>> {
        Ok(None)
    }

    /// Whether a document, as the side of it that is asked for, is there for who asks: of those that a query finds where a
    /// Store is meant, before they are counted.
    fn is_in_sight(&self, _document: &Document, _asked: &Sight, _rules: &Rules<'_>) -> ApiResult<bool> {
        Ok(true)
    }

    /// Whether a document that is in no Store is there, by its id or key, below each of them. Lists below a Store have its own alone.
    fn is_in_each_store(&self, _document: &Document) -> bool {
        false
    }

    /// True where every answer has something put in, whatever is asked for.
    fn always_splices(&self) -> bool {
        false
    }

    /// True where the answer with one document alone has something put in, whatever is asked for; on pages of queries
    /// documents are as they are stored.
    fn splices_one(&self) -> bool {
        false
    }

    /// Another object that a document is shown as, by the name that the model gives it.
    fn shown_as(
        &self,
        _view: &str,
        _document: &Document,
        _asked: &Sight,
        _rules: &Rules<'_>,
    ) -> ApiResult<Document> {
        Err(ApiError::bug("a kind that the model shows as another one has no Rust for it"))
    }

    /// The hashes that are kept beside a document of its secrets, by the fields of its draft.
    fn kept_secrets(&self, _document: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        Ok(Document::new())
    }

    /// What the answer to a deletion says beside the document, such as warnings.
    fn said_at_end(&self, _document: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        Ok(Document::new())
    }

    /// Refuses a deletion, and deletes what is kept beside the document.
    fn admit_delete(
        &self,
        _document: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        Ok(())
    }

    /// Fields of a message that are worked out from the finished document, in place of what the model would fill
    /// in. Fields that the message does not have are left out.
    fn message_fields(&self, _message: &str, _subject: &Document, _rules: &Rules<'_>) -> ApiResult<Document> {
        Ok(Document::new())
    }

    /// Names that users gave to a document, for its messages, beside those that stand in fields of its own.
    fn provided_identifiers(&self, _document: &Document) -> Document {
        Document::new()
    }

    /// Unique keys that are worked out, beside those of the model.
    fn unique_keys(&self, _document: &Document) -> Vec<UniqueKey> {
        Vec::new()
    }

    /// Index rows that are worked out, beside those of the model: for rules that look for documents by more than
    /// a field. No query of a caller can name their paths.
    fn index_rows(&self, _document: &Document, _rules: &Rules<'_>) -> ApiResult<Vec<(String, IndexValue)>> {
        Ok(Vec::new())
    }

    /// Ids that documents of a list below `parent` refer to, where that is not the id of `parent` alone; the
    /// name of the list is that of the model.
    fn listed_by(&self, _list: &str, _parent: &Document) -> Option<Vec<String>> {
        None
    }

    /// Limits that the behaviour keeps, for people who want to know them.
    fn limits(&self) -> &'static [Limit] {
        &[]
    }

    /// The error that a refusal of the storage means, where it is not the usual one.
    fn refused(&self, _refused: Refused<'_>) -> Option<ApiError> {
        None
    }

    /// The error of a reference to one of these that is not there, by the id or key that was sent, where it is not the usual
    /// one.
    fn missing(&self, _name: &str) -> Option<ApiError> {
        None
    }

    /// The error of actions that cannot be done to the document as it is, where that says more than that the caller has
    /// seen another version of it.
    fn said_of_stale(&self, _current: &Document, _actions: &[(String, Document)]) -> Option<ApiError> {
        None
    }

    /// Fields that follow from other documents and are brought up to date soon after them.
    fn derivations(&self) -> &'static [Derivation] {
        &[]
    }

    /// What becomes of documents when a time comes, without anybody asking.
    fn due(&self) -> Option<Due> {
        None
    }

    /// What a change of a document tells that no action of its own made: a derivation, or a change of another document
    /// that this one changes with. Names of messages with their fields.
    fn messages_of_change(&self, _before: &Document, _after: &Document) -> Vec<(&'static str, Document)> {
        Vec::new()
    }
}

/// Completes and checks a value of an object with `@complete`; the location is its place in the body.
pub type Completion = fn(&mut Document, &Location<'_>, &Rules<'_>) -> ApiResult<()>;

/// All behaviours, joined with the model.
#[derive(Default)]
pub struct Behaviours {
    by_kind: Vec<Option<Box<dyn Behaviour>>>,
    handlers: HashMap<(KindId, String), ActionHandler>,
    my_handlers: HashMap<(KindId, String), ActionHandler>,
    /// By the name of the set and that of the action.
    staged_handlers: HashMap<(&'static str, &'static str), ActionHandler>,
    endpoints: HashMap<(KindId, String), EndpointHandler>,
    matching: HashMap<(KindId, String), Matching>,
    completions: HashMap<&'static str, Completion>,
    derivations: Derivations,
    indexes: Indexes,
    pub(crate) asks: Option<Box<dyn Asks>>,
    /// Who is told of changes.
    pub(crate) tells: Option<Box<dyn Tells>>,
    /// Who keeps what happened.
    pub(crate) recording: Option<Box<dyn Recording>>,
    /// The `typeId`s of kinds that stand in memory.
    standing: Vec<&'static str>,
    /// What secrets in Messages are encrypted with.
    pub(crate) seal: Option<Arc<SealKey>>,
    /// Kinds of stored documents and the indexed paths of the key of the resource that they hold data of.
    pub(crate) kept_by_key: &'static [(&'static str, &'static str)],
}

impl Behaviours {
    /// Joins behaviours and completions with the model. Refuses an action with neither a verb nor a handler,
    /// or with both; a handler or behaviour that the model does not know; a completion that is missing; a derivation
    /// whose name stands twice, or that names a kind, a field or an indexed path that the model does not know; an index
    /// that is tuned and is not there.
    pub fn join(
        model: &Model,
        behaviours: Vec<Box<dyn Behaviour>>,
        completions: &[(&'static str, Completion)],
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
        for (name, handler) in behaviour.matching() {
            problems.extend(undeclared(name, true));
            self.matching.insert((id, (*name).to_owned()), *handler);
        }
        if self.by_kind[id.index()].replace(behaviour).is_some() {
            problems.push(format!("behaviour {name}: there are two"));
        }
    }

    /// Whatever the model leaves to Rust is there.
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
                if !self.endpoints.contains_key(&key) && !self.matching.contains_key(&key) {
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

    /// The names of all that an operator can choose.
    pub fn choices(&self) -> impl Iterator<Item = &'static str> {
        let of_kinds = self.by_kind.iter().flatten().flat_map(|behaviour| behaviour.choices());
        let of_recording = self.recording.iter().flat_map(|recording| recording.choices());
        of_kinds.chain(of_recording).copied()
    }

    /// The behaviour of a kind, where it has one.
    pub fn of(&self, kind: KindId) -> Option<&dyn Behaviour> {
        self.by_kind.get(kind.index())?.as_deref()
    }

    /// By which paths documents of a kind are found.
    pub fn indexed_paths(&self, kind: KindId) -> &IndexedPaths {
        self.indexes.paths(kind)
    }

    /// The paths of a kind that have rows of names with values.
    pub fn paired_paths(&self, kind: KindId) -> &[PairIndex] {
        self.indexes.pairs(kind)
    }

    /// The handler of an action without a verb.
    pub fn handler(&self, kind: KindId, action: &str) -> Option<ActionHandler> {
        self.handlers.get(&(kind, action.to_owned())).copied()
    }

    /// The handler of an action without a verb, for a request that is limited to some documents.
    pub(crate) fn handler_within(
        &self,
        bounds: &Bounds,
        kind: KindId,
        action: &str,
    ) -> Option<ActionHandler> {
        let own =
            bounds.mine.as_ref().and_then(|_| self.my_handlers.get(&(kind, action.to_owned())).copied());
        own.or_else(|| self.handler(kind, action))
    }

    /// The handler of a staged action, where it is not done by its verb.
    pub(crate) fn staged_handler(&self, set: &Staged, action: &Action) -> Option<ActionHandler> {
        let own = self.staged_handlers.get(&(set.name.as_str(), action.name.as_str())).copied();
        let is_free = action.verb.is_none();
        own.or_else(|| self.handler(set.origin(&action.name), &action.name).filter(|_| is_free))
    }

    /// The handler of an endpoint.
    pub fn endpoint(&self, kind: KindId, name: &str) -> Option<EndpointHandler> {
        self.endpoints.get(&(kind, name.to_owned())).copied()
    }

    /// The handler of an endpoint that answers many documents.
    pub(crate) fn matching(&self, kind: KindId, name: &str) -> Option<Matching> {
        self.matching.get(&(kind, name.to_owned())).copied()
    }

    /// A completion, by its name.
    pub fn completion(&self, name: &str) -> Option<Completion> {
        self.completions.get(name).copied()
    }

    /// The same, for storages with work items of the time when these held the position of a derivation: `names` are
    /// those of the derivations at these positions, each behind the name of its kind.
    #[must_use]
    pub fn with_numbered_derivations(mut self, names: &'static [&'static str]) -> Self {
        self.derivations.number(names);
        self
    }

    /// The same, where all documents of these kinds, of which there are few, stand in memory ([`Rules::standing`]).
    #[must_use]
    pub fn standing_in_memory(self, type_ids: &[&'static str]) -> Self {
        Self { standing: type_ids.to_vec(), ..self }
    }

    /// The `typeId`s of kinds that stand in memory.
    pub(crate) fn standing_kinds(&self) -> &[&'static str] {
        &self.standing
    }

    /// True where work items of this name are understood.
    pub fn has_derivation(&self, name: &str) -> bool {
        self.derivations.meant(&Value::from(name)).is_some()
    }

    /// The derivations to look at when a document of `source` was written.
    pub(crate) fn derivations_from(&self, source: KindId) -> impl Iterator<Item = &Joined> {
        self.derivations.from(source)
    }

    /// The derivation that a work item means: its name, or its number.
    pub(crate) fn derivation(&self, said: &Value) -> Option<&Joined> {
        self.derivations.meant(said)
    }
}
