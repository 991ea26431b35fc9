//! `requestOrderNow`: the next Order is created before its time. The schedule continues with the time after it, so there
//! are as many Orders as without the request.
//!
//! Source: release note of 21 October 2026. Conversation: `tests/api/recurring-orders/order-now.txt`.

use super::order::try_order;
use super::times::{time, wait_from};
use super::{EXPIRES, LAST, NEXT, STARTS, STATE};
use crate::kinds;
use crate::recurrence::recurrences;
use jiff::{SignedDuration, Timestamp};
use kontor_engine::document::{must_enum, must_text};
use kontor_engine::{ActionContext, Document, Rules, format_time};
use kontor_enums::RecurringOrderState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Creates the next Order in the commit of the request. If that fails, the Recurring Order is `Failed`, as when an Order
/// is due.
///
/// 400 `InvalidOperation`: it is not active or has expired; the last Order was too short ago; an action before has
/// changed its Cart.
pub(super) fn request(context: &mut ActionContext<'_, '_>, _arguments: &Document) -> ApiResult<()> {
    let refuse = |what: &str| Err(ApiError::invalid_operation(format!("{}: {what}", context.place)));
    let rules = context.rules;
    let state: RecurringOrderState = must_enum(context.document, &[STATE])?;
    if state != RecurringOrderState::Active {
        return refuse(&format!("a Recurring Order that is {state} creates no Order."));
    }
    if context.document.get(EXPIRES).and_then(time).is_some_and(|expires| expires <= rules.now) {
        return refuse("a Recurring Order that has expired creates no Order.");
    }
    if context.effects.changed_document(kinds::CART, must_text(context.document, &["cart", "id"])?).is_some()
    {
        return refuse("an action before this one has changed the Cart; request the Order separately.");
    }
    if let Some(earliest) = earliest_order(context.document, rules)?.filter(|earliest| *earliest > rules.now)
    {
        return refuse(&format!(
            "the Recurrence Policy allows the next Order from {} on.",
            format_time(earliest)
        ));
    }
    context.emit("RecurringOrderNowRequested", Document::new())?;
    let scheduled = context.document.get(NEXT).cloned().unwrap_or_else(|| json!(rules.time()));
    if let Some(told) = try_order(context.document, &scheduled, rules, context.effects)? {
        return context.emit("RecurringOrderFailed", told);
    }
    wait_from(context.document, time(&scheduled).unwrap_or(rules.now))
}

/// Returns the time from which the Recurrence Policy of the Cart allows a further Order; `None` if it does not say.
fn earliest_order(recurring: &Document, rules: &Rules<'_>) -> ApiResult<Option<Timestamp>> {
    // A Recurring Order that began with an Order began at the time of that Order.
    let first = recurring.get("originOrder").and_then(|_| recurring.get(STARTS));
    let Some(last) = recurring.get(LAST).or(first).and_then(time) else { return Ok(None) };
    let cart = rules.find(kinds::CART, must_text(recurring, &["cart", "id"])?)?;
    let Some(cart) = cart else { return Ok(None) };
    let Some(policy) = recurrences(&cart).first().map(|recurrence| recurrence.policy.to_owned()) else {
        return Ok(None);
    };
    let policy = rules.find(kinds::RECURRENCE_POLICY, &policy)?;
    let days = policy.and_then(|policy| policy.get("minDaysBetweenOrders").and_then(Value::as_i64));
    let distance = days.and_then(|days| days.checked_mul(24)).map(SignedDuration::from_hours);
    // A time that cannot be represented never comes.
    Ok(distance.map(|distance| last.checked_add(distance).unwrap_or(Timestamp::MAX)))
}
