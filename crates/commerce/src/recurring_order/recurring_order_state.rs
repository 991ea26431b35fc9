//! The state of a Recurring Order, and its State in a workflow of the Project.
//!
//! Source: reference types `RecurringOrderState`, `RecurringOrderStateDraft`, `RecurringOrderSetStateAction`,
//! `RecurringOrderTransitionStateAction`.

use super::times::{admit_future, time, wait_from};
use super::{EXPIRES, NEXT, RESUMES, STATE};
use crate::transition::next_state;
use kontor_engine::document::{fields, must_enum, must_get, set};
use kontor_engine::{ActionContext, Document};
use kontor_enums::{RecurringOrderState, RecurringOrderStateDraftTag, StateTypeEnum};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// `setRecurringOrderState`.
///
/// 400 `InvalidOperation`: it is canceled; pausing one that is not active; resuming one that has expired.
pub(super) fn set_state(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let sent = arguments.get("recurringOrderState").and_then(Value::as_object);
    let sent = sent.ok_or_else(|| ApiError::bug("an action without its argument"))?;
    let old: RecurringOrderState = must_enum(context.document, &[STATE])?;
    let new = match must_enum(sent, &["type"])? {
        RecurringOrderStateDraftTag::Active => RecurringOrderState::Active,
        RecurringOrderStateDraftTag::Paused => RecurringOrderState::Paused,
        RecurringOrderStateDraftTag::Expired => RecurringOrderState::Expired,
        RecurringOrderStateDraftTag::Canceled => RecurringOrderState::Canceled,
    };
    let goes = match (old, new) {
        (old, new) if old == new => true,
        (RecurringOrderState::Canceled, _) => false,
        (_, RecurringOrderState::Paused) => old == RecurringOrderState::Active,
        (_, RecurringOrderState::Active) => !is_over(context),
        (_, RecurringOrderState::Expired | RecurringOrderState::Canceled | RecurringOrderState::Failed) => {
            true
        }
    };
    if !goes {
        return Err(ApiError::invalid_operation(format!(
            "{}: a Recurring Order that is {old} cannot become {new}.",
            context.place
        )));
    }
    let resumes = sent.get(RESUMES).filter(|time| !time.is_null());
    if let Some(resumes) = resumes {
        let field = format!("{}.recurringOrderState.{RESUMES}", context.place);
        admit_future(resumes, &field, context.rules.now)?;
    }
    if old == new && resumes.is_none() {
        return Ok(());
    }
    set(context.document, &[RESUMES], resumes.cloned());
    change(context.document, new);
    wait_from(context.document, context.rules.now)?;
    if old == new {
        Ok(())
    } else {
        context.emit("RecurringOrderStateChanged", state_message_fields(old, new))
    }
}

fn is_over(context: &ActionContext<'_, '_>) -> bool {
    let expires = context.document.get(EXPIRES).and_then(time);
    expires.is_some_and(|expires| expires <= context.rules.now)
}

/// Puts a Recurring Order into a state in which it waits for no Order.
pub(super) fn change(order: &mut Document, state: RecurringOrderState) {
    order.insert(STATE, json!(state));
    order.shift_remove(NEXT);
}

/// Returns the message fields of a state change.
pub(super) fn state_message_fields(old: RecurringOrderState, new: RecurringOrderState) -> Document {
    fields([("state", Some(json!(new))), ("oldState", Some(json!(old)))])
}

/// `transitionState`.
pub(super) fn transition(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let next = must_get(arguments, &["state"])?.clone();
    let force = arguments.get("force") == Some(&json!(true));
    let old = context.document.get("state").cloned();
    next_state(old.as_ref(), &next, StateTypeEnum::RecurringOrderState, force, context.rules)?;
    set(context.document, &["state"], Some(next.clone()));
    let message_fields = fields([("state", Some(next)), ("oldState", old), ("force", Some(json!(force)))]);
    context.emit("RecurringOrderStateTransition", message_fields)
}
