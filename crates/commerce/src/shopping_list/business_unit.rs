//! The Business Unit that a list belongs to.
//!
//! Source: reference types `ShoppingListDraft` (the Customer is an Associate of the Business Unit), `BusinessUnit`
//! (`stores`: its lists belong to one of them, or to none where it has none) and `ShoppingListSetBusinessUnitAction`
//! (there is one already, and the new one has access to the Store).

use kontor_engine::document::{list, must_text, text};
use kontor_engine::{Acting, Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use std::sync::Arc;

/// `setBusinessUnit`.
pub(super) fn set(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if !acting.document.contains_key("businessUnit") {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Shopping List belongs to no Business Unit that could be changed.",
            acting.place
        )));
    }
    let id = arguments.get("businessUnit").and_then(|unit| unit["id"].as_str()).unwrap_or_default();
    let unit = acting
        .rules
        .peek_type("business-unit", id)?
        .ok_or_else(|| ApiError::bug("an Associate in a Business Unit that is gone"))?;
    let key = must_text(&unit, &["key"])?;
    let mut reference = Document::new();
    reference.insert("typeId".into(), "business-unit".into());
    reference.insert("key".into(), key.into());
    acting.document.insert("businessUnit".into(), reference.into());
    Ok(())
}

/// What belongs to a Business Unit is within its bounds.
pub(super) fn admit(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    admit_store(before, after, rules)?;
    admit_customer(before, after, rules)
}

/// The Store of a list is one that the Business Unit has; where the unit has Stores, the list has one of them.
fn admit_store(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(key) = text(after, &["businessUnit", "key"]) else { return Ok(()) };
    let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
    if !is_new("businessUnit") && !is_new("store") {
        return Ok(());
    }
    let Some(unit) = with_key(key, rules)? else { return Ok(()) };
    let mut stores = ["stores", "inheritedStores"]
        .iter()
        .flat_map(|field| list(&unit, &[field]))
        .filter_map(|store| store["key"].as_str())
        .peekable();
    match text(after, &["store", "key"]) {
        None if stores.peek().is_none() => Ok(()),
        None => Err(ApiError::invalid_operation(format!(
            "A Shopping List of the Business Unit '{key}' must belong to one of its Stores: {}.",
            stores.collect::<Vec<_>>().join(", ")
        ))),
        Some(store) if stores.any(|other| other == store) => Ok(()),
        Some(store) => Err(ApiError::invalid_operation(format!(
            "The Business Unit '{key}' has no access to the Store '{store}' of the Shopping List."
        ))),
    }
}

/// The Customer of a list that belongs to a Business Unit is one of its Associates.
fn admit_customer(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let (Some(key), Some(customer)) =
        (text(after, &["businessUnit", "key"]), text(after, &["customer", "id"]))
    else {
        return Ok(());
    };
    let is_new = |field: &str| before.is_none_or(|before| before.get(field) != after.get(field));
    if !is_new("businessUnit") && !is_new("customer") {
        return Ok(());
    }
    let Some(unit) = with_key(key, rules)? else { return Ok(()) };
    let mut associates = ["associates", "inheritedAssociates"].iter().flat_map(|field| list(&unit, &[field]));
    if !associates.any(|associate| associate["customer"]["id"] == customer) {
        return Err(ApiError::invalid_operation(format!(
            "The Customer '{customer}' of the Shopping List is no Associate of the Business Unit '{key}'."
        )));
    }
    Ok(())
}

fn with_key(key: &str, rules: &Rules<'_>) -> ApiResult<Option<Arc<Document>>> {
    match rules.model.kind_by_type_id("business-unit") {
        Some(kind) => rules.find_key(kind, key),
        None => Ok(None),
    }
}
