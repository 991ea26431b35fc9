//! The description of a kind: its paths, scopes, operations, naming fields and update actions.

use super::actions::describe_action;
use super::fields::DescribedTypes as _;
use super::types::Types;
use super::{add, add_description};
use kontor_json::{Map, Value, json};
use kontor_model::{Addressing, Kind, KindId, Model, Object, Operation, OperationKind, PathPrefix, Shape};

/// Names of fields that name a document for people, the best first. Fields that are unique keys follow.
const NAMING: [&str; 6] = ["name", "email", "sku", "code", "slug", "key"];
/// How deep below the root the first of them may be.
const NAMING_DEPTH_MAX: usize = 2;

/// Describes a kind, and adds the types that it uses.
pub(super) fn describe(model: &Model, id: KindId, types: &mut Types<'_>) -> Value {
    let kind = model.kind(id);
    let operations = operations(model, id);
    let is_singleton = kind.addressing == Addressing::Singleton;
    let mut shown = Map::new();
    shown.insert("name", json!(kind.name));
    shown.insert("typeId", json!(kind.type_id));
    shown.insert("path", json!(kind.path));
    add_description(&mut shown, &kind.doc);
    shown.insert("view", json!(kind.view_scopes));
    shown.insert("manage", json!(kind.manage_scopes));
    shown.insert("keyed", json!(kind.addressing == Addressing::Id { by_key: true }));
    add(&mut shown, "keyField", kind.key_field.as_str(), kind.key_field == "key");
    if let Addressing::Fields(fields) = &kind.addressing {
        shown.insert("address", json!(fields));
    }
    shown.insert("inStore", json!(kind.in_store.is_some()));
    shown.insert("singleton", json!(is_singleton));
    if let Some(service) = &kind.service {
        shown.insert("service", json!(service));
    }
    add(&mut shown, "hidden", true, is_singleton || operations.contains(&"query"));
    shown.insert("operations", json!(operations));
    shown.insert("type", json!(types.object(kind.object)));
    if let Some(draft) = kind.draft {
        shown.insert("draft", json!(types.object(draft)));
    }
    let search = kind.search.as_ref().map(
        |search| json!({"path": format!("{}/search", kind.path), "kind": search.name, "hits": search.hits}),
    );
    shown.insert("search", search.unwrap_or_default());
    shown.insert("display", json!(naming_fields(model, kind)));
    let actions: Vec<Value> =
        kind.actions.iter().map(|action| describe_action(model, action, types)).collect();
    shown.insert("actions", Value::Array(actions));
    Value::Object(shown)
}

/// Returns the operations at the paths of the project.
fn operations(model: &Model, id: KindId) -> Vec<&'static str> {
    let is_served = |operation: Operation| {
        model.operations().iter().any(|served| {
            served.kind == Some(id)
                && served.side == PathPrefix::Project
                && served.operation_kind == OperationKind::Documents(operation)
        })
    };
    let names = [
        (Operation::Query, "query"),
        (Operation::Get, "get"),
        (Operation::Create, "create"),
        (Operation::Update, "update"),
        (Operation::Delete, "delete"),
    ];
    names.into_iter().filter(|(operation, _)| is_served(*operation)).map(|(_, name)| name).collect()
}

/// Returns the paths of the fields that name a document for people.
fn naming_fields(model: &Model, kind: &Kind) -> Vec<String> {
    let root = model.object(kind.object);
    let mut paths = Vec::new();
    if let Some(path) = path_to(model, root, NAMING[0], NAMING_DEPTH_MAX) {
        paths.push(path);
    }
    let others = std::iter::once(kind.key_field.as_str()).filter(|field| *field != "key");
    for name in others.chain(NAMING.into_iter().skip(1)) {
        let is_text = |field: &kontor_model::Field| matches!(field.shape, Shape::String | Shape::Localized);
        if root.field(name).is_some_and(is_text) {
            paths.push(name.to_owned());
        }
    }
    paths
}

/// Returns the path to the text with a name: a field of the object, otherwise of an object that it always has.
fn path_to(model: &Model, object: &Object, name: &str, depth: usize) -> Option<String> {
    if let Some(field) = object.field(name)
        && matches!(field.shape, Shape::String | Shape::Localized)
    {
        return Some(name.to_owned());
    }
    let inner = object.fields.iter().filter(|field| field.required && depth > 0);
    inner
        .filter_map(|field| match field.shape {
            Shape::Object(inside) => {
                let path = path_to(model, model.object(inside), name, depth - 1)?;
                Some(format!("{}.{path}", field.name))
            }
            _ => None,
        })
        .next()
}
