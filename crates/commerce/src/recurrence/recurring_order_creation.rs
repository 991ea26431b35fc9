//! Creation of Recurring Orders.
//!
//! Source: reference types `RecurringOrder` (`originOrder`, `cart`), `RecurringOrderDraft`, `CartOrigin`.

use super::{ITEMS, Recurrence, Schedule, recurrence_of, recurrences, schedule_of_policy};
use crate::copied_fields::content_of_cart;
use crate::kinds;
use jiff::Timestamp;
use kontor_engine::document::{must_text, reference, text};
use kontor_engine::{Document, Effects, Rules, format_time};
use kontor_enums::{CartOrigin, CartState, DiscountCodeState, RecurringOrderState};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// The initial values of a Recurring Order.
pub(crate) struct RecurringOrderStart<'b> {
    /// The Cart from which Orders are created; it has an id.
    pub(crate) cart: &'b Document,
    /// The stored schedule.
    pub(crate) schedule: Value,
    /// The start of the schedule.
    pub(crate) starts_at: Timestamp,
    /// The first time of an Order.
    pub(crate) first_at: Option<Timestamp>,
}

/// Sets the initial fields of a new Recurring Order.
pub(crate) fn set_initial_fields(order: &mut Document, beginning: RecurringOrderStart<'_>) -> ApiResult<()> {
    let RecurringOrderStart { cart, schedule, starts_at, first_at } = beginning;
    let cart_id = must_text(cart, &["id"])?;
    order.insert("cart", reference("cart", cart_id));
    order.insert("startsAt", json!(format_time(starts_at)));
    order.extend(first_at.map(|at| ("nextOrderAt".to_owned(), json!(format_time(at)))));
    order.insert("recurringOrderState", json!(RecurringOrderState::Active));
    order.insert("schedule", schedule);
    for field in ["store", "businessUnit", "customerEmail"] {
        order.extend(cart.get(field).map(|value| (field, value.clone())));
    }
    let customer = text(cart, &["customerId"]);
    order.extend(customer.map(|id| ("customer".to_owned(), reference("customer", id))));
    Ok(())
}

/// Creates the Recurring Orders of a Cart that is ordered: one for each schedule of its items, each with a separate
/// Cart. The Order is the first one of each.
pub(crate) fn begin_with_order(
    cart: &Document,
    order_id: &str,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<()> {
    if super::is_of_recurring_order(cart) {
        return Ok(());
    }
    for recurrence in recurrences(cart) {
        let schedule = schedule_of_policy(recurrence.policy, rules)?;
        let of_its_own = cart_of(cart, recurrence, rules, effects)?;
        let mut recurring = Document::new();
        recurring.insert("id", json!(rules.new_id()));
        recurring.insert("originOrder", reference("order", order_id));
        recurring.extend(recurrence.expires_at.map(|at| ("expiresAt".to_owned(), json!(at))));
        let first_at = Schedule::read(&schedule, rules.now)?.next_after(rules.now);
        let beginning = RecurringOrderStart { cart: &of_its_own, schedule, starts_at: rules.now, first_at };
        set_initial_fields(&mut recurring, beginning)?;
        effects.create(kinds::CART, of_its_own, None);
        effects.create(kinds::RECURRING_ORDER, recurring, None);
    }
    Ok(())
}

/// A Cart with the items that recur in one way.
fn cart_of(
    ordered: &Document,
    recurrence: Recurrence<'_>,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<Document> {
    let mut cart = content_of_cart(ordered, rules)?;
    // The Cart is needed as long as Orders are created from it.
    cart.shift_remove("deleteDaysAfterLastModification");
    cart.insert("id", json!(rules.new_id()));
    cart.insert("origin", json!(CartOrigin::RecurringOrder));
    cart.insert("cartState", json!(CartState::Active));
    cart.insert("refusedGifts", json!([]));
    for field in ITEMS {
        let Some(Value::Array(items)) = cart.get_mut(field) else { continue };
        items.retain(|item| recurrence_of(item) == Some(recurrence));
        for item in items.iter_mut().filter_map(Value::as_object_mut) {
            item.insert("id", json!(rules.new_id()));
            item.insert("discountedPricePerQuantity", json!([]));
            item.shift_remove("reservation");
        }
    }
    if let Some(Value::Object(info)) = cart.get_mut("shippingInfo") {
        info.shift_remove("deliveries");
    }
    leave_codes(&mut cart, rules, effects)?;
    Ok(cart)
}

/// Removes Discount Codes that do not apply to Recurring Orders.
fn leave_codes(cart: &mut Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let missing = || ApiError::bug("the model leaves Carts without rules");
    let of_carts = rules.behaviours.get(kinds::CART).ok_or_else(missing)?;
    let before = cart.clone();
    of_carts.settle(Some(&before), cart, rules, effects)?;
    if let Some(Value::Array(codes)) = cart.get_mut("discountCodes") {
        codes.retain(|code| code["state"] == DiscountCodeState::MatchesCart.as_str());
    }
    Ok(())
}
