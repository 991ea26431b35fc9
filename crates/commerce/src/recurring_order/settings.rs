//! Actions that change the schedule of a Recurring Order.
//!
//! Source: reference types `RecurringOrderSetScheduleAction`, `RecurringOrderSetStartsAtAction`,
//! `RecurringOrderSetExpiresAtAction`, `RecurringOrderSetOrderSkipConfigurationAction`.

use super::times::{admit_future, skips_left, time, wait_from};
use super::{EXPIRES, SCHEDULE, SKIPS, STARTS, STATE, recurring_order_state};
use crate::cart::reschedule;
use crate::kinds;
use crate::recurrence::schedule_of_policy;
use kontor_engine::document::{fields, has_enum, must_field, must_get, must_text, set};
use kontor_engine::{ActionContext, Document};
use kontor_enums::RecurringOrderState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// `setSchedule`: with the prices of the Cart.
///
/// 400 `InvalidOperation`: it is not active, or skips Orders; `MatchingPriceNotFound`: an item has no price.
pub(super) fn set_schedule(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let refuse = |what: &str| Err(ApiError::invalid_operation(format!("{}: {what}", context.place)));
    if !has_enum(context.document, &[STATE], RecurringOrderState::Active) {
        return refuse("the schedule can only be set while the Recurring Order is active.");
    }
    if skips_left(context.document) > 0 {
        return refuse("the schedule cannot be set while Orders are skipped.");
    }
    let policy = must_get(arguments, &["recurrencePolicy"])?.clone();
    let schedule = schedule_of_policy(must_field(&policy, "id")?, context.rules)?;
    let carts = kinds::CART;
    let id = must_text(context.document, &["cart", "id"])?;
    let missing = || ApiError::referenced_resource_not_found("cart", Some(id), None);
    let mut cart = match context.effects.changed_document(carts, id) {
        Some(changed) => changed.clone(),
        None => (*context.rules.find(carts, id)?.ok_or_else(missing)?).clone(),
    };
    reschedule(&mut cart, &policy)?;
    context.effects.change_further(carts, cart);
    let old = context.document.insert(SCHEDULE, schedule.clone());
    wait_from(context.document, context.rules.now)?;
    let message_fields =
        fields([("recurrencePolicySchedule", Some(schedule)), ("oldRecurrencePolicySchedule", old)]);
    context.emit("RecurringOrderScheduleSet", message_fields)
}

/// `setStartsAt`.
///
/// 400 `InvalidOperation`: it has started; `InvalidField`: not in the future.
pub(super) fn set_starts_at(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let now = context.rules.now;
    if context.document.get(STARTS).and_then(time).is_some_and(|starts| starts <= now) {
        return Err(ApiError::invalid_operation(format!(
            "{}: the Recurring Order has started already.",
            context.place
        )));
    }
    let starts = must_get(arguments, &[STARTS])?.clone();
    admit_future(&starts, &format!("{}.{STARTS}", context.place), now)?;
    let old = context.document.insert(STARTS, starts.clone());
    wait_from(context.document, now)?;
    context.emit("RecurringOrderStartsAtSet", fields([("startsAt", Some(starts)), ("oldStartsAt", old)]))
}

/// `setExpiresAt`: an expired Recurring Order continues if the new time is in the future.
pub(super) fn set_expires_at(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = arguments.get(EXPIRES).filter(|time| !time.is_null()).cloned();
    let old = context.document.get(EXPIRES).cloned();
    if new == old {
        return Ok(());
    }
    set(context.document, &[EXPIRES], new.clone());
    let is_over = new.as_ref().and_then(time).is_some_and(|expires| expires <= context.rules.now);
    let message_fields = fields([("newExpiresAt", new), ("oldExpiresAt", old)]);
    context.emit("RecurringOrderExpiresAtSet", message_fields)?;
    if has_enum(context.document, &[STATE], RecurringOrderState::Expired) && !is_over {
        recurring_order_state::change(context.document, RecurringOrderState::Active);
        wait_from(context.document, context.rules.now)?;
        context.emit(
            "RecurringOrderStateChanged",
            recurring_order_state::state_message_fields(
                RecurringOrderState::Expired,
                RecurringOrderState::Active,
            ),
        )?;
    }
    Ok(())
}

/// `setOrderSkipConfiguration`: resets the number of skipped Orders.
pub(super) fn set_skips(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let sent = arguments.get("skipConfigurationInputDraft").and_then(Value::as_object);
    let skips =
        sent.map(|sent| json!({"type": "Counter", "totalToSkip": sent.get("totalToSkip"), "skipped": 0}));
    set(context.document, &[SKIPS], skips);
    if let Some(expires) = arguments.get("updatedExpiresAt").filter(|time| !time.is_null()) {
        context.document.insert(EXPIRES, expires.clone());
    }
    Ok(())
}
