//! The types that kinds and actions use: objects, unions and enums, each described once.

use super::add_description;
use super::fields::{DescribedTypes, describe_field};
use kontor_json::{Map, Value, json};
use kontor_model::{EnumId, Model, ObjectId, UnionId};
use std::collections::{BTreeMap, HashSet};

/// The types described so far, by name.
pub(super) struct Types<'m> {
    model: &'m Model,
    types: BTreeMap<String, Value>,
    enums: BTreeMap<String, Value>,
    /// The unique fields of the documents of kinds.
    unique: HashSet<(ObjectId, &'m str)>,
}

impl<'m> Types<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let unique = model
            .kinds()
            .flat_map(|(_, kind)| kind.unique.iter().map(move |unique| (kind.object, unique.field.as_str())));
        Types { model, types: BTreeMap::new(), enums: BTreeMap::new(), unique: unique.collect() }
    }

    /// Returns all types and all enums.
    pub(super) fn finish(self) -> (Value, Value) {
        let object = |all: BTreeMap<String, Value>| Value::Object(all.into_iter().collect());
        (object(self.types), object(self.enums))
    }

    /// Returns whether a type is not described yet, and marks it: types may refer to each other in circles.
    fn add_placeholder(&mut self, name: &str) -> bool {
        let is_new = !self.types.contains_key(name);
        if is_new {
            self.types.insert(name.to_owned(), Value::Null);
        }
        is_new
    }
}

impl DescribedTypes for Types<'_> {
    fn model(&self) -> &Model {
        self.model
    }

    fn object(&mut self, id: ObjectId) -> String {
        let object = self.model.object(id);
        if self.add_placeholder(&object.name) {
            let mut shown = Map::new();
            add_description(&mut shown, &object.doc);
            let mut fields = Vec::new();
            for field in &object.fields {
                let is_unique = self.unique.contains(&(id, field.name.as_str()));
                fields.push(describe_field(field, is_unique, self));
            }
            shown.insert("fields", Value::Array(fields));
            self.types.insert(object.name.clone(), Value::Object(shown));
        }
        object.name.clone()
    }

    fn union(&mut self, id: UnionId) -> String {
        let union = self.model.union(id);
        if self.add_placeholder(&union.name) {
            let options: Map = union
                .members
                .iter()
                .map(|(tag, member)| (tag.clone(), json!(self.object(*member))))
                .collect();
            let mut shown = Map::new();
            add_description(&mut shown, &union.doc);
            shown.insert("discriminator", json!(union.by));
            shown.insert("options", Value::Object(options));
            if let Some(default) = &union.default {
                shown.insert("default", json!(default));
            }
            self.types.insert(union.name.clone(), Value::Object(shown));
        }
        union.name.clone()
    }

    fn enumeration(&mut self, id: EnumId) -> String {
        let listed = self.model.enumeration(id);
        if !self.enums.contains_key(&listed.name) {
            let values: Vec<&str> = listed.values.iter().map(|constant| constant.value.as_str()).collect();
            self.enums.insert(listed.name.clone(), json!(values));
        }
        listed.name.clone()
    }
}
