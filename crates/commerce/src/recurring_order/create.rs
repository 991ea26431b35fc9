//! Creates a Recurring Order from a Cart that was not ordered.
//!
//! Source: operation "Create RecurringOrder" (the Cart can be ordered, its version), reference type
//! `RecurringOrderDraft`.

use super::times::admit_future;
use super::{STARTS, times};
use crate::kinds;
use crate::order::admit_cart;
use crate::recurrence::{
    RecurringOrderStart, Schedule, all_items, is_of_recurring_order, recurrence_of, recurrences,
    schedule_of_policy, set_initial_fields,
};
use crate::transition::first_state;
use kontor_engine::document::{must_integer, must_text};
use kontor_engine::{Document, Effects, Rules};
use kontor_enums::{CartOrigin, StateTypeEnum};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

pub(super) fn complete(
    after: &mut Document,
    draft: &Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    if let Some(state) = after.get("state") {
        first_state(state, StateTypeEnum::RecurringOrderState, rules)?;
    }
    let starts_at = match after.get(STARTS) {
        Some(sent) => admit_future(sent, STARTS, rules.now)?,
        None => rules.now,
    };
    if let Some(sent) = after.get(super::EXPIRES)
        && times::time(sent).is_some_and(|expires| expires <= starts_at)
    {
        let expected = "Expected a time after the start.";
        return Err(ApiError::invalid_field(super::EXPIRES, sent, expected, None));
    }
    let carts = kinds::CART;
    let id = must_text(after, &["cart", "id"])?;
    let missing = || ApiError::referenced_resource_not_found("cart", Some(id), None);
    let cart = rules.find(carts, id)?.ok_or_else(missing)?;
    admit_version(draft, &cart, id)?;
    let schedule = schedule_of_policy(policy_of(&cart)?, rules)?;
    admit_cart(&cart)?;
    let first_at = Schedule::read(&schedule, starts_at)?.first_time();
    set_initial_fields(after, RecurringOrderStart { cart: &cart, schedule, starts_at, first_at })?;
    let mut cart = (*cart).clone();
    cart.insert("origin", json!(CartOrigin::RecurringOrder));
    // The Cart is needed as long as Orders are created from it.
    cart.shift_remove("deleteDaysAfterLastModification");
    effects.change(carts, cart);
    Ok(())
}

fn admit_version(draft: &Document, cart: &Document, id: &str) -> ApiResult<()> {
    let (seen, now) = (must_integer(draft, &["cartVersion"])?, must_integer(cart, &["version"])?);
    if seen == now { Ok(()) } else { Err(ApiError::concurrent_modification(id, seen, now)) }
}

/// The Recurrence Policy by which all items of a Cart recur.
fn policy_of(cart: &Document) -> ApiResult<&str> {
    if is_of_recurring_order(cart) {
        return Err(ApiError::invalid_operation("The Cart is that of a Recurring Order already."));
    }
    let recurring = recurrences(cart);
    match recurring.first() {
        Some(first)
            if recurring.iter().all(|other| other.policy == first.policy)
                && all_items(cart).all(|item| recurrence_of(item).is_some()) =>
        {
            Ok(first.policy)
        }
        _ => Err(ApiError::invalid_operation(
            "A Recurring Order is made of a Cart whose items recur by one Recurrence Policy: set the same \
             recurrenceInfo.recurrencePolicy for each of them.",
        )),
    }
}
