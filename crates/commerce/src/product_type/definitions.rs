//! Actions on definitions: `removeAttributeDefinition`, `changeAttributeName`, `changeAttributeOrder`,
//! `changeAttributeConstraint`, `changeIsSearchable`.

use super::{attribute_name, definition_mut, names, remember, unknown};
use crate::attribute::innermost;
use kontor_engine::document::{list, text};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult, Code};
use serde_json::{Value, json};

/// Removes a definition. Products lose the Attribute soon after.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let name = text(arguments, &["name"]).unwrap_or_default();
    definition_mut(acting, name)?;
    if let Some(Value::Array(definitions)) = acting.document.get_mut("attributes") {
        definitions.retain(|definition| definition["name"] != name);
    }
    Ok(())
}

/// Renames a definition. Products follow soon after. Refused with `AttributeNameDoesNotExist` and
/// `AttributeDefinitionAlreadyExists`.
pub(super) fn rename(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let old = attribute_name(arguments);
    let new = text(arguments, &["newAttributeName"]).unwrap_or_default();
    if !names(acting.document).iter().any(|name| *name == old) {
        return Err(unknown(acting.document, old));
    }
    if old == new {
        return Ok(());
    }
    if names(acting.document).iter().any(|name| *name == new) {
        return Err(already_exists(acting.document, new));
    }
    definition_mut(acting, old)?.insert("name".into(), json!(new));
    remember(acting.document, json!([old, new]));
    Ok(())
}

/// Brings the definitions into the sequence of those that are sent: all of them, each once, told apart by name.
pub(super) fn arrange(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let wanted: Vec<&Value> =
        list(arguments, &["attributes"]).iter().map(|definition| &definition["name"]).collect();
    let place = acting.place;
    let known: Vec<Value> = names(acting.document).into_iter().cloned().collect();
    let is_complete = wanted.len() == known.len() && known.iter().all(|name| wanted.contains(&name));
    if !is_complete {
        return Err(ApiError::invalid_operation(format!(
            "{place}.attributes: expected each attribute definition once, which are {}.",
            Value::Array(known)
        )));
    }
    if let Some(Value::Array(definitions)) = acting.document.get_mut("attributes") {
        definitions.sort_by_key(|definition| wanted.iter().position(|name| **name == definition["name"]));
    }
    Ok(())
}

/// `SameForAll` and `Unique` become `None`; no other change is possible.
pub(super) fn change_constraint(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let place = acting.place;
    let definition = definition_mut(acting, attribute_name(arguments))?;
    let current = definition.get("attributeConstraint").and_then(Value::as_str).unwrap_or_default();
    if current == "CombinationUnique" {
        return Err(ApiError::invalid_operation(format!(
            "{place}.newValue: the constraint {current} cannot be changed; only SameForAll and Unique can, to None."
        )));
    }
    definition.insert("attributeConstraint".into(), arguments["newValue"].clone());
    Ok(())
}

/// Nested Attributes cannot be made searchable.
pub(super) fn change_is_searchable(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let place = acting.place;
    let name = attribute_name(arguments);
    let definition = definition_mut(acting, name)?;
    if arguments["isSearchable"] == true && innermost(&definition["type"])["name"] == "nested" {
        return Err(ApiError::invalid_operation(format!(
            "{place}.isSearchable: the attribute '{name}' is nested and cannot be searchable."
        )));
    }
    definition.insert("isSearchable".into(), arguments["isSearchable"].clone());
    Ok(())
}

/// `AttributeDefinitionAlreadyExists` on this Product Type.
pub(super) fn already_exists(product_type: &Document, name: &str) -> ApiError {
    let type_name = text(product_type, &["name"]).unwrap_or_default();
    ApiError::new(
        Code::AttributeDefinitionAlreadyExists,
        format!("An attribute definition with name {name} already exists on product type {type_name}."),
    )
    .with("conflictingProductTypeId", text(product_type, &["id"]).map(|id| json!(id)))
    .with("conflictingProductTypeName", json!(type_name))
    .with("conflictingAttributeName", json!(name))
}
