//! Parses update actions of a request and validates them against the model.

use crate::caller::Caller;
use crate::document::Document;
use crate::failed_action::add_failed_action;
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::Value;
use kontor_model::limits::ACTIONS_MAX;
use kontor_model::{Action, KindId, Model, ObjectId, Shape, Verb};

pub(crate) fn parse_actions(
    given: Vec<Value>,
    kind: KindId,
    caller: &Caller,
    model: &Model,
) -> ApiResult<Vec<(String, Document)>> {
    if given.len() > ACTIONS_MAX {
        return Err(ApiError::invalid_input(format!(
            "actions: at most {ACTIONS_MAX} update actions are allowed in one request, found {}.",
            given.len()
        )));
    }
    given
        .into_iter()
        .enumerate()
        .map(|(index, action)| parse_action(action, index, kind, caller, model))
        .collect()
}

/// Next to the fields of a Type, an empty identifier (`"type": {}`) counts as absent: the Type is removed.
fn leave_out_no_type(given: &mut Value, arguments: ObjectId, model: &Model) {
    let fields = &model.object(arguments).fields;
    if !fields.iter().any(|field| field.shape == Shape::FieldContainer) {
        return;
    }
    let Some(given) = given.as_object_mut() else { return };
    for field in fields.iter().filter(|field| matches!(field.shape, Shape::Identifier(_))) {
        let names_none = |identifier: &Document| {
            identifier.iter().all(|(name, value)| name == "typeId" || value.is_null())
        };
        if given.get(&field.name).and_then(Value::as_object).is_some_and(names_none) {
            given.shift_remove(&field.name);
        }
    }
}

/// Removes empty texts from the arguments of a `set` action, for fields that may be absent but not empty: the action
/// then removes the field. Not for actions that refuse empty values.
fn leave_out_empty_texts(given: &mut Value, action: &Action, model: &Model) {
    if action.refuses_empty {
        return;
    }
    let (Some(Verb::Set { .. }), Some(given)) = (&action.verb, given.as_object_mut()) else { return };
    let optional = model.object(action.arguments).fields.iter().filter(|field| !field.required);
    for field in optional.filter(|field| field.limits.length_min.is_some_and(|min| min > 0)) {
        if given.get(&field.name).and_then(Value::as_str) == Some("") {
            given.shift_remove(&field.name);
        }
    }
}

/// Parses the action at `index` (from 0) of a request. Returns its name and its arguments.
pub(crate) fn parse_action(
    mut given: Value,
    index: usize,
    kind: KindId,
    caller: &Caller,
    model: &Model,
) -> ApiResult<(String, Document)> {
    let place = &format!("actions[{index}]");
    let bounds = &caller.bounds;
    let entry = model.kind(kind);
    let name = match given.get("action") {
        Some(Value::String(name)) => name.clone(),
        Some(other) => {
            return Err(ApiError::invalid_json(format!(
                "{place}.action: expected a text, found {}",
                shortened(other)
            )));
        }
        None if given.is_object() => {
            return Err(ApiError::invalid_json(format!("{place}.action: a value is required")));
        }
        None => {
            return Err(ApiError::invalid_json(format!(
                "{place}: expected an object, found {}",
                shortened(&given)
            )));
        }
    };
    let Some(action) = bounds.action(entry, &name) else {
        let known: Vec<&str> = bounds.actions(entry).iter().map(|action| action.name.as_str()).collect();
        return Err(ApiError::invalid_json(format!(
            "{place}.action: unknown action {}; expected one of {}",
            shortened(&Value::String(name)),
            known.join(", ")
        )));
    };
    leave_out_no_type(&mut given, action.arguments, model);
    leave_out_empty_texts(&mut given, action, model);
    let valid = caller.validator(model).object_with(action.arguments, &mut given, place, "action");
    let Value::Object(mut arguments) = given else {
        return Err(ApiError::bug("an action that the model admitted is no object"));
    };
    arguments.shift_remove("action");
    match valid {
        Ok(()) => Ok((name, arguments)),
        Err(error) => Err(add_failed_action(error, index, &name, (action, &arguments), model)),
    }
}
