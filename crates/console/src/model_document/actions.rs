//! The description of an update action, with its effect if the model has it.

use super::fields::describe_field;
use super::types::Types;
use super::{add, add_description};
use kontor_json::{Map, Value, json};
use kontor_model::{Action, Model, Verb};

/// Describes an update action.
pub(super) fn describe_action(model: &Model, action: &Action, types: &mut Types<'_>) -> Value {
    let mut shown = Map::new();
    shown.insert("name", json!(action.name));
    add_description(&mut shown, &action.doc);
    add(&mut shown, "beta", true, !action.beta);
    add(&mut shown, "deprecated", true, !action.deprecated);
    if let Some(effect) = effect(model, action) {
        shown.insert("effect", effect);
    }
    let fields = &model.object(action.arguments).fields;
    let fields: Vec<Value> = fields.iter().map(|field| describe_field(field, false, types)).collect();
    shown.insert("fields", Value::Array(fields));
    Value::Object(shown)
}

/// Describes the verb of an action; `None` for an action that Rust handles.
fn effect(model: &Model, action: &Action) -> Option<Value> {
    let (verb, path, by): (_, &[String], &[String]) = match action.verb.as_ref()? {
        Verb::Set { within } => ("set", within, &[]),
        Verb::Append { to, .. } => ("append", to, &[]),
        Verb::Remove { from, by } => ("remove", from, by),
        Verb::Arrange { list, by } => ("arrange", list, std::slice::from_ref(by)),
        Verb::CustomType { within } => ("customType", within, &[]),
        Verb::CustomField { within } => ("customField", within, &[]),
    };
    let mut shown = Map::new();
    shown.insert("verb", json!(verb));
    add(&mut shown, "path", path.join("."), path.is_empty());
    add(&mut shown, "by", json!(by), by.is_empty());
    if let Some(element) = &action.element {
        shown.insert("element", json!({"path": element.of.join("."), "by": element.by}));
    }
    let arguments = model.object(action.arguments).fields.iter();
    let to: Map = arguments
        .filter_map(|argument| Some((argument.name.clone(), json!(argument.to.as_ref()?.join(".")))))
        .collect();
    add(&mut shown, "to", Value::Object(to.clone()), to.is_empty());
    Some(Value::Object(shown))
}
