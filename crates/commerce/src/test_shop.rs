//! A shop that stores documents in a map, for unit tests of rules.

use crate::join_behaviours;
use jiff::Timestamp;
use kontor_engine::document::{scalars_at, text, text_or_empty};
use kontor_engine::{
    AccessScope, Behaviours, Caller, Choices, Derivation, DerivationSources, DeriveOutcome, Document,
    DocumentSource, Effects, FoundDocument, IndexValue, Rules, UniqueKey, trial,
};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_model::Model;
use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

/// Parsed once: parsing takes longer than all rules together.
static JOINED: LazyLock<(Model, Behaviours)> = LazyLock::new(|| {
    let model = Model::embedded().unwrap();
    let behaviours = join_behaviours(&model).unwrap();
    (model, behaviours)
});

/// The current time in all tests of rules.
const NOW: &str = "2027-01-31T12:00:00Z";

/// The built-in model with all behaviours, a project, and documents.
pub(crate) struct TestShop {
    model: &'static Model,
    behaviours: &'static Behaviours,
    /// The settings, as rules see them.
    pub(crate) project: Document,
    documents: Vec<(String, Document)>,
    /// Outdated copies of some documents, as a cache would have them.
    cached_copies: Vec<(String, Document)>,
    choices: Choices,
}

impl TestShop {
    /// An empty shop with languages en and de.
    pub(crate) fn new() -> Self {
        let (model, behaviours) = &*JOINED;
        let project = object(json!({
            "key": "shop", "version": 1, "name": "Shop", "languages": ["en", "de"], "countries": ["DE"],
            "currencies": ["EUR"], "messages": {"enabled": true}, "carts": {}, "inventory": {}, "discounts": {},
        }));
        let (documents, cached_copies) = (Vec::new(), Vec::new());
        Self { model, behaviours, project, documents, cached_copies, choices: Choices::default() }
    }

    /// Returns the shop with a choice of its operator.
    pub(crate) fn choosing(self, choice: &str) -> Self {
        Self { choices: Choices::from_names([choice]), ..self }
    }

    /// Adds a document in its stored form, identified by its `id`.
    pub(crate) fn with_document(mut self, type_id: &str, document: Value) -> Self {
        self.put_document(type_id, object(document));
        self
    }

    /// Adds a document with an unused `id`; faster than [`Self::with`] for many documents.
    pub(crate) fn with_new(mut self, type_id: &str, document: Value) -> Self {
        self.documents.push((type_id.to_owned(), object(document)));
        self
    }

    /// Sets the version of a document in memory, for tests in which the stored one has changed.
    pub(crate) fn with_cached_copy(mut self, type_id: &str, document: Value) -> Self {
        self.cached_copies.push((type_id.to_owned(), object(document)));
        self
    }

    /// Adds a document, or replaces the one with its id.
    pub(crate) fn put_document(&mut self, type_id: &str, document: Document) {
        self.documents.retain(|(kind, other)| kind != type_id || other.get("id") != document.get("id"));
        self.documents.push((type_id.to_owned(), document));
    }

    /// Returns the document created from a draft.
    pub(crate) fn create(&self, type_id: &str, draft: Value) -> ApiResult<Document> {
        self.rules(|rules| {
            let kind = self.model.kind_by_type_id(type_id).unwrap();
            trial::create_document(kind, draft, rules, &mut Effects::default())
        })
    }

    /// Returns the document after update actions, and the names of its messages with their fields.
    pub(crate) fn update(
        &self,
        type_id: &str,
        before: &Document,
        actions: Value,
    ) -> ApiResult<(Document, Vec<(String, Value)>)> {
        self.rules(|rules| self.update_with(type_id, before, actions, rules, &mut Effects::default()))
    }

    /// Like [`Self::update`], with rules and effects that a test can inspect afterwards.
    pub(crate) fn update_with(
        &self,
        type_id: &str,
        before: &Document,
        actions: Value,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<(Document, Vec<(String, Value)>)> {
        let kind = self.model.kind_by_type_id(type_id).unwrap();
        let caller = Caller { client_id: Some("client".into()), ..Caller::default() };
        let Value::Array(actions) = actions else { panic!("actions are a list") };
        let (after, told) = trial::update_document(kind, before, actions, &caller, rules, effects)?;
        Ok((after, told.into_iter().map(|told| (told.name, Value::Object(told.fields))).collect()))
    }

    /// Returns the document after a derivation.
    pub(crate) fn derive(
        &self,
        derivation: &Derivation,
        mut dependent: Document,
    ) -> (Document, DeriveOutcome) {
        let fate = (derivation.derive)(&mut dependent, self).unwrap();
        (dependent, fate)
    }

    /// Returns the model of the shop.
    pub(crate) fn model(&self) -> &'static Model {
        self.model
    }

    /// Runs rules at a fixed time; ids are `new-1`, `new-2`, ….
    pub(crate) fn rules<T>(&self, run: impl FnOnce(&Rules<'_>) -> T) -> T {
        self.rules_within(&AccessScope::default(), run)
    }

    /// As [`Self::rules`], for a request that is limited to some documents.
    pub(crate) fn rules_within<T>(&self, access_scope: &AccessScope, run: impl FnOnce(&Rules<'_>) -> T) -> T {
        let count = Cell::new(0);
        let new_id = || {
            count.set(count.get() + 1);
            format!("new-{}", count.get())
        };
        let now = NOW.parse().unwrap();
        let rules = Rules::new(self.model, self.behaviours, &self.project, now, self, &new_id);
        run(&rules.with_scope(access_scope).with_choices(&self.choices))
    }

    fn all<'a>(&'a self, type_id: &'a str) -> impl Iterator<Item = &'a Document> {
        self.documents.iter().filter(move |(kind, _)| kind == type_id).map(|(_, document)| document)
    }

    fn holding(&self, type_id: &str, path: &str, value: &str) -> Vec<Document> {
        let behaviour = self.model.kind_by_type_id(type_id).and_then(|kind| self.behaviours.get(kind));
        let row = (path.to_owned(), IndexValue::from(value));
        let path: Vec<&str> = path.split('.').collect();
        self.all(type_id)
            .filter(|document| {
                let has_row = |rows: Vec<(String, IndexValue)>| rows.contains(&row);
                if behaviour.is_some_and(|behaviour| {
                    self.rules(|rules| behaviour.index_rows(document, rules)).is_ok_and(has_row)
                }) {
                    return true;
                }
                let mut found = Vec::new();
                let whole = Value::Object((*document).clone());
                scalars_at(&whole, &path, &mut found);
                found.contains(&&json!(value))
            })
            .cloned()
            .collect()
    }
}

impl DocumentSource for TestShop {
    fn by_id(&self, type_id: &str, id: &str) -> ApiResult<Option<FoundDocument>> {
        let is_it = |of: &&(String, Document)| of.0 == type_id && text(&of.1, &["id"]) == Some(id);
        match self.cached_copies.iter().find(is_it) {
            Some((_, seen)) => Ok(Some(found_document(seen))),
            None => self.by_id_now(type_id, id),
        }
    }

    fn by_id_now(&self, type_id: &str, id: &str) -> ApiResult<Option<FoundDocument>> {
        Ok(self.all(type_id).find(|document| text(document, &["id"]) == Some(id)).map(found_document))
    }

    fn by_unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<FoundDocument>> {
        let behaviour = self.model.kind_by_type_id(type_id).and_then(|kind| self.behaviours.get(kind));
        let key = UniqueKey::new(path, value);
        let derived = self.all(type_id).find(|document| {
            behaviour.is_some_and(|behaviour| behaviour.unique_keys(document).contains(&key))
        });
        Ok(derived.or(self.holding(type_id, path, value).first()).map(found_document))
    }

    fn all(&self, type_id: &str) -> ApiResult<Vec<FoundDocument>> {
        Ok(self.all(type_id).map(found_document).collect())
    }

    fn by_index(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Vec<FoundDocument>> {
        Ok(self.holding(type_id, path, value).iter().map(found_document).collect())
    }

    fn by_index_any(&self, type_id: &str, path: &str, values: &[&str]) -> ApiResult<Vec<FoundDocument>> {
        let mut holding: Vec<Document> = Vec::new();
        for document in values.iter().flat_map(|value| self.holding(type_id, path, value)) {
            if !holding.contains(&document) {
                holding.push(document);
            }
        }
        Ok(holding.iter().map(found_document).collect())
    }
}

impl DerivationSources for TestShop {
    fn has_key(&self, type_id: &str, key: &str) -> ApiResult<bool> {
        Ok(!self.holding(type_id, "key", key).is_empty())
    }

    fn count(&self, type_id: &str, path: &str, value: &str) -> ApiResult<u64> {
        Ok(self.holding(type_id, path, value).len() as u64)
    }

    fn model(&self) -> &Model {
        self.model
    }

    fn now(&self) -> Timestamp {
        NOW.parse().unwrap()
    }

    fn shared(
        &self,
        _name: &'static str,
        make: &mut dyn FnMut() -> ApiResult<Rc<dyn Any>>,
    ) -> ApiResult<Rc<dyn Any>> {
        make()
    }

    fn unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<Document>> {
        Ok(self.by_unique(type_id, path, value)?.map(|found| (*found.document).clone()))
    }

    fn document(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        Ok(self.by_id(type_id, id)?.map(|found| found.document))
    }

    fn visit_indexed(
        &self,
        type_id: &str,
        path: &str,
        value: &str,
        visit: &mut dyn FnMut(&Document),
    ) -> ApiResult<()> {
        self.holding(type_id, path, value).iter().for_each(visit);
        Ok(())
    }
}

fn found_document(document: &Document) -> FoundDocument {
    let id = text_or_empty(document, &["id"]).to_owned();
    FoundDocument { id, document: Arc::new(document.clone()), revision: 7, sequence: 0 }
}

/// An object written as JSON.
pub(crate) fn object(value: Value) -> Document {
    match value {
        Value::Object(document) => document,
        other => panic!("not an object: {other}"),
    }
}
