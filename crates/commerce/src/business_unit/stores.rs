//! The Stores assigned to a unit itself: without duplicates, and only if the unit does not inherit its Stores.
//!
//! Source: reference types `BusinessUnit…StoreAction`, `BusinessUnitSetStoresAction`,
//! `BusinessUnitSetStoreModeAction`.

use super::modes::{EXPLICIT, FROM_PARENT};
use super::{is_division, key_reference};
use kontor_engine::document::{self, fields, list, must_field, must_text, text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// A list of Stores is a set.
pub(super) fn remove_duplicates(unit: &mut Document) {
    if let Some(Value::Array(stores)) = unit.get_mut("stores") {
        *stores = document::without_duplicates(std::mem::take(stores));
    }
}

/// `setStores`.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let stores = to_key_references(context, list(arguments, &["stores"]))?;
    admit_own(context)?;
    let before = context.document.insert("stores", Value::Array(stores));
    remove_duplicates(context.document);
    if before.as_ref() == context.document.get("stores") {
        return Ok(());
    }
    let message_fields = fields([("stores", context.document.get("stores").cloned())]);
    context.emit("BusinessUnitStoresSet", message_fields)
}

/// `addStore`: adding an assigned Store changes nothing.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let store = store_key_reference(context, arguments)?;
    admit_own(context)?;
    if list(context.document, &["stores"]).contains(&store) {
        return Ok(());
    }
    if let Value::Array(stores) = context.document.entry("stores").or_insert_with(|| json!([])) {
        stores.push(store.clone());
    }
    context.emit("BusinessUnitStoreAdded", fields([("store", Some(store))]))
}

/// `removeStore`: a Store that is not assigned is `InvalidOperation`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let store = store_key_reference(context, arguments)?;
    admit_own(context)?;
    let Some(index) = list(context.document, &["stores"]).iter().position(|other| *other == store) else {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Business Unit is not associated with the Store {}.",
            context.place, store["key"]
        )));
    };
    if let Some(Value::Array(stores)) = context.document.get_mut("stores") {
        stores.remove(index);
    }
    context.emit("BusinessUnitStoreRemoved", fields([("store", Some(store))]))
}

/// `setStoreMode`: `FromParent` removes the Stores assigned to the unit.
pub(super) fn set_mode(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mode = must_text(arguments, &["storeMode"])?;
    let refused = |reason: &str| Err(ApiError::invalid_operation(format!("{}: {reason}", context.place)));
    if mode == FROM_PARENT && !is_division(context.document) {
        return refused("only a Division has Stores from its parent.");
    }
    if mode == FROM_PARENT && !list(arguments, &["stores"]).is_empty() {
        return refused("stores can only be set where storeMode is Explicit.");
    }
    let given = arguments.get("stores").and_then(Value::as_array);
    let given = given.map(|stores| to_key_references(context, stores)).transpose()?;
    let before = (context.document.get("storeMode").cloned(), context.document.get("stores").cloned());
    context.document.insert("storeMode", json!(mode));
    if mode == FROM_PARENT {
        context.document.shift_remove("stores");
    } else if let Some(stores) = given {
        context.document.insert("stores", Value::Array(stores));
    } else {
        context.document.entry("stores").or_insert_with(|| json!([]));
    }
    remove_duplicates(context.document);
    if before == (context.document.get("storeMode").cloned(), context.document.get("stores").cloned()) {
        return Ok(());
    }
    let message_fields = fields([
        ("stores", Some(context.document.get("stores").cloned().unwrap_or_else(|| json!([])))),
        ("storeMode", Some(json!(mode))),
        ("oldStores", Some(before.1.unwrap_or_else(|| json!([])))),
        ("oldStoreMode", before.0),
    ]);
    context.emit("BusinessUnitStoreModeChanged", message_fields)
}

fn admit_own(context: &ActionContext<'_, '_>) -> ApiResult<()> {
    if text(context.document, &["storeMode"]) == Some(EXPLICIT) {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{}: the Business Unit has its Stores from its parent; storeMode must be {EXPLICIT}.",
        context.place
    )))
}

fn store_key_reference(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<Value> {
    let store = arguments.get("store").cloned().into_iter().collect::<Vec<_>>();
    to_key_references(context, &store)?.pop().ok_or_else(|| ApiError::bug("an action without its Store"))
}

/// Converts references to Stores by id into references by key.
fn to_key_references(context: &ActionContext<'_, '_>, references: &[Value]) -> ApiResult<Vec<Value>> {
    let by_key = |reference: &Value| {
        let id = must_field(reference, "id")?;
        let store = context.rules.peek_type("store", id)?;
        let store = store.ok_or_else(|| ApiError::referenced_resource_not_found("store", Some(id), None))?;
        Ok(key_reference("store", must_text(&store, &["key"])?))
    };
    references.iter().map(by_key).collect()
}
