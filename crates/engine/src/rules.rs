//! What a rule may know: the model, the project, the time, and other documents by reference.
//!
//! Rules never see a storage engine, and reading is all that they do here; what they do beside it are
//! [`Effects`](crate::Effects). **A read is relied on**: what a rule read becomes a precondition of the commit, so that
//! it still holds when the change is written. Who only looks says so, by the name of the method: `peek…` relies on
//! nothing, for answers and texts, for what a reference already holds in place, and for hot paths on which something else
//! is known to stand for the document. Each read may be a round trip.

mod any_of;
mod at_hand;
mod holders;
mod looking;
mod referring;
mod requirements;
mod sent;

use crate::behaviour::Behaviours;
use crate::bounds::{self, Bounds};
use crate::choices::{self, Choices};
use crate::clock::format_time;
use crate::document::{Document, read_stored, scalars_at, text_or_log};
use crate::effects;
use crate::parsed::Parsed;
use crate::reference_scope::ReferenceScope;
use crate::sender::{SERVER, Sender};
use crate::standing::StandingDocuments;
use crate::worked_out::WorkedOut;
use any_of::AnyKnown;
use foldhash::{HashMap, HashSet};
use jiff::Timestamp;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{Ignored, KindId, Model};
use kontor_storage::{Precondition, Stored};
use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

/// Where documents come from: a storage, or a map in a test.
pub trait Documents {
    /// The document of a kind with an id, and its revision.
    fn by_id(&self, type_id: &str, id: &str) -> ApiResult<Option<Found>>;
    /// The same as it is now, whatever was read of it before.
    fn by_id_now(&self, type_id: &str, id: &str) -> ApiResult<Option<Found>> {
        self.by_id(type_id, id)
    }
    /// The document of a kind with a unique value at a path.
    fn by_unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<Found>>;
    /// All documents of a kind that hold a value at an indexed path.
    fn by_index(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Vec<Found>>;
    /// All documents of a kind that hold one of these values at an indexed path, each once.
    fn by_index_any(&self, type_id: &str, path: &str, values: &[&str]) -> ApiResult<Vec<Found>>;
    /// Some of those that hold one value, at most as many.
    fn some_by_index(&self, type_id: &str, path: &str, value: &str, most: usize) -> ApiResult<Vec<Found>> {
        let mut all = self.by_index(type_id, path, value)?;
        all.truncate(most);
        Ok(all)
    }
    /// All documents of a kind.
    fn all(&self, type_id: &str) -> ApiResult<Vec<Found>>;
    /// The number of a counter; 0 where nothing was counted.
    fn counter(&self, _counter: &str) -> ApiResult<i64> {
        Ok(0)
    }
    /// Whether there is any document of each of these kinds, in one read.
    fn any_of_each(&self, type_ids: &[&str]) -> Vec<bool> {
        vec![true; type_ids.len()]
    }
    /// Whether there is any document of a kind.
    fn any(&self, type_id: &str) -> bool {
        self.any_of_each(&[type_id]).into_iter().all(|any| any)
    }
}

/// A document that was looked up.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its id in the storage.
    pub id: String,
    /// The document.
    pub document: Arc<Document>,
    /// Its revision at the time of the look-up.
    pub revision: i64,
    /// The number of the last message about it at that time.
    pub sequence: i64,
}

impl Found {
    /// A stored document.
    pub(crate) fn read(stored: &Stored) -> ApiResult<Self> {
        Ok(Self::of(stored, Arc::new(read_stored(stored)?)))
    }

    /// A stored document that may be asked for again as it is.
    pub(crate) fn read_or_parsed(stored: &Stored, parsed: &Parsed) -> ApiResult<Self> {
        Ok(Self::of(stored, parsed.read(stored)?))
    }

    fn of(stored: &Stored, document: Arc<Document>) -> Self {
        let (id, revision, sequence) = (stored.id.clone(), stored.revision, stored.sequence);
        Self { id, document, revision, sequence }
    }

    /// That it is the same when a change is written.
    pub(crate) fn unchanged(&self, kind: &str) -> Precondition {
        Precondition::Revision { kind: kind.to_owned(), id: self.id.clone(), revision: self.revision }
    }
}

/// Which documents were gathered: those of a kind, or those that hold a value at an indexed path.
type Gathered = (String, Option<(String, String)>);

/// What was found where somebody looked, and whether that is relied on.
#[derive(Clone)]
struct LookedUp {
    found: Option<Found>,
    is_relied_on: bool,
}

/// What the rules of one request share.
pub struct Rules<'a> {
    /// The description of the API.
    pub model: &'a Model,
    /// Resources' own Rust.
    pub behaviours: &'a Behaviours,
    /// The project's settings: the Project as answered.
    pub project: &'a Document,
    /// The shop's time at the beginning of the request.
    pub now: Timestamp,
    /// The same, once somebody has asked for it as text.
    time: OnceCell<String>,
    /// The documents that the request is limited to.
    pub bounds: &'a Bounds,
    documents: &'a dyn Documents,
    new_id: &'a dyn Fn() -> String,
    looked_up: RefCell<HashMap<(KindId, String), LookedUp>>,
    gathered: RefCell<HashMap<Gathered, Arc<[Arc<Document>]>>>,
    any: RefCell<HashMap<KindId, AnyKnown>>,
    requirements: RefCell<Vec<Precondition>>,
    worked_out: Option<&'a WorkedOut>,
    standing: Option<&'a StandingDocuments>,
    choices: &'a Choices,
    sender: &'a Sender,
    /// The documents that references of the request lead to; `None`: all.
    references: Option<&'a ReferenceScope>,
    /// Where fields are named that are passed over; `None`: they are refused.
    ignored: Option<&'a Ignored>,
}

impl<'a> Rules<'a> {
    /// Rules over a source of documents. `new_id` makes ids, so that rules have no chance in them.
    pub fn new(
        model: &'a Model,
        behaviours: &'a Behaviours,
        project: &'a Document,
        now: Timestamp,
        documents: &'a dyn Documents,
        new_id: &'a dyn Fn() -> String,
    ) -> Self {
        Self {
            model,
            behaviours,
            project,
            now,
            time: OnceCell::new(),
            bounds: &bounds::EVERYTHING,
            documents,
            new_id,
            looked_up: RefCell::default(),
            gathered: RefCell::default(),
            any: RefCell::default(),
            requirements: RefCell::default(),
            worked_out: None,
            standing: None,
            choices: &choices::NONE,
            sender: &SERVER,
            references: None,
            ignored: None,
        }
    }

    /// The same rules for a request that is limited to some documents.
    #[must_use]
    pub fn within(self, bounds: &'a Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// The same rules for what this sender asks for.
    #[must_use]
    pub fn sent_by(self, sender: &'a Sender) -> Self {
        Self { sender, ..self }
    }

    /// 403 `insufficient_scope` where who asks does not hold a scope that the operation does not ask for itself.
    pub fn require_scope(&self, scope: &str) -> ApiResult<()> {
        self.sender.require(scope)
    }

    /// Whether who asks holds one of the scopes for a Store, or for the whole of the project.
    pub fn allows_in_store(&self, any_of: &[&str], store: &str) -> bool {
        self.sender.allow_in_store(any_of, store)
    }

    /// The same rules where the operator chose something.
    #[must_use]
    pub fn choosing(self, choices: &'a Choices) -> Self {
        Self { choices, ..self }
    }

    /// What the operator chose where the sources leave a choice.
    pub fn choices(&self) -> &Choices {
        self.choices
    }

    /// Tells who looks after the server of what is stored and cannot be used. Nothing else comes of it.
    pub fn warn(&self, message: &str) {
        tracing::warn!(project = text_or_log(self.project, &["key"]), "{message}");
    }

    /// The same rules for a shop that keeps what they work out.
    pub(crate) fn keeping(self, worked_out: &'a WorkedOut) -> Self {
        Self { worked_out: Some(worked_out), ..self }
    }

    /// What `make` works out of documents that are all as they were while a document that stands for them has a revision:
    /// the shop keeps it under a name. Who relies on it requires the revision.
    pub fn worked_out<T: Any + Send + Sync>(
        &self,
        name: &'static str,
        revision: i64,
        make: impl FnOnce() -> ApiResult<T>,
    ) -> ApiResult<Arc<T>> {
        match self.worked_out {
            Some(kept) => kept.as_of(name, revision, make),
            None => make().map(Arc::new),
        }
    }

    /// The same under a name and an id: for many values that stand beside each other, each made when it is asked for.
    pub fn worked_out_each<T: Any + Send + Sync>(
        &self,
        of: (&'static str, &str),
        revision: i64,
        make: impl FnOnce() -> ApiResult<T>,
    ) -> ApiResult<Arc<T>> {
        match self.worked_out {
            Some(kept) => kept.each_as_of(of, revision, make),
            None => make().map(Arc::new),
        }
    }

    /// A new id for an element of a document.
    pub fn new_id(&self) -> String {
        (self.new_id)()
    }

    /// The time at the beginning of the request, as documents have it.
    pub fn time(&self) -> &str {
        self.time.get_or_init(|| format_time(self.now))
    }

    /// The document of a kind with an id. It must be the same, or still not there, when the change is written.
    pub fn find(&self, kind: KindId, id: &str) -> ApiResult<Option<Arc<Document>>> {
        let found = self.look_up(kind, id)?;
        self.rely(kind, id, found.as_ref());
        Ok(found.map(|found| found.document))
    }

    /// As [`find`](Self::find), only looking.
    pub fn peek(&self, kind: KindId, id: &str) -> ApiResult<Option<Arc<Document>>> {
        Ok(self.look_up(kind, id)?.map(|found| found.document))
    }

    /// As [`peek`](Self::peek), of a kind given by `typeId`.
    pub fn peek_type(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        match self.model.kind_by_type_id(type_id) {
            Some(kind) => self.peek(kind, id),
            None => Ok(None),
        }
    }

    /// The document of a kind with a key. It must be the same when the change is written; that there is none is not
    /// relied on.
    pub fn find_key(&self, kind: KindId, key: &str) -> ApiResult<Option<Arc<Document>>> {
        let found = self.look_up_key(kind, key)?;
        if let Some(found) = &found {
            self.rely(kind, &found.id, Some(found));
        }
        Ok(found.map(|found| found.document))
    }

    /// As [`find_key`](Self::find_key), only looking.
    pub fn peek_key(&self, kind: KindId, key: &str) -> ApiResult<Option<Arc<Document>>> {
        Ok(self.look_up_key(kind, key)?.map(|found| found.document))
    }

    fn look_up_key(&self, kind: KindId, key: &str) -> ApiResult<Option<Found>> {
        let entry = self.model.kind(kind);
        if !entry.is_served {
            return Ok(None);
        }
        let found = self.documents.by_unique(&entry.type_id, "key", key)?;
        if let Some(found) = &found {
            self.remember(kind, found);
        }
        Ok(found)
    }

    fn look_up(&self, kind: KindId, id: &str) -> ApiResult<Option<Found>> {
        let entry = self.model.kind(kind);
        if !entry.is_served {
            return Ok(None);
        }
        let place = (kind, id.to_owned());
        if let Some(known) = self.looked_up.borrow().get(&place) {
            return Ok(known.found.clone());
        }
        let found = self.documents.by_id(&entry.type_id, id)?;
        let looked_up = LookedUp { found: found.clone(), is_relied_on: false };
        self.looked_up.borrow_mut().insert(place, looked_up);
        Ok(found)
    }

    /// Keeps what was found otherwise than by its id.
    fn remember(&self, kind: KindId, found: &Found) {
        let looked_up = LookedUp { found: Some(found.clone()), is_relied_on: false };
        self.looked_up.borrow_mut().insert((kind, found.id.clone()), looked_up);
    }

    /// Asks that what was found is so when the change is written.
    fn rely(&self, kind: KindId, id: &str, found: Option<&Found>) {
        let mut looked_up = self.looked_up.borrow_mut();
        // Of a kind that is not served nothing was looked for.
        let Some(known) = looked_up.get_mut(&(kind, id.to_owned())) else { return };
        if std::mem::replace(&mut known.is_relied_on, true) {
            return;
        }
        let type_id = &self.model.kind(kind).type_id;
        self.require(unchanged(type_id, id, found));
    }

    /// A document of this change set as it is stored: what was looked up, or is read now.
    pub(crate) fn stored(&self, kind: KindId, id: &str) -> ApiResult<Found> {
        let type_id = &self.model.kind(kind).type_id;
        let found = self.look_up(kind, id)?;
        found.ok_or_else(|| ApiError::bug(format!("{type_id} {id} was to be changed and is not there")))
    }

    /// The documents of a kind that hold a value at an indexed path, apart from the one with the id `own`,
    /// which may hold it too. They must be the same ones, unchanged, when the change is written.
    pub fn others_with(
        &self,
        kind: KindId,
        path: &str,
        value: &str,
        own: Option<&str>,
    ) -> ApiResult<Vec<Arc<Document>>> {
        let entry = self.model.kind(kind);
        let mut others = Vec::new();
        for found in self.documents.by_index(&entry.type_id, path, value)? {
            if own == Some(found.id.as_str()) {
                continue;
            }
            self.remember(kind, &found);
            self.rely(kind, &found.id, Some(&found));
            others.push(found.document);
        }
        self.require_at_most(&entry.type_id, path, value, others.len() as u64 + 1);
        Ok(others)
    }

    /// One document of a kind that holds a value at an indexed path, apart from the one with the id `own`, which may
    /// hold it too. It must be the same one, unchanged, when the change is written; where there is none, there must be
    /// none then.
    pub fn another_with(
        &self,
        kind: KindId,
        path: &str,
        value: &str,
        own: Option<&str>,
    ) -> ApiResult<Option<Arc<Document>>> {
        let type_id = &self.model.kind(kind).type_id;
        for found in self.documents.some_by_index(type_id, path, value, 2)? {
            if own != Some(found.id.as_str()) {
                self.remember(kind, &found);
                self.rely(kind, &found.id, Some(&found));
                return Ok(Some(found.document));
            }
        }
        self.require_at_most(type_id, path, value, 1);
        Ok(None)
    }

    fn require_at_most(&self, type_id: &str, path: &str, value: &str, limit: u64) {
        let (kind, path, value) = (type_id.to_owned(), path.to_owned(), value.into());
        self.require(Precondition::IndexedAtMost { kind, path, value, limit });
    }

    /// A hidden document by id: one of a kind that no face shows. It must be the same, or still not there, when the
    /// change is written.
    pub fn hidden(&self, kind: &str, id: &str) -> ApiResult<Option<Found>> {
        let found = self.documents.by_id(kind, id)?;
        self.require(unchanged(kind, id, found.as_ref()));
        Ok(found)
    }

    /// As [`hidden`](Self::hidden), only looking.
    pub fn peek_hidden(&self, kind: &str, id: &str) -> ApiResult<Option<Found>> {
        self.documents.by_id(kind, id)
    }

    /// How much was counted beside a document ([`Effects::count`](crate::Effects::count)). It is not relied on: who counts
    /// says how much there may be.
    pub fn counted(&self, type_id: &str, id: &str, name: &str) -> ApiResult<i64> {
        self.documents.counter(&effects::counter(type_id, id, name))
    }

    /// The document of any kind that holds a unique key, by `typeId`. It must be the same when the change is written; that
    /// there is none is not relied on.
    pub fn find_unique(&self, kind: &str, path: &str, value: &str) -> ApiResult<Option<Found>> {
        let found = self.documents.by_unique(kind, path, value)?;
        if let Some(found) = &found {
            self.require(found.unchanged(kind));
        }
        Ok(found)
    }
}

/// That a document is the same, or still not there, when a change is written.
fn unchanged(type_id: &str, id: &str, found: Option<&Found>) -> Precondition {
    match found {
        Some(found) => found.unchanged(type_id),
        None => Precondition::Absent { kind: type_id.to_owned(), id: id.to_owned() },
    }
}

/// The different texts at a path, through lists.
fn texts_at<'d>(document: &'d Document, path: &[&str]) -> HashSet<&'d str> {
    let mut found = Vec::new();
    if let Some((first, rest)) = path.split_first()
        && let Some(value) = document.get(*first)
    {
        scalars_at(value, rest, &mut found);
    }
    found.into_iter().filter_map(Value::as_str).collect()
}

/// The target of a reference.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its kind.
    pub kind: KindId,
    /// Its id.
    pub id: String,
    /// The document.
    pub document: Arc<Document>,
}
