//! `state` of items: new items begin in the State "Initial", and its quantity follows that of the item.
//!
//! Source: reference types `LineItem`, `CustomLineItem` (`state`: the built-in State "Initial").

use kontor_engine::document::{integer_field_or_log, integer_or_log, list, reference};
use kontor_engine::{Document, PrefetchPlan, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const STATE: &str = "state";
/// The key of the built-in State, which every project has.
const KEY: &str = "Initial";

/// Prefetches the State together with the documents named by the request.
pub(super) fn plan_prefetch(prefetch: &mut PrefetchPlan<'_>) {
    prefetch.add_unique(STATE, "key", KEY);
}

/// A reference to the State.
pub(super) fn initial_state(rules: &Rules<'_>) -> ApiResult<Value> {
    match rules.peek_unique(STATE, "key", KEY)? {
        Some(found) => Ok(reference(STATE, &found.id)),
        None => Err(ApiError::bug("a project without its initial State")),
    }
}

/// Returns the `state` of an item with all units in one State.
pub(super) fn all_in(state: &Value, quantity: i64) -> Value {
    json!([{"quantity": quantity, "state": state}])
}

/// Adjusts `state` to the quantity of an item. In a Cart all units are in the first State. In an Order they may be in
/// several: additional units are added to the first State, removed units are taken from the States in their order.
pub(super) fn follow_quantity(item: &mut Document) {
    let quantity = integer_or_log(item, &["quantity"]);
    let of = |state: &Value| integer_field_or_log(state, "quantity");
    let states = list(item, &[STATE]);
    let is_followed = states.iter().map(of).fold(0, i64::saturating_add) == quantity;
    if is_followed && states.iter().all(|state| of(state) > 0) {
        return;
    }
    let Some(states) = item.get_mut(STATE).and_then(Value::as_array_mut) else { return };
    let mut more = quantity.saturating_sub(states.iter().map(of).fold(0, i64::saturating_add));
    for state in states.iter_mut() {
        let left = of(state).saturating_add(more).max(0);
        more = more.saturating_sub(left.saturating_sub(of(state)));
        state["quantity"] = json!(left);
    }
    if quantity != 0 {
        states.retain(|state| of(state) != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_units_get_the_first_state_and_removed_units_leave_in_order() {
        let after = |quantity: i64, states: &[i64]| -> Vec<i64> {
            let states: Vec<_> = states.iter().map(|quantity| json!({"quantity": quantity})).collect();
            let mut item = Document::new();
            item.insert("quantity", json!(quantity));
            item.insert(STATE, json!(states));
            follow_quantity(&mut item);
            item[STATE].as_array().unwrap().iter().filter_map(|state| state["quantity"].as_i64()).collect()
        };
        assert_eq!(after(5, &[2]), [5]);
        assert_eq!(after(1, &[3]), [1]);
        assert_eq!(after(5, &[1, 2]), [3, 2]);
        assert_eq!(after(2, &[1, 2]), [2]);
        assert_eq!(after(3, &[1, 2]), [1, 2]);
    }
}
