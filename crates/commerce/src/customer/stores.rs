//! Removes duplicates from the Stores of a Customer.

use kontor_engine::document::{self, must_text, text};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// A list of references is a set.
pub(super) fn remove_duplicates(customer: &mut Document) {
    if let Some(Value::Array(stores)) = customer.get_mut("stores") {
        *stores = document::without_duplicates(std::mem::take(stores));
    }
}

/// `addStore`. The argument is a reference by id; Customers store references by key.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = must_text(arguments, &["store", "id"])?;
    let store = context
        .rules
        .peek_type("store", id)?
        .ok_or_else(|| ApiError::referenced_resource_not_found("store", Some(id), None))?;
    let reference = json!({"typeId": "store", "key": text(&store, &["key"])});
    match context.document.entry("stores").or_insert_with(|| json!([])) {
        Value::Array(stores) => stores.push(reference),
        _ => return Err(ApiError::bug("stores that are no list")),
    }
    // Whether it was there already is settled with all others.
    Ok(())
}
