//! Product Type: consistent definitions of Attributes, and the update of Products' Attributes when
//! definitions change.
//!
//! Source: reference types `ProductTypeDraft`, `AttributeDefinitionDraft`, `AttributeSetType`,
//! `AttributeNestedType`, `AttributeDefinitionAlreadyExistsError`, `AttributeDefinitionTypeConflictError`,
//! `DuplicateEnumValuesError`. Conversations: `tests/api/product-types/`.

mod definitions;
mod enum_values;
mod settle;
mod usage;

use crate::attribute::{AttributeRenames, not_defined};
use enum_values::{LOCALIZED, PLAIN};
use kontor_engine::document::{get, must_text, text};
use kontor_engine::{
    ActionContext, ActionHandler, Behaviour, DerivationSources, Document, Effects, IndexValue, Precondition,
    Put, Rules,
};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The kind of the hidden documents with renamings, by the id of the Product Type. No API returns them.
const CHANGES: &str = "product-type-changes";
/// The temporary field with the renamings by the actions of one request. It is removed before the document is stored.
const RENAMED: &str = "renamed";

/// The indexed paths at which Product Types nest others.
const NESTED: &[&str] = &["attributes.type.typeReference.id", "attributes.type.elementType.typeReference.id"];

pub(crate) struct ProductType;

impl Behaviour for ProductType {
    fn resource(&self) -> &'static str {
        "ProductType"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("removeAttributeDefinition", definitions::remove),
            ("changeAttributeName", definitions::rename),
            ("changeAttributeOrder", definitions::reorder_definitions),
            ("changeLabel", definitions::change_label),
            ("setInputTip", definitions::set_input_tip),
            ("changeInputHint", definitions::change_input_hint),
            ("changeAttributeConstraint", definitions::change_constraint),
            ("changeIsSearchable", definitions::change_is_searchable),
            ("setSavedToLineItem", definitions::set_saved_to_line_item),
            ("changeSavedToLineItem", definitions::set_saved_to_line_item),
            ("addPlainEnumValue", |context, arguments| enum_values::add(context, arguments, PLAIN)),
            ("addLocalizedEnumValue", |context, arguments| enum_values::add(context, arguments, LOCALIZED)),
            ("removeEnumValues", enum_values::remove),
            ("changeEnumKey", enum_values::change_key),
            ("changePlainEnumValueOrder", |context, arguments| {
                enum_values::change_order(context, arguments, PLAIN)
            }),
            ("changeLocalizedEnumValueOrder", |context, arguments| {
                enum_values::change_order(context, arguments, LOCALIZED)
            }),
            ("changePlainEnumValueLabel", |context, arguments| {
                enum_values::change_label(context, arguments, PLAIN)
            }),
            ("changeLocalizedEnumValueLabel", |context, arguments| {
                enum_values::change_label(context, arguments, LOCALIZED)
            }),
        ]
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        // A repeated name is reported before the check whether another definition had it.
        settle::admit_definitions(before, after, rules)?;
        settle::keep_renamed(before, after, rules, effects)
    }

    /// Adding an existing Attribute with an old version returns `AttributeDefinitionAlreadyExists` instead of
    /// a version conflict.
    fn stale_update_error(&self, current: &Document, actions: &[(String, Document)]) -> Option<ApiError> {
        let mut added = actions
            .iter()
            .filter(|(action, _)| action == "addAttributeDefinition")
            .filter_map(|(_, arguments)| text(arguments, &["attribute", "name"]));
        let known = names(current);
        let twice = added.find(|name| known.iter().any(|known| *known == name))?;
        Some(definitions::already_exists(current, twice))
    }

    fn before_delete(&self, document: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
        let id = must_text(document, &["id"])?;
        for path in NESTED {
            rules.require(Precondition::NotReferenced {
                kind: "product-type".into(),
                path: (*path).into(),
                value: IndexValue::Text(id.into()),
            });
        }
        effects.forget_hidden(CHANGES, id, rules)
    }
}

/// Returns the renames of a Product Type, for derivations that update Attributes.
pub(crate) fn changes_of(product_type: &str, sources: &dyn DerivationSources) -> ApiResult<AttributeRenames> {
    Ok(AttributeRenames::read(sources.document(CHANGES, product_type)?.as_deref()))
}

fn store_renames(id: &str, changes: &AttributeRenames, effects: &mut Effects) {
    effects.put_hidden(Put {
        kind: CHANGES.into(),
        id: id.into(),
        version: 1,
        body: Value::Object(changes.to_document()).to_string().into(),
        ..Put::default()
    });
}

/// The definition that the argument `attributeName` (or `name`) names. `AttributeNameDoesNotExist` without one.
fn definition_mut<'a>(
    context: &'a mut ActionContext<'_, '_>,
    name: &str,
) -> ApiResult<&'a mut kontor_json::Map> {
    let missing = not_defined(context.document, name);
    context
        .document
        .get_mut("attributes")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .find(|definition| definition["name"] == name)
        .and_then(Value::as_object_mut)
        .ok_or(missing)
}

/// The argument `attributeName`.
fn attribute_name(arguments: &Document) -> ApiResult<&str> {
    must_text(arguments, &["attributeName"])
}

/// Remembers a renaming until the document is settled: `[old, new]`, or `[attribute, old, new]` for the key of
/// an enum; and a removal: `[name]`.
fn remember(document: &mut Document, renamed: Value) {
    let all = document.entry(RENAMED).or_insert_with(|| json!([]));
    if let Value::Array(all) = all {
        all.push(renamed);
    }
}

/// Whether the parts of two attribute types that cannot change are equal: name, reference, and type of the elements.
fn is_same_type(one: &Value, other: &Value) -> bool {
    one["name"] == other["name"]
        && one["referenceTypeId"] == other["referenceTypeId"]
        && one["typeReference"]["id"] == other["typeReference"]["id"]
        && match (one.get("elementType"), other.get("elementType")) {
            (Some(one), Some(other)) => is_same_type(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
}

/// Returns the names of all definitions, in their order.
fn names(product_type: &Document) -> Vec<&Value> {
    get(product_type, &["attributes"])
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|definition| &definition["name"])
        .collect()
}

#[cfg(test)]
mod tests;
