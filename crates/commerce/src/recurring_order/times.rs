//! Reads and validates the times of a Recurring Order, and calculates when its next Order is due.

use super::{NEXT, RESUMES, SCHEDULE, SKIPS, STARTS, STATE};
use crate::recurrence::Schedule;
use jiff::Timestamp;
use kontor_engine::document::{integer_or_zero, must_enum, set};
use kontor_engine::{Document, format_time};
use kontor_enums::RecurringOrderState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::parse_date_time;

/// A time that was sent or is stored.
pub(super) fn time(value: &Value) -> Option<Timestamp> {
    parse_date_time(value.as_str()?)
}

/// Returns a sent time; 400 `InvalidField` if it is not in the future.
pub(super) fn admit_future(sent: &Value, field: &str, now: Timestamp) -> ApiResult<Timestamp> {
    let later = time(sent).filter(|time| *time > now);
    later.ok_or_else(|| ApiError::invalid_field(field, sent, "Expected a time in the future.", None))
}

/// Returns the schedule of a Recurring Order with its start.
pub(super) fn schedule(order: &Document) -> ApiResult<Schedule> {
    let begin = order.get(STARTS).and_then(time);
    let begin = begin.ok_or_else(|| ApiError::bug("a Recurring Order that never starts"))?;
    Schedule::read(order.get(SCHEDULE).unwrap_or(&Value::Null), begin)
}

/// Sets when the next Order is created: the first time of the schedule after `now` and not before `resumesAt`. Removes
/// it if the Recurring Order is not active.
pub(super) fn wait_from(order: &mut Document, now: Timestamp) -> ApiResult<()> {
    let next = match must_enum(order, &[STATE])? {
        RecurringOrderState::Active => {
            let schedule = schedule(order)?;
            let resumes = order.get(RESUMES).and_then(time).filter(|resumes| *resumes > now);
            // An Order that is due exactly at the resumption is created.
            let after = resumes.and_then(|time| time.checked_sub(jiff::SignedDuration::from_millis(1)).ok());
            schedule.next_after(after.unwrap_or(now))
        }
        RecurringOrderState::Paused
        | RecurringOrderState::Expired
        | RecurringOrderState::Canceled
        | RecurringOrderState::Failed => None,
    };
    set(order, &[NEXT], next.map(|next| json!(format_time(next))));
    Ok(())
}

/// Returns the number of Orders that are still to be skipped.
pub(super) fn skips_left(order: &Document) -> i64 {
    let number = |name: &str| integer_or_zero(order, &[SKIPS, name]);
    number("totalToSkip") - number("skipped")
}
