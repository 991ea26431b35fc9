//! The State in which each item begins.
//!
//! Source: reference types `LineItem`, `CustomLineItem` (`state`: the built-in State "Initial").

use kontor_engine::document::reference;
use kontor_engine::{Document, ReadAhead, Rules};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

const STATE: &str = "state";
/// The key of the built-in State, which every project has.
const KEY: &str = "Initial";

/// It is read with what a change names.
pub(super) fn read_ahead(wanted: &mut ReadAhead<'_>) {
    wanted.unique(STATE, "key", KEY);
}

/// A reference to the State.
pub(super) fn initial(rules: &Rules<'_>) -> ApiResult<Value> {
    match rules.peek_unique(STATE, "key", KEY)? {
        Some(found) => Ok(reference(STATE, &found.id)),
        None => Err(ApiError::bug("a project without its initial State")),
    }
}

/// `state` of an item: all of it in one State.
pub(super) fn all_in(state: &Value, quantity: i64) -> Value {
    json!([{"quantity": quantity, "state": state}])
}

/// Follows the quantity of an item, all of which is in its first State while it is in a Cart.
pub(super) fn follow_quantity(item: &mut Document) {
    let quantity = item.get("quantity").cloned().unwrap_or_default();
    let first = item.get_mut(STATE).and_then(Value::as_array_mut).and_then(|states| states.first_mut());
    if let Some(first) = first {
        first["quantity"] = quantity;
    }
}
