//! Actions on attribute definitions: `removeAttributeDefinition`, `changeAttributeName`, `changeAttributeOrder`,
//! `changeLabel`, `setInputTip`, `changeInputHint`, `changeAttributeConstraint`, `changeIsSearchable`,
//! `setSavedToLineItem`. An undefined name is refused with `AttributeNameDoesNotExist`.

use super::{attribute_name, definition_mut, names, remember};
use crate::attribute::not_defined;
use kontor_engine::document::{is_empty, list, must_text, text, text_or_log};
use kontor_engine::{ActionContext, Document};
use kontor_enums::AttributeConstraintEnum;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use std::collections::HashMap;

/// Removes a definition. Products lose the Attribute soon after. Its name is free again in the next request.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let name = must_text(arguments, &["name"])?;
    definition_mut(context, name)?;
    if let Some(Value::Array(definitions)) = context.document.get_mut("attributes") {
        definitions.retain(|definition| definition["name"] != name);
    }
    remember(context.document, json!([name]));
    Ok(())
}

/// Renames a definition. Products follow soon after. Refused with `AttributeNameDoesNotExist` and
/// `AttributeDefinitionAlreadyExists`.
pub(super) fn rename(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let old = attribute_name(arguments)?;
    let new = must_text(arguments, &["newAttributeName"])?;
    if !names(context.document).iter().any(|name| *name == old) {
        return Err(not_defined(context.document, old));
    }
    if old == new {
        return Ok(());
    }
    if names(context.document).iter().any(|name| *name == new) {
        return Err(already_exists(context.document, new));
    }
    definition_mut(context, old)?.insert("name", json!(new));
    remember(context.document, json!([old, new]));
    Ok(())
}

/// Sorts the definitions in the sent order, which must contain each definition once; they are matched by name.
pub(super) fn reorder_definitions(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let sent = list(arguments, &["attributes"]);
    let wanted: HashMap<&Value, usize> = sent.iter().map(|definition| &definition["name"]).zip(0..).collect();
    let known = names(context.document);
    if sent.len() != known.len() || !known.iter().all(|name| wanted.contains_key(name)) {
        return Err(ApiError::invalid_operation(format!(
            "{}.attributes: expected each attribute definition once, which are {}.",
            context.place,
            json!(known)
        )));
    }
    if let Some(Value::Array(definitions)) = context.document.get_mut("attributes") {
        definitions.sort_by_key(|definition| wanted.get(&definition["name"]));
    }
    Ok(())
}

/// A label must not be empty.
pub(super) fn change_label(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let place = context.place;
    let definition = definition_mut(context, attribute_name(arguments)?)?;
    if is_empty(&arguments["label"]) {
        return Err(ApiError::invalid_operation(format!("{place}.label: must not be empty.")));
    }
    definition.insert("label", arguments["label"].clone());
    Ok(())
}

/// `setInputTip`: without a tip the existing one is removed.
pub(super) fn set_input_tip(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let definition = definition_mut(context, attribute_name(arguments)?)?;
    match arguments.get("inputTip").filter(|tip| !tip.is_null()) {
        Some(tip) => definition.insert("inputTip", tip.clone()),
        None => definition.shift_remove("inputTip"),
    };
    Ok(())
}

/// `changeInputHint`: how a form displays the texts.
pub(super) fn change_input_hint(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let definition = definition_mut(context, attribute_name(arguments)?)?;
    definition.insert("inputHint", arguments["newValue"].clone());
    Ok(())
}

/// `SameForAll` and `Unique` become `None`; no other change is possible.
pub(super) fn change_constraint(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let place = context.place;
    let definition = definition_mut(context, attribute_name(arguments)?)?;
    let current = text_or_log(definition, &["attributeConstraint"]);
    if current == AttributeConstraintEnum::CombinationUnique.as_str() {
        return Err(ApiError::invalid_operation(format!(
            "{place}.newValue: the constraint {current} cannot be changed; only SameForAll and Unique can, to None."
        )));
    }
    definition.insert("attributeConstraint", arguments["newValue"].clone());
    Ok(())
}

/// `changeIsSearchable`: refused for nested Attributes, but not for sets of them.
pub(super) fn change_is_searchable(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let place = context.place;
    let name = attribute_name(arguments)?;
    let definition = definition_mut(context, name)?;
    if arguments["isSearchable"] == true && definition["type"]["name"] == "nested" {
        return Err(ApiError::invalid_operation(format!(
            "{place}.isSearchable: the attribute '{name}' is nested and cannot be searchable."
        )));
    }
    definition.insert("isSearchable", arguments["isSearchable"].clone());
    Ok(())
}

/// `setSavedToLineItem`, `changeSavedToLineItem`: existing line items stay as they are.
pub(super) fn set_saved_to_line_item(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let definition = definition_mut(context, attribute_name(arguments)?)?;
    definition.insert("savedToLineItem", arguments["savedToLineItem"].clone());
    Ok(())
}

/// `AttributeDefinitionAlreadyExists` on this Product Type.
pub(super) fn already_exists(product_type: &Document, name: &str) -> ApiError {
    let type_name = text_or_log(product_type, &["name"]);
    ApiError::new(
        Code::AttributeDefinitionAlreadyExists,
        format!("An attribute definition with name '{name}' already exists on product type '{type_name}'."),
    )
    .with_field("conflictingProductTypeId", text(product_type, &["id"]).map(|id| json!(id)))
    .with_field("conflictingProductTypeName", json!(type_name))
    .with_field("conflictingAttributeName", json!(name))
}
