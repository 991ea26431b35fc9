//! Reading ahead: the documents that the rules of a change will ask for, as far as that can be seen before they run, are
//! read in one batch. On a storage across a network that is one round trip in the place of one for each.
//!
//! Most of them are named by identifiers and references in what was sent, whose places the model knows; behaviours add
//! what else they can tell. Nothing depends on it: what was not read ahead is read when a rule asks for it.

use crate::bounds::Bounds;
use crate::document::{Document, text};
use crate::failure::storage_failure;
use crate::read::Address;
use crate::rules::Found;
use crate::shop::Shop;
use indexmap::IndexSet;
use kontor_errors::{ApiError, ApiResult};
use kontor_model::{KindId, Model, ObjectId, Shape};
use kontor_storage::{BatchKey, Stored};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Most documents that are read ahead for one change, as a bound on memory: a value of free JSON may hold any number of
/// references, and no rule may ask for them.
const READ_AHEAD_MAX: usize = 1_000;

/// Names a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Name {
    type_id: String,
    /// The path of a unique key; `None`: by id.
    path: Option<String>,
    value: String,
}

impl Name {
    fn key(&self) -> BatchKey<'_> {
        let Self { type_id: kind, path, value } = self;
        match path {
            None => BatchKey::Id { kind, id: value },
            Some(path) => BatchKey::Unique { kind, path, value },
        }
    }
}

/// What is to be read ahead.
pub struct ReadAhead<'m> {
    model: &'m Model,
    names: IndexSet<Name>,
}

impl<'m> ReadAhead<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self { model, names: IndexSet::new() }
    }

    /// The document of a kind with an id; also of a hidden kind, which no face shows.
    pub fn id(&mut self, type_id: &str, id: &str) {
        self.add(type_id, None, id);
    }

    /// The document of a kind that holds a unique key.
    pub fn unique(&mut self, type_id: &str, path: &str, value: &str) {
        self.add(type_id, Some(path), value);
    }

    fn add(&mut self, type_id: &str, path: Option<&str>, value: &str) {
        if self.names.len() < READ_AHEAD_MAX {
            let (type_id, path) = (type_id.to_owned(), path.map(str::to_owned));
            self.names.insert(Name { type_id, path, value: value.to_owned() });
        }
    }

    /// Everything that a checked object names: a draft, or the arguments of an action.
    pub(crate) fn named_in(&mut self, object: ObjectId, given: &Document) {
        let object = self.model.object(object);
        for (name, value) in given {
            if let Some(field) = object.field(name) {
                self.in_value(&field.shape, value);
            }
        }
    }

    fn in_value(&mut self, shape: &Shape, value: &Value) {
        match (shape, value) {
            (Shape::List(inner), Value::Array(items)) => {
                items.iter().for_each(|item| self.in_value(inner, item));
            }
            (Shape::Map(inner), Value::Object(entries)) => {
                entries.values().for_each(|entry| self.in_value(inner, entry));
            }
            (Shape::Identifier(targets) | Shape::Reference(targets), Value::Object(identifier)) => {
                let implied = targets.single().map(|kind| self.model.kind(kind).type_id.as_str());
                self.identifier(identifier, implied);
            }
            (Shape::CustomFieldsDraft, Value::Object(custom)) => {
                if let Some(Value::Object(identifier)) = custom.get("type") {
                    self.identifier(identifier, None);
                }
                if let Some(fields) = custom.get("fields") {
                    self.in_value(&Shape::FieldContainer, fields);
                }
            }
            (Shape::FieldContainer, Value::Object(fields)) => {
                fields.values().for_each(|value| self.free(value))
            }
            (Shape::Json, value) => self.free(value),
            (Shape::Object(object), Value::Object(given)) => self.named_in(*object, given),
            (Shape::Union(union), Value::Object(given)) => {
                let union = self.model.union(*union);
                let tag = text(given, &[&union.by]).or(union.default.as_deref());
                if let Some(member) = tag.and_then(|tag| union.member(tag)) {
                    self.named_in(member, given);
                }
            }
            _ => {}
        }
    }

    /// A value whose shape a document says, such as that of an Attribute: it may be a reference, or a list of such.
    fn free(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| {
                if let Value::Object(item) = item {
                    self.identifier(item, None);
                }
            }),
            Value::Object(value) => self.identifier(value, None),
            _ => {}
        }
    }

    /// `{typeId, id}` or `{typeId, key}`.
    fn identifier(&mut self, identifier: &Document, implied: Option<&str>) {
        let Some(type_id) = text(identifier, &["typeId"]).or(implied) else { return };
        let is_served = |kind: KindId| self.model.kind(kind).is_served;
        if !self.model.kind_by_type_id(type_id).is_some_and(is_served) {
            return;
        }
        match (text(identifier, &["id"]), text(identifier, &["key"])) {
            (Some(id), _) => self.id(type_id, id),
            (None, Some(key)) => self.unique(type_id, "key", key),
            (None, None) => {}
        }
    }
}

/// What was read ahead, for one attempt of a change.
#[derive(Default)]
pub(crate) struct Ahead {
    documents: HashMap<Name, Read>,
}

struct Read {
    stored: Option<Stored>,
    /// The same, parsed when a rule first asks for it.
    found: OnceCell<Option<Found>>,
}

impl Ahead {
    /// The document that is named so; `None` where it was not read ahead, `Some(None)` where there is no such document.
    pub(crate) fn get(
        &self,
        type_id: &str,
        path: Option<&str>,
        value: &str,
    ) -> ApiResult<Option<Option<Found>>> {
        if self.documents.is_empty() {
            return Ok(None);
        }
        let (type_id, path) = (type_id.to_owned(), path.map(str::to_owned));
        let Some(read) = self.documents.get(&Name { type_id, path, value: value.to_owned() }) else {
            return Ok(None);
        };
        if let Some(found) = read.found.get() {
            return Ok(Some(found.clone()));
        }
        let found = read.stored.as_ref().map(Found::read).transpose()?;
        Ok(Some(read.found.get_or_init(|| found).clone()))
    }
}

impl Shop {
    /// Reads ahead.
    pub(crate) fn read_ahead(&self, wanted: ReadAhead<'_>) -> ApiResult<Ahead> {
        Ok(self.read_with(None, wanted)?.1)
    }

    /// As [`must_get_to_change`](Self::must_get_to_change), in one batch with what is read ahead.
    pub(crate) fn must_get_to_change_and(
        &self,
        kind: KindId,
        address: &Address<'_>,
        bounds: &Bounds,
        wanted: ReadAhead<'_>,
    ) -> ApiResult<(Stored, Ahead)> {
        if bounds.associate.is_some() || wanted.names.is_empty() {
            // Associates are told about documents of other units, which takes a read of its own.
            return Ok((self.must_get_to_change(kind, address, bounds)?, self.read_ahead(wanted)?));
        }
        let type_id = &self.model.kind(self.model.stored(kind)).type_id;
        let name = self.stored_at(kind, address).map(|(path, value)| Name {
            type_id: type_id.clone(),
            path: path.map(str::to_owned),
            value: value.into_owned(),
        });
        let (stored, ahead) = self.read_with(name, wanted)?;
        match self.admitted(kind, stored, bounds)? {
            Some(stored) => Ok((stored, ahead)),
            None => Err(ApiError::resource_not_found(&address.describe())),
        }
    }

    /// Reads one document, and what is read ahead.
    fn read_with(&self, one: Option<Name>, wanted: ReadAhead<'_>) -> ApiResult<(Option<Stored>, Ahead)> {
        if one.is_none() && wanted.names.is_empty() {
            return Ok((None, Ahead::default()));
        }
        let keys: Vec<_> = one.iter().chain(&wanted.names).map(Name::key).collect();
        let mut read = self.storage.get_batch(&keys).map_err(storage_failure)?.into_iter();
        let stored = if one.is_some() { read.next().flatten() } else { None };
        let documents = wanted.names.into_iter().zip(read);
        let documents = documents.map(|(name, stored)| (name, Read { stored, found: OnceCell::new() }));
        Ok((stored, Ahead { documents: documents.collect() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_model::Source;
    use serde_json::json;

    const MODEL: &str = r#"
scalar String scalar Long scalar DateTime scalar Json
interface Resource { id: String! version: Long! createdAt: DateTime! lastModifiedAt: DateTime! }
type Project @resource(path: "", typeId: "project", operations: [GET, UPDATE], singleton: true, inherits: ["version", "createdAt"]) {
  key: String! @derived
  name: String!
}
type Branch { node: Node value: Json }
input BranchDraft { node: NodeResourceIdentifier value: Json }
type Node @resource(path: "nodes", typeId: "node") {
  key: String @unique
  parent: Node
  branches: [Branch!]
}
input NodeDraft { key: String parent: NodeResourceIdentifier branches: [BranchDraft!] }
type NodeActions @actions(of: "Node") {
  setParent(parent: NodeResourceIdentifier): Node @set
}
"#;

    /// What is read ahead of a draft: `id a` and `key b`.
    fn wanted(draft: Value) -> Vec<String> {
        let model = Model::read(&[Source { name: "model".into(), text: MODEL }]).unwrap();
        let mut wanted = ReadAhead::new(&model);
        let node = model.kind(model.kind_by_path("nodes").unwrap());
        let Value::Object(draft) = draft else { panic!("a draft is an object") };
        wanted.named_in(node.draft.unwrap(), &draft);
        assert!(wanted.names.iter().all(|name| name.type_id == "node"));
        let named = |name: &Name| format!("{} {}", name.path.as_deref().unwrap_or("id"), name.value);
        wanted.names.iter().map(named).collect()
    }

    #[test]
    fn what_a_draft_names_is_read_once() {
        let draft = json!({"key": "own", "parent": {"typeId": "node", "id": "a"}, "branches": [
            {"node": {"key": "b"}}, {"node": {"typeId": "node", "key": "b"}}, {"node": {"id": "a"}}, {"node": null},
        ]});
        assert_eq!(wanted(draft), ["id a", "key b"], "the key of the draft itself names nobody else");
    }

    #[test]
    fn free_values_may_be_references() {
        let draft = json!({"branches": [
            {"value": {"typeId": "node", "id": "a"}},
            {"value": [{"typeId": "node", "id": "b"}, {"typeId": "cart", "id": "c"}, {"id": "d"}, "e", 7]},
            {"value": {"deep": {"typeId": "node", "id": "f"}}},
        ]});
        assert_eq!(wanted(draft), ["id a", "id b"], "of kinds that are there, and not at any depth");
    }

    #[test]
    fn what_is_read_ahead_has_a_bound() {
        let many: Vec<Value> =
            (0..2 * READ_AHEAD_MAX).map(|id| json!({"typeId": "node", "id": id.to_string()})).collect();
        assert_eq!(wanted(json!({"branches": [{"value": many}]})).len(), READ_AHEAD_MAX);
    }
}
