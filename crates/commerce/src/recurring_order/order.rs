//! Creates the Orders of a Recurring Order when they are due, and ends it.
//!
//! An Order is created from the current Cart, in one commit with the stock that it takes. If that fails, the
//! Recurring Order gets the state `Failed` with the reason.
//!
//! Source: reference types `RecurringOrderState`, `RecurringOrderFailedMessage`,
//! `RecurringOrderFailureError`, `OrderCreatedFromRecurringOrderMessage`, `Counter`; operation "Create
//! RecurringOrder" (an expired one creates no Order).

use super::times::{skips_left, wait_from};
use super::{EXPIRES, LAST, NEXT, RESUMES, SKIPS, STATE, recurring_order_state, times};
use crate::cart::prepare_next_order;
use crate::kinds;
use crate::order::create_order_document;
use kontor_engine::document::{
    enum_or_log, fields, get, integer_or_zero, must_enum, must_get, must_text, reference, set, text,
};
use kontor_engine::{Document, DueOutcome, DueRule, Effects, Rules};
use kontor_enums::RecurringOrderState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

pub(super) const DUE: DueRule = DueRule { at: due_time, act: process_due_order };

/// The lowest status of server errors, which the Cart did not cause.
const FAULTS_OF_THE_SERVER: u16 = 500;

/// Returns the time of the next Order or of the end, whichever is due.
fn due_time(recurring: &Document) -> Option<String> {
    let expires = text(recurring, &[EXPIRES]);
    let at = match enum_or_log(recurring, &[STATE]) {
        Some(RecurringOrderState::Active) => [text(recurring, &[NEXT]), expires].into_iter().flatten().min(),
        Some(RecurringOrderState::Paused) => expires,
        Some(RecurringOrderState::Expired | RecurringOrderState::Canceled | RecurringOrderState::Failed)
        | None => None,
    };
    at.map(str::to_owned)
}

fn process_due_order(
    recurring: &mut Document,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<DueOutcome> {
    let now = rules.time();
    if text(recurring, &[EXPIRES]).is_some_and(|expires| expires <= now) {
        let old = must_enum(recurring, &[STATE])?;
        recurring_order_state::change(recurring, RecurringOrderState::Expired);
        let messages = vec![(
            "RecurringOrderStateChanged",
            recurring_order_state::state_message_fields(old, RecurringOrderState::Expired),
        )];
        return Ok(DueOutcome { is_new_version: true, messages });
    }
    let scheduled = must_get(recurring, &[NEXT])?.clone();
    if skips_left(recurring) > 0 {
        let skipped = integer_or_zero(recurring, &[SKIPS, "skipped"]);
        set(recurring, &[SKIPS, "skipped"], Some(json!(skipped + 1)));
        set(recurring, &[SKIPS, "lastSkippedAt"], Some(json!(now)));
    } else {
        if let Some(told) = try_order(recurring, &scheduled, rules, effects)? {
            return Ok(DueOutcome { is_new_version: true, messages: vec![("RecurringOrderFailed", told)] });
        }
    }
    if text(recurring, &[RESUMES]).is_some_and(|resumes| resumes <= now) {
        recurring.shift_remove(RESUMES);
    }
    // The schedule advances by each of its times, including missed ones.
    let last = times::time(&scheduled).unwrap_or(rules.now);
    wait_from(recurring, last)?;
    Ok(DueOutcome { is_new_version: false, messages: Vec::new() })
}

/// Creates an Order from the Cart. If that fails, the Recurring Order is `Failed`; returns the fields of the Message.
pub(super) fn try_order(
    recurring: &mut Document,
    scheduled: &Value,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<Option<Document>> {
    let mut attempt = Effects::default();
    match order(recurring, rules, &mut attempt) {
        Ok(()) => {
            effects.merge(attempt);
            recurring.insert(LAST, json!(rules.time()));
            Ok(None)
        }
        Err(error) if error.status() >= FAULTS_OF_THE_SERVER => Err(error),
        Err(error) => Ok(Some(fail(recurring, &error, scheduled, rules))),
    }
}

/// Creates an Order from the Cart.
fn order(recurring: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let carts = kinds::CART;
    let id = must_text(recurring, &["cart", "id"])?;
    let missing = || ApiError::referenced_resource_not_found("cart", Some(id), None);
    let mut cart = (*rules.find(carts, id)?.ok_or_else(missing)?).clone();
    prepare_next_order(&mut cart, rules)?;
    let mut order = create_order_document(&cart, &Document::new(), rules, effects)?;
    order.insert("id", json!(rules.new_id()));
    let by = reference("recurring-order", must_text(recurring, &["id"])?);
    order.insert("recurringOrder", by);
    effects.change(carts, cart);
    effects.create(kinds::ORDER, order, Some("OrderCreatedFromRecurringOrder"));
    Ok(())
}

/// Records that no Order could be created. Returns why.
fn fail(recurring: &mut Document, error: &ApiError, scheduled: &Value, rules: &Rules<'_>) -> Document {
    recurring_order_state::change(recurring, RecurringOrderState::Failed);
    let errors = error.objects().iter().map(|object| {
        json!({"code": "RecurringOrderFailure", "message": object.message, "details": object.to_json()})
    });
    fields([
        ("cartId", get(recurring, &["cart", "id"]).cloned()),
        ("failedAt", Some(json!(rules.time()))),
        ("failureReason", Some(json!(error.message()))),
        ("orderScheduledAt", Some(scheduled.clone())),
        ("errors", Some(errors.collect())),
    ])
}
