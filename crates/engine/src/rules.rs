//! What a rule may know: the model, the project, the time, and other documents by reference.
//!
//! Rules never see a storage engine. Whatever document a rule looked up and relied on becomes a
//! precondition of the commit, so that it still holds when the change is written.

use crate::behaviour::Behaviours;
use crate::bounds::{self, Bounds};
use crate::document::{Document, parse, text};
use crate::worked_out::WorkedOut;
use jiff::Timestamp;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{KindId, Model};
use kontor_storage::{Precondition, Stored, Write};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Where documents come from: a storage, or a map in a test.
pub trait Documents {
    /// The document of a kind with an id, and its revision.
    fn by_id(&self, type_id: &str, id: &str) -> ApiResult<Option<Found>>;
    /// The document of a kind with a unique value at a path.
    fn by_unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<Found>>;
    /// All documents of a kind that hold a value at an indexed path.
    fn by_index(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Vec<Found>>;
    /// Some of them, at most as many.
    fn some_by_index(&self, type_id: &str, path: &str, value: &str, most: usize) -> ApiResult<Vec<Found>> {
        let mut all = self.by_index(type_id, path, value)?;
        all.truncate(most);
        Ok(all)
    }
    /// All documents of a kind.
    fn all(&self, type_id: &str) -> ApiResult<Vec<Found>>;
    /// Whether there is any document of a kind.
    fn any(&self, _type_id: &str) -> bool {
        true
    }
}

/// A document that was looked up.
#[derive(Debug, Clone)]
pub struct Found {
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
        let document = Arc::new(parse(stored)?);
        Ok(Self { document, revision: stored.revision, sequence: stored.sequence })
    }
}

/// Which documents were gathered: those of a kind, or those that hold a value at an indexed path.
type Gathered = (String, Option<(String, String)>);

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
    /// The documents that the request is limited to.
    pub bounds: &'a Bounds,
    documents: &'a dyn Documents,
    new_id: &'a dyn Fn() -> String,
    looked_up: RefCell<HashMap<(KindId, String), Option<Found>>>,
    gathered: RefCell<HashMap<Gathered, Arc<[Arc<Document>]>>>,
    requirements: RefCell<Vec<Precondition>>,
    settings: RefCell<Vec<(String, Option<String>)>>,
    beside: RefCell<Vec<Write>>,
    companions: RefCell<Vec<(KindId, Document)>>,
    worked_out: Option<&'a WorkedOut>,
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
            bounds: &bounds::EVERYTHING,
            documents,
            new_id,
            looked_up: RefCell::default(),
            gathered: RefCell::default(),
            requirements: RefCell::default(),
            settings: RefCell::default(),
            beside: RefCell::default(),
            companions: RefCell::default(),
            worked_out: None,
        }
    }

    /// The same rules for a request that is limited to some documents.
    #[must_use]
    pub fn within(self, bounds: &'a Bounds) -> Self {
        Self { bounds, ..self }
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

    /// A new id for an element of a document.
    pub fn new_id(&self) -> String {
        (self.new_id)()
    }

    /// The document that a reference points to, if it is there.
    pub fn find(&self, kind: KindId, id: &str) -> ApiResult<Option<Arc<Document>>> {
        Ok(self.look_up(kind, id)?.map(|found| found.document))
    }

    /// The document that a reference points to, of a kind given by `typeId`.
    pub fn find_type(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        match self.model.kind_by_type_id(type_id) {
            Some(kind) => self.find(kind, id),
            None => Ok(None),
        }
    }

    /// The document with a key.
    pub fn find_key(&self, kind: KindId, key: &str) -> ApiResult<Option<Arc<Document>>> {
        let entry = self.model.kind(kind);
        if !entry.is_served {
            return Ok(None);
        }
        Ok(self.documents.by_unique(&entry.type_id, "key", key)?.map(|found| {
            let id = text(&found.document, &["id"]).unwrap_or_default().to_owned();
            let document = Arc::clone(&found.document);
            self.looked_up.borrow_mut().insert((kind, id), Some(found));
            document
        }))
    }

    fn look_up(&self, kind: KindId, id: &str) -> ApiResult<Option<Found>> {
        let entry = self.model.kind(kind);
        if !entry.is_served {
            return Ok(None);
        }
        if let Some(known) = self.looked_up.borrow().get(&(kind, id.to_owned())) {
            return Ok(known.clone());
        }
        let found = self.documents.by_id(&entry.type_id, id)?;
        self.looked_up.borrow_mut().insert((kind, id.to_owned()), found.clone());
        Ok(found)
    }

    /// The target of an identifier `{typeId, id | key}` that the model has checked. It must exist, now and
    /// when the change is written.
    pub fn resolve(&self, identifier: &Document) -> ApiResult<Target> {
        let type_id = text(identifier, &["typeId"]).unwrap_or_default();
        let (id, key) = (text(identifier, &["id"]), text(identifier, &["key"]));
        let missing = || ApiError::referenced_resource_not_found(type_id, id, key);
        let kind = self.model.kind_by_type_id(type_id).ok_or_else(missing)?;
        let document = match (id, key) {
            (Some(id), _) => self.find(kind, id)?,
            (None, Some(key)) => self.find_key(kind, key)?,
            (None, None) => None,
        }
        .ok_or_else(missing)?;
        let id = text(&document, &["id"]).unwrap_or_default().to_owned();
        self.require(Precondition::Exists { kind: type_id.to_owned(), id: id.clone() });
        Ok(Target { kind, id, document })
    }

    /// Asks that a document which a rule relied on is the same when the change is written.
    pub fn require_unchanged(&self, kind: KindId, id: &str) {
        if let Some(Some(found)) = self.looked_up.borrow().get(&(kind, id.to_owned())) {
            self.require(Precondition::Revision {
                kind: self.model.kind(kind).type_id.clone(),
                id: id.to_owned(),
                revision: found.revision,
            });
        }
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
            let id = text(&found.document, &["id"]).unwrap_or_default().to_owned();
            if own == Some(id.as_str()) {
                continue;
            }
            others.push(Arc::clone(&found.document));
            self.looked_up.borrow_mut().insert((kind, id.clone()), Some(found));
            self.require_unchanged(kind, &id);
        }
        self.require(Precondition::IndexedAtMost {
            kind: entry.type_id.clone(),
            path: path.to_owned(),
            value: value.into(),
            limit: others.len() as u64 + 1,
        });
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
        let id_of = |found: &Found| text(&found.document, &["id"]).unwrap_or_default().to_owned();
        for found in self.documents.some_by_index(type_id, path, value, 2)? {
            let id = id_of(&found);
            if own != Some(id.as_str()) {
                let document = Arc::clone(&found.document);
                self.looked_up.borrow_mut().insert((kind, id.clone()), Some(found));
                self.require_unchanged(kind, &id);
                return Ok(Some(document));
            }
        }
        self.require(Precondition::IndexedAtMost {
            kind: type_id.clone(),
            path: path.to_owned(),
            value: value.into(),
            limit: 1,
        });
        Ok(None)
    }

    /// Keeps a fact about the shop outside of all documents, written with the change: what must never be
    /// answered, such as the secret part of a setting. `None` removes it.
    pub fn keep_apart(&self, name: &str, value: Option<String>) {
        self.settings.borrow_mut().push((name.to_owned(), value));
    }

    /// Changes another document with this one, in a new version of it. It was looked up before, and must be the same
    /// when that is written.
    pub fn change_too(&self, kind: KindId, after: Document) {
        self.companions.borrow_mut().push((kind, after));
    }

    /// Writes, with the change, what no face ever shows: a document of a kind that the model does not serve.
    pub fn write_beside(&self, write: Write) {
        self.forget_beside(&write);
        self.beside.borrow_mut().push(write);
    }

    /// Deletes, with the change, what no face ever shows; what this request has written, or nobody, is not missed.
    pub fn delete_beside(&self, kind: &str, id: &str) -> ApiResult<()> {
        let write = Write::Delete { kind: kind.to_owned(), id: id.to_owned() };
        match self.beside(kind, id)? {
            Some(_) => self.write_beside(write),
            None => self.forget_beside(&write),
        }
        Ok(())
    }

    /// A commit writes each document once: what is said last counts.
    fn forget_beside(&self, write: &Write) {
        fn place(write: &Write) -> Option<(&str, &str)> {
            match write {
                Write::Put(put) => Some((&put.kind, &put.id)),
                Write::Delete { kind, id } => Some((kind, id)),
                _ => None,
            }
        }
        let own = place(write);
        self.beside.borrow_mut().retain(|other| own.is_none() || place(other) != own);
    }

    /// A document of a kind that the model does not serve, by id.
    pub fn beside(&self, kind: &str, id: &str) -> ApiResult<Option<Found>> {
        self.documents.by_id(kind, id)
    }

    /// The time at the beginning of the request, as documents have it.
    pub fn time(&self) -> String {
        crate::clock::format_time(self.now)
    }

    /// A document that is written beside others, as it will be after what this request has done so far.
    pub fn beside_as_written(&self, kind: &str, id: &str) -> ApiResult<Option<Document>> {
        for write in self.beside.borrow().iter().rev() {
            match write {
                Write::Put(put) if put.kind == kind && put.id == id => {
                    let parsed = serde_json::from_slice(&put.body);
                    return parsed.map(Some).map_err(|_| ApiError::internal());
                }
                Write::Delete { kind: gone, id: of } if gone == kind && of == id => return Ok(None),
                _ => {}
            }
        }
        Ok(self.documents.by_id(kind, id)?.map(|found| (*found.document).clone()))
    }

    /// Writes, with the change, a document of a kind that the model describes and that has no life of its own.
    pub fn put_beside(&self, kind: KindId, document: Document) -> ApiResult<()> {
        self.write_beside(Write::Put(crate::write::put(kind, document, 0, self)?));
        Ok(())
    }

    /// A document with a worked-out unique key, of any kind.
    pub fn by_unique_key(&self, kind: &str, path: &str, value: &str) -> ApiResult<Option<Found>> {
        self.documents.by_unique(kind, path, value)
    }

    /// The documents of a kind that the model does not serve, by an indexed value. More may come before the
    /// commit: what must not is a precondition.
    pub fn all_beside(&self, kind: &str, path: &str, value: &str) -> ApiResult<Vec<Found>> {
        self.documents.by_index(kind, path, value)
    }

    /// All documents of a kind, for rules about the whole shop. Read once by all that share these rules; nothing keeps
    /// others from coming before a commit.
    pub fn all(&self, type_id: &str) -> ApiResult<Arc<[Arc<Document>]>> {
        self.gather((type_id.to_owned(), None), || self.documents.all(type_id))
    }

    /// The documents of a kind that hold a value at an indexed path, as [`all`](Self::all) reads them.
    pub fn all_holding(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Arc<[Arc<Document>]>> {
        let which = (type_id.to_owned(), Some((path.to_owned(), value.to_owned())));
        self.gather(which, || self.documents.by_index(type_id, path, value))
    }

    fn gather(
        &self,
        which: Gathered,
        read: impl FnOnce() -> ApiResult<Vec<Found>>,
    ) -> ApiResult<Arc<[Arc<Document>]>> {
        if let Some(known) = self.gathered.borrow().get(&which) {
            return Ok(Arc::clone(known));
        }
        let all: Arc<[Arc<Document>]> = read()?.into_iter().map(|found| found.document).collect();
        self.gathered.borrow_mut().insert(which, Arc::clone(&all));
        Ok(all)
    }

    /// Whether there may be a document of the kind with a name of the model. That there is none must still be so when
    /// the change is written.
    pub(crate) fn any_of(&self, name: &str) -> bool {
        let Some((_, kind)) = self.model.kinds().find(|(_, kind)| kind.name == name) else { return false };
        let any = self.documents.any(&kind.type_id);
        if !any {
            self.require(Precondition::CountAtMost { kind: kind.type_id.clone(), limit: 0 });
        }
        any
    }

    /// Adds a precondition of the commit.
    pub fn require(&self, precondition: Precondition) {
        let mut requirements = self.requirements.borrow_mut();
        if !requirements.contains(&precondition) {
            requirements.push(precondition);
        }
    }

    /// True where something is to be written beside the document.
    pub(crate) fn keeps_something_apart(&self) -> bool {
        !self.settings.borrow().is_empty()
            || !self.beside.borrow().is_empty()
            || !self.companions.borrow().is_empty()
    }

    /// What is to be written beside the document; leaves nothing.
    pub(crate) fn take_settings(&self) -> Vec<(String, Option<String>)> {
        std::mem::take(&mut self.settings.borrow_mut())
    }

    /// The documents that change too, with what was looked up of each; leaves none.
    pub(crate) fn take_companions(&self) -> Vec<(KindId, Found, Document)> {
        let looked_up = self.looked_up.borrow();
        let taken = std::mem::take(&mut *self.companions.borrow_mut());
        let with_found = taken.into_iter().filter_map(|(kind, after)| {
            let id = text(&after, &["id"]).unwrap_or_default().to_owned();
            let found = looked_up.get(&(kind, id)).cloned().flatten()?;
            Some((kind, found, after))
        });
        with_found.collect()
    }

    /// What is to be written beside the document, in kinds that no face shows; leaves nothing.
    pub(crate) fn take_beside(&self) -> Vec<Write> {
        std::mem::take(&mut self.beside.borrow_mut())
    }

    /// The preconditions gathered so far; leaves none.
    pub(crate) fn take_requirements(&self) -> Vec<Precondition> {
        std::mem::take(&mut self.requirements.borrow_mut())
    }
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
