//! The read access of rules: the model, the project, the time, and other documents by reference.
//!
//! Rules have no access to the storage. They only read here; their changes are [`Effects`](crate::Effects). **A read
//! is relied on**: the result becomes a precondition of the commit, so that it is still true when the change is
//! written. Methods named `peek…` add no precondition. They are for responses and texts, for targets that an existing
//! reference already protects, and for hot paths where another precondition covers the document. Each read may be a
//! round trip.

mod holders;
mod kind_presence;
mod peek_reads;
mod reference_resolution;
mod requirements;
mod unknown_fields;

use crate::access_scope::{self, AccessScope};
use crate::behaviour::Behaviours;
use crate::choices::{self, Choices};
use crate::clock::format_time;
use crate::derived_cache::DerivedCache;
use crate::document::{Document, read_stored, scalars_at, text_or_log};
use crate::effects;
use crate::parsed_document_cache::ParsedDocumentCache;
use crate::reference_scope::ReferenceScope;
use crate::resident_documents::ResidentDocuments;
use crate::sender::{SERVER, Sender};
use foldhash::{HashMap, HashSet};
use jiff::Timestamp;
use kind_presence::KnownPresence;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{IgnoredFields, KindId, Model};
use kontor_storage::{Precondition, StoredDocument};
use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

/// The source of documents: a storage, or a map in tests.
pub trait DocumentSource {
    /// Returns the document of a kind with an id, and its revision.
    fn by_id(&self, type_id: &str, id: &str) -> ApiResult<Option<FoundDocument>>;
    /// Like `by_id`, without any cached or prefetched copy.
    fn by_id_now(&self, type_id: &str, id: &str) -> ApiResult<Option<FoundDocument>> {
        self.by_id(type_id, id)
    }
    /// Returns the document of a kind with a unique value at a path.
    fn by_unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<FoundDocument>>;
    /// Returns all documents of a kind with a value at an indexed path.
    fn by_index(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Vec<FoundDocument>>;
    /// Returns all documents of a kind with one of these values at an indexed path, without duplicates.
    fn by_index_any(&self, type_id: &str, path: &str, values: &[&str]) -> ApiResult<Vec<FoundDocument>>;
    /// Returns documents of a kind with a value at an indexed path, at most `most`.
    fn some_by_index(
        &self,
        type_id: &str,
        path: &str,
        value: &str,
        most: usize,
    ) -> ApiResult<Vec<FoundDocument>> {
        let mut all = self.by_index(type_id, path, value)?;
        all.truncate(most);
        Ok(all)
    }
    /// Returns all documents of a kind.
    fn all(&self, type_id: &str) -> ApiResult<Vec<FoundDocument>>;
    /// Returns the value of a counter; 0 if it does not exist.
    fn counter(&self, _counter: &str) -> ApiResult<i64> {
        Ok(0)
    }
    /// Returns for each of these kinds whether it may have documents, in one read.
    fn may_have_documents(&self, type_ids: &[&str]) -> Vec<bool> {
        vec![true; type_ids.len()]
    }
    /// Whether a kind may have documents.
    fn any(&self, type_id: &str) -> bool {
        self.may_have_documents(&[type_id]).into_iter().all(|any| any)
    }
}

/// A document that was looked up.
#[derive(Debug, Clone)]
pub struct FoundDocument {
    /// Its id in the storage.
    pub id: String,
    /// The document.
    pub document: Arc<Document>,
    /// Its revision at the time of the lookup.
    pub revision: i64,
    /// The number of the last message about it at that time.
    pub sequence: i64,
}

impl FoundDocument {
    /// Parses a stored document.
    pub(crate) fn read(stored: &StoredDocument) -> ApiResult<Self> {
        Ok(Self::new(stored, Arc::new(read_stored(stored)?)))
    }

    /// Parses a stored document, with the cache of parsed documents.
    pub(crate) fn parse_cached(stored: &StoredDocument, parsed: &ParsedDocumentCache) -> ApiResult<Self> {
        Ok(Self::new(stored, parsed.read(stored)?))
    }

    fn new(stored: &StoredDocument, document: Arc<Document>) -> Self {
        let (id, revision, sequence) = (stored.id.clone(), stored.revision, stored.sequence);
        Self { id, document, revision, sequence }
    }

    /// Returns the precondition that the document is unchanged.
    pub(crate) fn precondition(&self, kind: &str) -> Precondition {
        Precondition::Revision { kind: kind.to_owned(), id: self.id.clone(), revision: self.revision }
    }
}

/// A cached list of documents: all of a kind, or those with a value at an indexed path.
type DocumentListKey = (String, Option<(String, String)>);

/// A cached lookup, and whether a precondition was added for it.
#[derive(Clone)]
struct CachedLookup {
    found: Option<FoundDocument>,
    is_relied_on: bool,
}

/// The read access of the rules of one request.
pub struct Rules<'a> {
    /// The description of the API.
    pub model: &'a Model,
    /// The behaviours of all kinds.
    pub behaviours: &'a Behaviours,
    /// The settings of the project: the Project as in responses.
    pub project: &'a Document,
    /// The shop's time at the start of the request.
    pub now: Timestamp,
    /// The same time as text, filled in on first use.
    time: OnceCell<String>,
    /// The access scope of the request.
    pub bounds: &'a AccessScope,
    documents: &'a dyn DocumentSource,
    new_id: &'a dyn Fn() -> String,
    lookups: RefCell<HashMap<(KindId, String), CachedLookup>>,
    document_lists: RefCell<HashMap<DocumentListKey, Arc<[Arc<Document>]>>>,
    presence_by_kind: RefCell<HashMap<KindId, KnownPresence>>,
    requirements: RefCell<Vec<Precondition>>,
    derived_cache: Option<&'a DerivedCache>,
    resident_documents: Option<&'a ResidentDocuments>,
    choices: &'a Choices,
    sender: &'a Sender,
    /// The documents that references of the request may lead to; `None`: all.
    references: Option<&'a ReferenceScope>,
    /// The owner of the document that an action is changing, in a request to a Store.
    owner_of_changed: RefCell<Vec<String>>,
    /// Collects ignored unknown fields; `None`: they are refused.
    ignored: Option<&'a IgnoredFields>,
}

impl<'a> Rules<'a> {
    /// Rules over a source of documents. `new_id` creates ids, so that rules themselves have no randomness.
    pub fn new(
        model: &'a Model,
        behaviours: &'a Behaviours,
        project: &'a Document,
        now: Timestamp,
        documents: &'a dyn DocumentSource,
        new_id: &'a dyn Fn() -> String,
    ) -> Self {
        Self {
            model,
            behaviours,
            project,
            now,
            time: OnceCell::new(),
            bounds: &access_scope::EVERYTHING,
            documents,
            new_id,
            lookups: RefCell::default(),
            document_lists: RefCell::default(),
            presence_by_kind: RefCell::default(),
            requirements: RefCell::default(),
            derived_cache: None,
            resident_documents: None,
            choices: &choices::NONE,
            sender: &SERVER,
            references: None,
            owner_of_changed: RefCell::default(),
            ignored: None,
        }
    }

    /// Limits the rules to the access scope of a request.
    #[must_use]
    pub fn with_scope(self, access_scope: &'a AccessScope) -> Self {
        Self { bounds: access_scope, ..self }
    }

    /// Sets the sender of the request.
    #[must_use]
    pub fn with_sender(self, sender: &'a Sender) -> Self {
        Self { sender, ..self }
    }

    /// Fails with 403 `insufficient_scope` if the sender lacks a scope that the operation itself does not require.
    pub fn require_scope(&self, scope: &str) -> ApiResult<()> {
        self.sender.require(scope)
    }

    /// Returns whether the sender has one of the scopes, for a Store or for the whole project.
    pub fn allows_in_store(&self, any_of: &[&str], store: &str) -> bool {
        self.sender.allow_in_store(any_of, store)
    }

    /// Sets the operator's choices.
    #[must_use]
    pub fn with_choices(self, choices: &'a Choices) -> Self {
        Self { choices, ..self }
    }

    /// Returns the operator's choices for behaviour on which the sources contradict each other.
    pub fn choices(&self) -> &Choices {
        self.choices
    }

    /// Logs a warning for the operator about stored data that cannot be used. It has no other effect.
    pub fn warn(&self, message: &str) {
        tracing::warn!(project = text_or_log(self.project, &["key"]), "{message}");
    }

    /// Sets the cache of derived values of the shop.
    pub(crate) fn with_derived_cache(self, derived_cache: &'a DerivedCache) -> Self {
        Self { derived_cache: Some(derived_cache), ..self }
    }

    /// Returns the value that `make` derives from documents, cached under `name` while a document that represents
    /// them all has the same revision. Callers that rely on it must require that revision.
    pub fn derived_value<T: Any + Send + Sync>(
        &self,
        name: &'static str,
        revision: i64,
        make: impl FnOnce() -> ApiResult<T>,
    ) -> ApiResult<Arc<T>> {
        match self.derived_cache {
            Some(kept) => kept.get_or_derive(name, revision, make),
            None => make().map(Arc::new),
        }
    }

    /// Like [`derived_value`](Self::derived_value), with a name and an id: for many values, each derived on first use.
    /// Fails with the error of `make`.
    pub fn derived_value_of<T: Any + Send + Sync>(
        &self,
        of: (&'static str, &str),
        revision: i64,
        make: impl FnOnce() -> ApiResult<T>,
    ) -> ApiResult<Arc<T>> {
        match self.derived_cache {
            Some(kept) => kept.get_or_derive_of(of, revision, make),
            None => make().map(Arc::new),
        }
    }

    /// Returns a new id for an element of a document.
    pub fn new_id(&self) -> String {
        (self.new_id)()
    }

    /// Returns the time at the start of the request, in the format of documents.
    pub fn time(&self) -> &str {
        self.time.get_or_init(|| format_time(self.now))
    }

    /// Returns the document of a kind with an id. The commit requires that it is the same, or still missing. Fails if
    /// the storage fails.
    pub fn find(&self, kind: KindId, id: &str) -> ApiResult<Option<Arc<Document>>> {
        let found = self.find_cached(kind, id)?;
        self.require_lookup(kind, id, found.as_ref());
        Ok(found.map(|found| found.document))
    }

    /// Like [`find`](Self::find), without a precondition. Fails if the storage fails.
    pub fn peek(&self, kind: KindId, id: &str) -> ApiResult<Option<Arc<Document>>> {
        Ok(self.find_cached(kind, id)?.map(|found| found.document))
    }

    /// Like [`peek`](Self::peek), for a kind given by its `typeId`. Fails if the storage fails.
    pub fn peek_type(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        match self.model.kind_by_type_id(type_id) {
            Some(kind) => self.peek(kind, id),
            None => Ok(None),
        }
    }

    /// Returns the document of a kind with a key. The commit requires that it is the same; the absence of one is no
    /// precondition. Fails if the storage fails.
    pub fn find_key(&self, kind: KindId, key: &str) -> ApiResult<Option<Arc<Document>>> {
        let found = self.look_up_key(kind, key)?;
        if let Some(found) = &found {
            self.require_lookup(kind, &found.id, Some(found));
        }
        Ok(found.map(|found| found.document))
    }

    /// Like [`find_key`](Self::find_key), without a precondition. Fails if the storage fails.
    pub fn peek_key(&self, kind: KindId, key: &str) -> ApiResult<Option<Arc<Document>>> {
        Ok(self.look_up_key(kind, key)?.map(|found| found.document))
    }

    fn look_up_key(&self, kind: KindId, key: &str) -> ApiResult<Option<FoundDocument>> {
        let entry = self.model.kind(kind);
        if !entry.is_served {
            return Ok(None);
        }
        let found = self.documents.by_unique(&entry.type_id, "key", key)?;
        if let Some(found) = &found {
            self.cache_lookup(kind, found);
        }
        Ok(found)
    }

    fn find_cached(&self, kind: KindId, id: &str) -> ApiResult<Option<FoundDocument>> {
        let entry = self.model.kind(kind);
        if !entry.is_served {
            return Ok(None);
        }
        let place = (kind, id.to_owned());
        if let Some(known) = self.lookups.borrow().get(&place) {
            return Ok(known.found.clone());
        }
        let found = self.documents.by_id(&entry.type_id, id)?;
        let looked_up = CachedLookup { found: found.clone(), is_relied_on: false };
        self.lookups.borrow_mut().insert(place, looked_up);
        Ok(found)
    }

    /// Caches a document that was not found by its id.
    fn cache_lookup(&self, kind: KindId, document: &FoundDocument) {
        let looked_up = CachedLookup { found: Some(document.clone()), is_relied_on: false };
        self.lookups.borrow_mut().insert((kind, document.id.clone()), looked_up);
    }

    /// Adds the precondition that a lookup still has the same result.
    fn require_lookup(&self, kind: KindId, id: &str, document: Option<&FoundDocument>) {
        let mut looked_up = self.lookups.borrow_mut();
        // Kinds that are not served are never looked up.
        let Some(known) = looked_up.get_mut(&(kind, id.to_owned())) else { return };
        if std::mem::replace(&mut known.is_relied_on, true) {
            return;
        }
        let type_id = &self.model.kind(kind).type_id;
        self.require(unchanged_precondition(type_id, id, document));
    }

    /// Returns a document of this change set in its stored form, from the lookups or the storage.
    pub(crate) fn stored_document(&self, kind: KindId, id: &str) -> ApiResult<FoundDocument> {
        let type_id = &self.model.kind(kind).type_id;
        let found = self.find_cached(kind, id)?;
        found.ok_or_else(|| ApiError::bug(format!("{type_id} {id} was to be changed and is not there")))
    }

    /// Returns the documents of a kind with a value at an indexed path, except the one with the id `own`, which may
    /// have it too. The commit requires that they are the same ones, unchanged. Fails if the storage fails.
    pub fn find_others(
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
            self.cache_lookup(kind, &found);
            self.require_lookup(kind, &found.id, Some(&found));
            others.push(found.document);
        }
        self.require_at_most(&entry.type_id, path, value, others.len() as u64 + 1);
        Ok(others)
    }

    /// Returns one document of a kind with a value at an indexed path, except the one with the id `own`, which may
    /// have it too. The commit requires that it is unchanged or, if there is none, that there still is none. Fails if
    /// the storage fails.
    pub fn find_another(
        &self,
        kind: KindId,
        path: &str,
        value: &str,
        own: Option<&str>,
    ) -> ApiResult<Option<Arc<Document>>> {
        let type_id = &self.model.kind(kind).type_id;
        for found in self.documents.some_by_index(type_id, path, value, 2)? {
            if own != Some(found.id.as_str()) {
                self.cache_lookup(kind, &found);
                self.require_lookup(kind, &found.id, Some(&found));
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

    /// Returns a hidden document, of a kind that no API shows, by its id. The commit requires that it is the same, or
    /// still missing. Fails if the storage fails.
    pub fn hidden_document(&self, kind: &str, id: &str) -> ApiResult<Option<FoundDocument>> {
        let found = self.documents.by_id(kind, id)?;
        self.require(unchanged_precondition(kind, id, found.as_ref()));
        Ok(found)
    }

    /// Like [`hidden_document`](Self::hidden_document), without a precondition. Fails if the storage fails.
    pub fn peek_hidden(&self, kind: &str, id: &str) -> ApiResult<Option<FoundDocument>> {
        self.documents.by_id(kind, id)
    }

    /// Returns the value of a counter of a document ([`Effects::count`](crate::Effects::count)), without a
    /// precondition: rules that increment it set a maximum. Fails if the storage fails.
    pub fn counter_value(&self, type_id: &str, id: &str, name: &str) -> ApiResult<i64> {
        self.documents.counter(&effects::counter_name(type_id, id, name))
    }

    /// Returns the document with a unique key, of a kind given by its `typeId`. The commit requires that it is the
    /// same; the absence of one is no precondition. Fails if the storage fails.
    pub fn find_unique(&self, kind: &str, path: &str, value: &str) -> ApiResult<Option<FoundDocument>> {
        let found = self.documents.by_unique(kind, path, value)?;
        if let Some(found) = &found {
            self.require(found.precondition(kind));
        }
        Ok(found)
    }
}

/// Returns the precondition that a document is the same, or still missing.
fn unchanged_precondition(type_id: &str, id: &str, document: Option<&FoundDocument>) -> Precondition {
    match document {
        Some(document) => document.precondition(type_id),
        None => Precondition::Absent { kind: type_id.to_owned(), id: id.to_owned() },
    }
}

/// Returns the different texts at a path, through lists.
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
pub struct ResolvedReference {
    /// Its kind.
    pub kind: KindId,
    /// Its id.
    pub id: String,
    /// The document.
    pub document: Arc<Document>,
}
