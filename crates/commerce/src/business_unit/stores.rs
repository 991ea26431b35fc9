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
pub(super) fn each_once(unit: &mut Document) {
    if let Some(Value::Array(stores)) = unit.get_mut("stores") {
        *stores = document::without_duplicates(std::mem::take(stores));
    }
}

/// `setStores`.
pub(super) fn set(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let stores = named(acting, list(arguments, &["stores"]))?;
    admit_own(acting)?;
    let before = acting.document.insert("stores", Value::Array(stores));
    each_once(acting.document);
    if before.as_ref() == acting.document.get("stores") {
        return Ok(());
    }
    let told = fields([("stores", acting.document.get("stores").cloned())]);
    acting.emit("BusinessUnitStoresSet", told)
}

/// `addStore`: adding an assigned Store changes nothing.
pub(super) fn add(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let store = one(acting, arguments)?;
    admit_own(acting)?;
    if list(acting.document, &["stores"]).contains(&store) {
        return Ok(());
    }
    if let Value::Array(stores) = acting.document.entry("stores").or_insert_with(|| json!([])) {
        stores.push(store.clone());
    }
    acting.emit("BusinessUnitStoreAdded", fields([("store", Some(store))]))
}

/// `removeStore`: a Store that is not assigned is `InvalidOperation`.
pub(super) fn remove(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let store = one(acting, arguments)?;
    admit_own(acting)?;
    let Some(index) = list(acting.document, &["stores"]).iter().position(|other| *other == store) else {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Business Unit is not associated with the Store {}.",
            acting.place, store["key"]
        )));
    };
    if let Some(Value::Array(stores)) = acting.document.get_mut("stores") {
        stores.remove(index);
    }
    acting.emit("BusinessUnitStoreRemoved", fields([("store", Some(store))]))
}

/// `setStoreMode`: `FromParent` removes the Stores assigned to the unit.
pub(super) fn set_mode(acting: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mode = must_text(arguments, &["storeMode"])?;
    let refused = |reason: &str| Err(ApiError::invalid_operation(format!("{}: {reason}", acting.place)));
    if mode == FROM_PARENT && !is_division(acting.document) {
        return refused("only a Division has Stores from its parent.");
    }
    if mode == FROM_PARENT && !list(arguments, &["stores"]).is_empty() {
        return refused("stores can only be set where storeMode is Explicit.");
    }
    let given = arguments.get("stores").and_then(Value::as_array);
    let given = given.map(|stores| named(acting, stores)).transpose()?;
    let before = (acting.document.get("storeMode").cloned(), acting.document.get("stores").cloned());
    acting.document.insert("storeMode", json!(mode));
    if mode == FROM_PARENT {
        acting.document.shift_remove("stores");
    } else if let Some(stores) = given {
        acting.document.insert("stores", Value::Array(stores));
    } else {
        acting.document.entry("stores").or_insert_with(|| json!([]));
    }
    each_once(acting.document);
    if before == (acting.document.get("storeMode").cloned(), acting.document.get("stores").cloned()) {
        return Ok(());
    }
    let told = fields([
        ("stores", Some(acting.document.get("stores").cloned().unwrap_or_else(|| json!([])))),
        ("storeMode", Some(json!(mode))),
        ("oldStores", Some(before.1.unwrap_or_else(|| json!([])))),
        ("oldStoreMode", before.0),
    ]);
    acting.emit("BusinessUnitStoreModeChanged", told)
}

fn admit_own(acting: &ActionContext<'_, '_>) -> ApiResult<()> {
    if text(acting.document, &["storeMode"]) == Some(EXPLICIT) {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!(
        "{}: the Business Unit has its Stores from its parent; storeMode must be {EXPLICIT}.",
        acting.place
    )))
}

fn one(acting: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<Value> {
    let store = arguments.get("store").cloned().into_iter().collect::<Vec<_>>();
    named(acting, &store)?.pop().ok_or_else(|| ApiError::bug("an action without its Store"))
}

/// Converts references to Stores by id into references by key.
fn named(acting: &ActionContext<'_, '_>, references: &[Value]) -> ApiResult<Vec<Value>> {
    let by_key = |reference: &Value| {
        let id = must_field(reference, "id")?;
        let store = acting.rules.peek_type("store", id)?;
        let store = store.ok_or_else(|| ApiError::referenced_resource_not_found("store", Some(id), None))?;
        Ok(key_reference("store", must_text(&store, &["key"])?))
    };
    references.iter().map(by_key).collect()
}
