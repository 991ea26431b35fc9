//! Plans the prefetch of a change: documents that its rules will read, as far as known before they run, are
//! read in one batch. On a storage across a network that is one round trip instead of one for each. Start at
//! [`PrefetchPlan`].
//!
//! Most of them are named by identifiers and references in the request, whose places the model knows;
//! behaviours add others. Correctness does not depend on it: other documents are read when a rule requests
//! them.

use crate::document::{Document, text};
use indexmap::IndexSet;
use kontor_json::Value;
use kontor_model::{KindId, Model, ObjectId, Shape};
use kontor_storage::BatchKey;

/// Maximum number of prefetched documents per change; bounds the memory, since a value of free JSON may contain any
/// number of references that no rule reads.
const READ_AHEAD_MAX: usize = 1_000;

/// The name of a document: its kind, and its id or a unique key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PrefetchKey {
    pub(crate) type_id: String,
    /// The path of a unique key; `None` for the id.
    pub(crate) path: Option<String>,
    pub(crate) value: String,
}

impl PrefetchKey {
    pub(crate) fn key(&self) -> BatchKey<'_> {
        let Self { type_id: kind, path, value } = self;
        match path {
            None => BatchKey::Id { kind, id: value },
            Some(path) => BatchKey::Unique { kind, path, value },
        }
    }
}

/// The documents to prefetch.
pub struct PrefetchPlan<'m> {
    model: &'m Model,
    pub(crate) names: IndexSet<PrefetchKey>,
}

impl<'m> PrefetchPlan<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self { model, names: IndexSet::new() }
    }

    /// Adds the document of a kind with an id, also of a hidden kind.
    pub fn id(&mut self, type_id: &str, id: &str) {
        self.add(type_id, None, id);
    }

    /// Adds the document of a kind with a unique key.
    pub fn add_unique(&mut self, type_id: &str, path: &str, value: &str) {
        self.add(type_id, Some(path), value);
    }

    fn add(&mut self, type_id: &str, path: Option<&str>, value: &str) {
        if self.names.len() < READ_AHEAD_MAX {
            let (type_id, path) = (type_id.to_owned(), path.map(str::to_owned));
            self.names.insert(PrefetchKey { type_id, path, value: value.to_owned() });
        }
    }

    /// Adds all documents that a validated object names, i.e. a draft or the arguments of an action.
    pub(crate) fn add_named_in(&mut self, object: ObjectId, given: &Document) {
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
                self.add_identifier(identifier, implied);
            }
            (Shape::CustomFieldsDraft, Value::Object(custom)) => {
                if let Some(Value::Object(identifier)) = custom.get("type") {
                    self.add_identifier(identifier, None);
                }
                if let Some(fields) = custom.get("fields") {
                    self.in_value(&Shape::FieldContainer, fields);
                }
            }
            (Shape::FieldContainer, Value::Object(fields)) => {
                fields.values().for_each(|value| self.add_free_value(value))
            }
            (Shape::Json, value) => self.add_free_value(value),
            (Shape::Object(object), Value::Object(given)) => self.add_named_in(*object, given),
            (Shape::Union(union), Value::Object(given)) => {
                let union = self.model.union(*union);
                let tag = text(given, &[&union.by]).or(union.default.as_deref());
                if let Some(member) = tag.and_then(|tag| union.member(tag)) {
                    self.add_named_in(member, given);
                }
            }
            _ => {}
        }
    }

    /// Adds the documents in a value whose shape is data of the project, e.g. of an Attribute: it may be a reference,
    /// or a list of references.
    fn add_free_value(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| {
                if let Value::Object(item) = item {
                    self.add_identifier(item, None);
                }
            }),
            Value::Object(value) => self.add_identifier(value, None),
            _ => {}
        }
    }

    /// Adds the document of `{typeId, id}` or `{typeId, key}`.
    fn add_identifier(&mut self, identifier: &Document, implied: Option<&str>) {
        let Some(type_id) = text(identifier, &["typeId"]).or(implied) else { return };
        let is_served = |kind: KindId| self.model.kind(kind).is_served;
        if !self.model.kind_by_type_id(type_id).is_some_and(is_served) {
            return;
        }
        match (text(identifier, &["id"]), text(identifier, &["key"])) {
            (Some(id), _) => self.id(type_id, id),
            (None, Some(key)) => self.add_unique(type_id, "key", key),
            (None, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;
    use kontor_model::ModelFile;

    const PROJECT: &str = include_str!("../tests/project/project.graphql");
    const MODEL: &str = r#"
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

    /// Returns the prefetched documents of a draft: `id a` and `key b`.
    fn prefetched_names(draft: Value) -> Vec<String> {
        let model = Model::read(&[
            ModelFile { name: "project".into(), text: PROJECT },
            ModelFile { name: "kinds".into(), text: MODEL },
        ])
        .unwrap();
        let mut wanted = PrefetchPlan::new(&model);
        let node = model.kind(model.kind_by_path("nodes").unwrap());
        let Value::Object(draft) = draft else { panic!("a draft is an object") };
        wanted.add_named_in(node.draft.unwrap(), &draft);
        assert!(wanted.names.iter().all(|name| name.type_id == "node"));
        let named = |name: &PrefetchKey| format!("{} {}", name.path.as_deref().unwrap_or("id"), name.value);
        wanted.names.iter().map(named).collect()
    }

    #[test]
    fn prefetches_each_named_document_once() {
        let draft = json!({"key": "own", "parent": {"typeId": "node", "id": "a"}, "branches": [
            {"node": {"key": "b"}}, {"node": {"typeId": "node", "key": "b"}}, {"node": {"id": "a"}}, {"node": null},
        ]});
        assert_eq!(prefetched_names(draft), ["id a", "key b"], "the draft's own key names no other document");
    }

    #[test]
    fn prefetches_references_in_free_values() {
        let draft = json!({"branches": [
            {"value": {"typeId": "node", "id": "a"}},
            {"value": [{"typeId": "node", "id": "b"}, {"typeId": "cart", "id": "c"}, {"id": "d"}, "e", 7]},
            {"value": {"deep": {"typeId": "node", "id": "f"}}},
        ]});
        assert_eq!(
            prefetched_names(draft),
            ["id a", "id b"],
            "of kinds that are there, and not at any depth"
        );
    }

    #[test]
    fn limits_the_prefetched_documents() {
        let many: Vec<Value> =
            (0..2 * READ_AHEAD_MAX).map(|id| json!({"typeId": "node", "id": id.to_string()})).collect();
        assert_eq!(prefetched_names(json!({"branches": [{"value": many}]})).len(), READ_AHEAD_MAX);
    }
}
