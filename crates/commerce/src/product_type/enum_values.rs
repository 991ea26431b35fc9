//! The values of an enum: the type of an Attribute, or of the elements of its set.
//!
//! Source: reference types `ProductType…EnumValue…Action`, `ProductTypeChangeEnumKeyAction`,
//! `EnumKeyAlreadyExistsError`, `EnumKeyDoesNotExistError`, `EnumValueIsUsedError`,
//! `EnumValuesMustMatchError`.

use super::{attribute_name, definition_mut, remember, usage};
use crate::attribute::element_type;
use kontor_engine::document::{list, text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// The names of the types of plain enums.
pub(super) const PLAIN: &[&str] = &["enum"];
/// The types of localized enums.
pub(super) const LOCALIZED: &[&str] = &["lenum"];
/// The types of both kinds of enums.
const EITHER: &[&str] = &["enum", "lenum"];

/// Adds a value at the end. Refused with `EnumKeyAlreadyExists` if its key is used.
pub(super) fn add(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    wanted: &[&str],
) -> ApiResult<()> {
    let (name, value) = (attribute_name(arguments)?, &arguments["value"]);
    let values = values_of(context, name, wanted)?;
    if values.iter().any(|known| known["key"] == value["key"]) {
        return Err(already_exists(name, &value["key"]));
    }
    values.push(value.clone());
    Ok(())
}

/// Replaces the label of a value. Refused with `EnumKeyDoesNotExist`, and with `InvalidOperation` if the label is
/// unchanged or empty.
pub(super) fn change_label(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    wanted: &[&str],
) -> ApiResult<()> {
    let place = context.place;
    let (name, value) = (attribute_name(arguments)?, &arguments["newValue"]);
    if value["label"].as_object().is_some_and(|label| label.is_empty()) {
        return Err(ApiError::invalid_operation(format!(
            "{place}.newValue.label: a label must not be empty."
        )));
    }
    let values = values_of(context, name, wanted)?;
    let Some(known) = values.iter_mut().find(|known| known["key"] == value["key"]) else {
        return Err(does_not_exist(name, &value["key"]));
    };
    if known["label"] == value["label"] {
        return Err(ApiError::invalid_operation(format!(
            "{place}.newValue: the value {} has this label already.",
            value["key"]
        )));
    }
    known["label"] = value["label"].clone();
    Ok(())
}

/// Changes the key of a value. Products are updated in the background. Refused with `EnumKeyDoesNotExist` and
/// `EnumKeyAlreadyExists`.
pub(super) fn change_key(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let name = attribute_name(arguments)?;
    let (old, new) = (&arguments["key"], &arguments["newKey"]);
    let values = values_of(context, name, EITHER)?;
    let Some(index) = values.iter().position(|known| known["key"] == *old) else {
        return Err(does_not_exist(name, old));
    };
    if old == new {
        return Ok(());
    }
    if values.iter().any(|known| known["key"] == *new) {
        return Err(already_exists(name, new));
    }
    values[index]["key"] = new.clone();
    remember(context.document, json!([name, old, new]));
    Ok(())
}

/// Removes values. They are removed from Products in the background, so this is refused with `EnumValueIsUsed` if the
/// Attribute is required and a Product has one of them.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let name = attribute_name(arguments)?;
    let keys = list(arguments, &["keys"]);
    let is_required = definition_mut(context, name)?.get("isRequired") == Some(&json!(true));
    let values = values_of(context, name, EITHER)?;
    let known: HashSet<&Value> = values.iter().map(|known| &known["key"]).collect();
    if let Some(unknown) = keys.iter().find(|key| !known.contains(key)) {
        return Err(does_not_exist(name, unknown));
    }
    let gone: HashSet<&Value> = keys.iter().collect();
    values.retain(|known| !gone.contains(&known["key"]));
    if !is_required {
        return Ok(());
    }
    let mut used: Vec<&str> = Vec::new();
    for key in keys.iter().filter_map(Value::as_str) {
        if usage::is_used(context.document, name, key, context.rules)? {
            used.push(key);
        }
    }
    if !used.is_empty() {
        return Err(ApiError::new(
            Code::EnumValueIsUsed,
            format!(
                "{} is used by some products and cannot be deleted because the {name} attribute is required.",
                used.join(", ")
            ),
        ));
    }
    Ok(())
}

/// Sorts the values in the sent order. Refused with `EnumValuesMustMatch` unless each value is sent once and unchanged.
pub(super) fn change_order(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    wanted: &[&str],
) -> ApiResult<()> {
    let sent = list(arguments, &["values"]);
    let values = values_of(context, attribute_name(arguments)?, wanted)?;
    let given: HashSet<&Value> = sent.iter().collect();
    if sent.len() != values.len() || !values.iter().all(|value| given.contains(value)) {
        return Err(ApiError::new(
            Code::EnumValuesMustMatch,
            "The given values must be equal to the existing enum values.",
        ));
    }
    *values = sent.to_vec();
    Ok(())
}

/// Returns the values of the enum that the action addresses, if its type is one of those in `wanted`.
fn values_of<'a>(
    context: &'a mut ActionContext<'_, '_>,
    name: &str,
    wanted: &[&str],
) -> ApiResult<&'a mut Vec<Value>> {
    let place = context.place;
    let definition = definition_mut(context, name)?;
    let Some(attribute_type) = definition.get_mut("type") else {
        return Err(ApiError::bug("a definition of an Attribute without a type"));
    };
    let found = element_type(attribute_type)["name"].clone();
    if !wanted.iter().any(|wanted| found == *wanted) {
        return Err(ApiError::invalid_operation(format!(
            "{place}.attributeName: the attribute '{name}' is of type {found}, expected {} or a set of it.",
            wanted.join(", ")
        )));
    }
    let mut inner = attribute_type;
    while inner["name"] == "set" {
        inner = &mut inner["elementType"];
    }
    inner["values"].as_array_mut().ok_or_else(|| ApiError::bug("a type of enum values without values"))
}

fn already_exists(attribute: &str, key: &Value) -> ApiError {
    key_error(Code::EnumKeyAlreadyExists, "attribute definition already contains", attribute, key)
}

fn does_not_exist(attribute: &str, key: &Value) -> ApiError {
    key_error(Code::EnumKeyDoesNotExist, "field definition does not contain", attribute, key)
}

fn key_error(code: Code, how: &str, attribute: &str, key: &Value) -> ApiError {
    let Some(text) = key.as_str() else { return ApiError::bug("an enum value whose key is no text") };
    ApiError::new(code, format!("The {attribute} {how} an enum value with the key {text}."))
        .with_field("conflictingEnumKey", key.clone())
        .with_field("conflictingAttributeName", json!(attribute))
}

/// The keys that a type has, within sets too.
pub(super) fn keys(attribute_type: &Value) -> Vec<&str> {
    let values = element_type(attribute_type)["values"].as_array();
    values.into_iter().flatten().filter_map(|value| text(value.as_object()?, &["key"])).collect()
}
