//! The description of a field: its type, limits and marks.

use super::{add, add_description};
use kontor_json::{Map, Value, json};
use kontor_model::{EnumId, Field, KindId, Model, ObjectId, ReferenceKinds, Shape, UnionId, ValueLimits};

/// The names of types that `types` and `enums` do not describe.
#[cfg(test)]
pub(super) const BUILT_IN: [&str; 20] = [
    "String",
    "Boolean",
    "Int",
    "Long",
    "Float",
    "DateTime",
    "Date",
    "Time",
    "Locale",
    "CountryCode",
    "CurrencyCode",
    "LocalizedString",
    "Json",
    "Object",
    "CustomFields",
    "CustomFieldsDraft",
    "FieldContainer",
    "Reference",
    "KeyReference",
    "ResourceIdentifier",
];

/// The types that fields name. Each is described when it is named for the first time.
pub(super) trait DescribedTypes {
    /// Returns the model.
    fn model(&self) -> &Model;
    /// Returns the name of an object.
    fn object(&mut self, id: ObjectId) -> String;
    /// Returns the name of a union.
    fn union(&mut self, id: UnionId) -> String;
    /// Returns the name of an enum.
    fn enumeration(&mut self, id: EnumId) -> String;
}

/// The type of a field, without lists and maps.
struct FieldType<'s> {
    name: String,
    /// The number of lists around it.
    lists: usize,
    is_map: bool,
    targets: Option<&'s ReferenceKinds>,
}

/// Describes a field. `is_unique`: its value is a unique key of its kind.
pub(super) fn describe_field(field: &Field, is_unique: bool, types: &mut impl DescribedTypes) -> Value {
    let ty = type_of(&field.shape, types);
    let mut shown = Map::new();
    shown.insert("name", json!(field.name));
    shown.insert("type", json!(ty.name));
    shown.insert("list", json!(ty.lists));
    shown.insert("required", json!(field.required));
    add(&mut shown, "map", true, !ty.is_map);
    add_description(&mut shown, &field.doc);
    if let Some(targets) = ty.targets {
        shown.insert("references", json!(type_ids(targets, types)));
    }
    add(&mut shown, "keyReference", true, ty.name != "KeyReference");
    let is_read_only = field.derived || field.inherited || field.generated;
    add(&mut shown, "readOnly", true, !is_read_only);
    if let Some(default) = &field.default {
        shown.insert("default", default.clone());
    }
    let limits = describe_limits(&field.limits);
    add(&mut shown, "limits", Value::Object(limits.clone()), limits.is_empty());
    if let Some(owner) = &field.custom {
        shown.insert("custom", json!(owner));
    }
    add(&mut shown, "unique", true, !is_unique);
    add(&mut shown, "indexed", true, !(field.indexed || is_unique || ty.targets.is_some()));
    add(&mut shown, "secret", true, !field.secret);
    add(&mut shown, "beta", true, !field.beta);
    add(&mut shown, "deprecated", true, !field.deprecated);
    Value::Object(shown)
}

fn type_of<'s>(shape: &'s Shape, types: &mut impl DescribedTypes) -> FieldType<'s> {
    let (name, targets) = match shape {
        Shape::List(inner) => {
            let inner = type_of(inner, types);
            return FieldType { lists: inner.lists + 1, ..inner };
        }
        Shape::Map(inner) => return FieldType { is_map: true, ..type_of(inner, types) },
        Shape::Object(id) => (types.object(*id), None),
        Shape::Union(id) => (types.union(*id), None),
        Shape::Enum(id) => (types.enumeration(*id), None),
        Shape::Reference(targets) => ("Reference".to_owned(), Some(targets)),
        Shape::KeyReference(targets) => ("KeyReference".to_owned(), Some(targets)),
        Shape::Identifier(targets) => ("ResourceIdentifier".to_owned(), Some(targets)),
        scalar => (scalar_name(scalar).to_owned(), None),
    };
    FieldType { name, lists: 0, is_map: false, targets }
}

fn scalar_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::String => "String",
        Shape::Boolean => "Boolean",
        Shape::Int => "Int",
        Shape::Long => "Long",
        Shape::Float => "Float",
        Shape::DateTime => "DateTime",
        Shape::Date => "Date",
        Shape::Time => "Time",
        Shape::Locale => "Locale",
        Shape::Country => "CountryCode",
        Shape::Currency => "CurrencyCode",
        Shape::Localized => "LocalizedString",
        Shape::AnyObject => "Object",
        Shape::CustomFields => "CustomFields",
        Shape::CustomFieldsDraft => "CustomFieldsDraft",
        Shape::FieldContainer => "FieldContainer",
        _ => "Json",
    }
}

/// Returns the types that a reference may have; none: any.
fn type_ids(targets: &ReferenceKinds, types: &impl DescribedTypes) -> Vec<String> {
    let type_id = |kind: &KindId| types.model().kind(*kind).type_id.clone();
    match targets {
        ReferenceKinds::Any => Vec::new(),
        ReferenceKinds::Kinds(kinds) => kinds.iter().map(type_id).collect(),
    }
}

fn describe_limits(limits: &ValueLimits) -> Map {
    let mut shown = Map::new();
    let numbers = [("min", limits.min), ("max", limits.max)];
    for (name, number) in numbers {
        if let Some(number) = number {
            shown.insert(name, json!(number));
        }
    }
    let counts = [
        ("minLength", limits.length_min),
        ("maxLength", limits.length_max),
        ("minItems", limits.items_min),
        ("maxItems", limits.items_max),
    ];
    for (name, count) in counts {
        if let Some(count) = count {
            shown.insert(name, json!(count));
        }
    }
    if let Some(pattern) = &limits.pattern {
        shown.insert("pattern", json!(pattern.as_str()));
    }
    shown
}
