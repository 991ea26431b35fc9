//! Schemas of the model's shapes: objects, unions, enums, and fields with their limits.
//!
//! One object of the model may be in requests and responses. Both share its schema if it looks the same;
//! otherwise (references are sent by id or key, fields that the platform sets may be omitted), the schema of
//! requests is named `…Input`.

mod messages;
mod references;

use crate::scalars::{LOCALE_NAME, NON_STANDARD_CURRENCY, non_standard_currency, scalar};
use kontor_json::{Map, Value, json};
use kontor_model::{EnumId, Field, KindId, Model, ObjectId, Shape, UnionId, ValueLimits};
pub(crate) use messages::{add_discriminator, put_first};
use references::{ReferenceForm, custom_fields, pointer};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Whether a value is in a request or in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueDirection {
    Request,
    Response,
}

/// The shared schemas added so far, by name.
pub(crate) struct Schemas<'a> {
    pub(crate) model: &'a Model,
    shared: BTreeMap<String, Value>,
    /// The discriminators of an object in unions, and whether each may be absent there.
    tags: HashMap<ObjectId, Vec<(&'a str, bool)>>,
}

/// Returns a reference to a shared schema.
pub(crate) fn link(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

impl<'a> Schemas<'a> {
    pub(crate) fn new(model: &'a Model) -> Self {
        let mut tags: HashMap<ObjectId, Vec<(&str, bool)>> = HashMap::new();
        for (_, union) in model.unions() {
            for (tag, member) in &union.members {
                let may_be_absent = union.default.as_ref() == Some(tag);
                let known = tags.entry(*member).or_default();
                if !known.iter().any(|(by, _)| *by == union.by) {
                    known.push((&union.by, may_be_absent));
                }
            }
        }
        Self { model, shared: BTreeMap::new(), tags }
    }

    /// Returns all schemas, sorted by name.
    pub(crate) fn finish(self) -> Value {
        Value::Object(self.shared.into_iter().collect())
    }

    /// Returns a reference to the schema of a name, and adds it by `make` if it does not exist. Schemas may refer to
    /// each other in circles.
    pub(crate) fn share(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Value) -> Value {
        if !self.shared.contains_key(name) {
            self.shared.insert(name.to_owned(), Value::Null);
            let schema = make(self);
            self.shared.insert(name.to_owned(), schema);
        }
        link(name)
    }

    /// Returns the schema of a kind's documents in responses.
    pub(crate) fn document(&mut self, kind: KindId) -> Value {
        let kind = self.model.kind(kind);
        if kind.type_id == messages::MESSAGE {
            return messages::message_union(self, kind);
        }
        self.object(kind.object, ValueDirection::Response)
    }

    /// Returns the schema of an object of the model.
    pub(crate) fn object(&mut self, id: ObjectId, way: ValueDirection) -> Value {
        let object = self.model.object(id);
        let name = self.name(&object.name, way, |schemas| schemas.differs(id, &mut BTreeSet::new()));
        let way = if object.is_input { ValueDirection::Request } else { way };
        let is_closed = object.is_input || name != object.name;
        self.share(&name, |schemas| {
            let mut schema = schemas.fields(&object.fields, way);
            if let Some(tag) = &object.tag {
                schemas.tag(id, tag, &mut schema);
            }
            finish_object(&mut schema, &object.doc, is_closed);
            Value::Object(schema)
        })
    }

    /// Returns `type`, `required` and `properties` for some fields.
    pub(crate) fn fields(&mut self, fields: &[Field], way: ValueDirection) -> Map {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in fields {
            let may_be_absent = way == ValueDirection::Request
                && (field.default.is_some() || field.generated || field.derived);
            if field.required && !may_be_absent {
                required.push(field.name.clone());
            }
            properties.insert(field.name.clone(), self.field(field, way));
        }
        let mut schema = Map::new();
        schema.insert("type", json!("object"));
        if !required.is_empty() {
            schema.insert("required", json!(required));
        }
        schema.insert("properties", Value::Object(properties));
        schema
    }

    fn field(&mut self, field: &Field, way: ValueDirection) -> Value {
        let mut schema = self.shape(&field.shape, &field.limits, way);
        let mut say = |name: &str, value: Value| schema[name] = value;
        if !field.doc.is_empty() {
            say("description", json!(field.doc));
        }
        if let (Some(default), ValueDirection::Request) = (&field.default, way) {
            say("default", default.clone());
        }
        if field.derived || field.inherited {
            say("readOnly", json!(true));
        }
        if field.deprecated {
            say("deprecated", json!(true));
        }
        if field.beta {
            say("x-beta", json!(true));
        }
        schema
    }

    /// Adds the discriminator of an object.
    fn tag(&self, id: ObjectId, tag: &str, schema: &mut Map) {
        for (by, may_be_absent) in self.tags.get(&id).into_iter().flatten() {
            schema["properties"][by] = json!({"type": "string", "const": tag});
            if *may_be_absent {
                continue;
            }
            let required = schema.entry("required").or_insert_with(|| json!([]));
            if let Value::Array(names) = required
                && !names.iter().any(|name| name == by)
            {
                names.push(json!(by));
            }
        }
    }

    fn shape(&mut self, shape: &Shape, limits: &ValueLimits, way: ValueDirection) -> Value {
        match shape {
            Shape::List(inner) => {
                let mut schema = json!({"type": "array", "items": self.shape(inner, limits, way)});
                if let Some(min) = limits.items_min {
                    schema["minItems"] = json!(min);
                }
                if let Some(max) = limits.items_max {
                    schema["maxItems"] = json!(max);
                }
                schema
            }
            Shape::Map(inner) => {
                let mut schema =
                    json!({"type": "object", "additionalProperties": self.shape(inner, limits, way)});
                if limits.named_by_locale {
                    schema["propertyNames"] = json!({"pattern": LOCALE_NAME});
                }
                schema
            }
            Shape::Object(id) => self.object(*id, way),
            Shape::Union(id) => self.union(*id, way),
            Shape::Enum(id) => self.enumeration(*id),
            Shape::Reference(targets) | Shape::KeyReference(targets) | Shape::Identifier(targets)
                if way == ValueDirection::Request =>
            {
                pointer(self, targets, ReferenceForm::Identifier)
            }
            Shape::Reference(targets) => pointer(self, targets, ReferenceForm::Reference),
            Shape::KeyReference(targets) => pointer(self, targets, ReferenceForm::KeyReference),
            Shape::Identifier(targets) => pointer(self, targets, ReferenceForm::Identifier),
            Shape::CustomFields => custom_fields(self, way == ValueDirection::Request),
            Shape::CustomFieldsDraft => custom_fields(self, true),
            Shape::Currency => {
                self.share(NON_STANDARD_CURRENCY, |_| non_standard_currency());
                self.scalar(shape, limits)
            }
            other => self.scalar(other, limits),
        }
    }

    fn scalar(&mut self, shape: &Shape, limits: &ValueLimits) -> Value {
        match scalar(shape, limits) {
            Some((Some(name), schema)) => self.share(name, |_| schema),
            Some((None, schema)) => schema,
            // Every shape is either in `shape` or a scalar; for any other, an empty schema is correct.
            None => json!({}),
        }
    }

    /// Returns the response schema of a shape.
    pub(crate) fn response_shape(&mut self, shape: &Shape) -> Value {
        self.shape(shape, &ValueLimits::default(), ValueDirection::Response)
    }

    /// Returns the response schema of an object, a union or an enum that the model declares by this name.
    pub(crate) fn declared(&mut self, name: &str) -> Option<Value> {
        if let Some(id) = self.model.object_by_name(name) {
            return Some(self.object(id, ValueDirection::Response));
        }
        let mut unions = self.model.unions();
        if let Some((id, _)) = unions.find(|(_, union)| union.name == name) {
            return Some(self.union(id, ValueDirection::Response));
        }
        let (id, _) = self.model.enums().find(|(_, values)| values.name == name)?;
        Some(self.enumeration(id))
    }

    /// Returns the request schema of a shape within limits.
    pub(crate) fn request_shape(&mut self, shape: &Shape, limits: &ValueLimits) -> Value {
        self.shape(shape, limits, ValueDirection::Request)
    }

    /// Adds the schema of a shared scalar if it does not exist.
    pub(crate) fn share_scalar(&mut self, shape: &Shape) {
        self.shape(shape, &ValueLimits::default(), ValueDirection::Response);
    }

    fn union(&mut self, id: UnionId, way: ValueDirection) -> Value {
        let union = self.model.union(id);
        let name = self.name(&union.name, way, |schemas| {
            union.members.iter().any(|(_, member)| schemas.differs(*member, &mut BTreeSet::new()))
        });
        self.share(&name, |schemas| {
            let mut links = Vec::new();
            let mut mapping = Map::new();
            for (tag, member) in &union.members {
                let link = schemas.object(*member, way);
                mapping.insert(tag.clone(), link["$ref"].clone());
                links.push(link);
            }
            let mut schema = Map::new();
            if !union.doc.is_empty() {
                schema.insert("description", json!(union.doc));
            }
            schema.insert("oneOf", Value::Array(links));
            // A discriminator must always be present, so a union with a default member has none.
            if union.default.is_none() {
                let discriminator = json!({"propertyName": union.by, "mapping": mapping});
                schema.insert("discriminator", discriminator);
            }
            Value::Object(schema)
        })
    }

    fn enumeration(&mut self, id: EnumId) -> Value {
        let values = self.model.enumeration(id);
        self.share(&values.name, |_| {
            let mut schema = Map::new();
            schema.insert("type", json!("string"));
            if !values.doc.is_empty() {
                schema.insert("description", json!(values.doc));
            }
            let texts: Vec<_> = values.values.iter().map(|constant| constant.value.as_str()).collect();
            schema.insert("enum", json!(texts));
            let docs: Map = values
                .values
                .iter()
                .filter(|constant| !constant.doc.is_empty())
                .map(|constant| (constant.value.clone(), json!(constant.doc)))
                .collect();
            if !docs.is_empty() {
                schema.insert("x-enumDescriptions", Value::Object(docs));
            }
            Value::Object(schema)
        })
    }

    fn name(&self, name: &str, way: ValueDirection, differs: impl FnOnce(&Self) -> bool) -> String {
        if way == ValueDirection::Request && differs(self) { format!("{name}Input") } else { name.to_owned() }
    }

    /// Returns whether the request schema of an object differs from its response schema. Objects in progress
    /// count as equal: a difference on a cycle shows elsewhere on it.
    fn differs(&self, id: ObjectId, seen: &mut BTreeSet<ObjectId>) -> bool {
        let object = self.model.object(id);
        if object.is_input || !seen.insert(id) {
            return false;
        }
        object.fields.iter().any(|field| {
            let is_filled_in = field.default.is_some() || field.generated || field.derived;
            is_filled_in || self.shape_differs(&field.shape, seen)
        })
    }

    fn shape_differs(&self, shape: &Shape, seen: &mut BTreeSet<ObjectId>) -> bool {
        match shape {
            Shape::List(inner) | Shape::Map(inner) => self.shape_differs(inner, seen),
            Shape::Reference(_) | Shape::KeyReference(_) | Shape::CustomFields => true,
            Shape::Object(id) => self.differs(*id, seen),
            Shape::Union(id) => {
                self.model.union(*id).members.iter().any(|(_, member)| self.differs(*member, seen))
            }
            _ => false,
        }
    }
}

/// Adds the parts of an object's schema apart from its fields.
pub(crate) fn finish_object(schema: &mut Map, doc: &str, is_closed: bool) {
    if !doc.is_empty() {
        schema.insert("description", json!(doc));
    }
    if is_closed {
        schema.insert("additionalProperties", json!(false));
    }
}
