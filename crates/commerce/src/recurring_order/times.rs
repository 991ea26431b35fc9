//! The times of a Recurring Order.

use super::{ACTIVE, NEXT, RESUMES, SCHEDULE, SKIPS, STARTS, STATE};
use crate::recurrence::Schedule;
use jiff::Timestamp;
use kontor_engine::document::{integer_or_zero, set, text};
use kontor_engine::{Document, format_time};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// A time that was sent or is stored.
pub(super) fn time(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}

/// 400 `InvalidField` where a time that was sent is not in the future.
pub(super) fn admit_future(sent: &Value, field: &str, now: Timestamp) -> ApiResult<Timestamp> {
    let later = time(sent).filter(|time| *time > now);
    later.ok_or_else(|| ApiError::invalid_field(field, sent, "Expected a time in the future.", None))
}

/// Its schedule, from when it starts.
pub(super) fn schedule(order: &Document) -> ApiResult<Schedule> {
    let begin = order.get(STARTS).and_then(time);
    let begin = begin.ok_or_else(|| ApiError::bug("a Recurring Order that never starts"))?;
    Schedule::read(order.get(SCHEDULE).unwrap_or(&Value::Null), begin)
}

/// Notes when the next Order is made: by the schedule, later than `now`, from when on Orders are made again. None, unless it
/// is active.
pub(super) fn wait_from(order: &mut Document, now: Timestamp) -> ApiResult<()> {
    let next = match text(order, &[STATE]) {
        Some(ACTIVE) => {
            let schedule = schedule(order)?;
            let resumes = order.get(RESUMES).and_then(time).filter(|resumes| *resumes > now);
            // One that is due just when Orders are made again is made.
            let after = resumes.and_then(|time| time.checked_sub(jiff::SignedDuration::from_millis(1)).ok());
            schedule.after(after.unwrap_or(now))
        }
        _ => None,
    };
    set(order, &[NEXT], next.map(|next| json!(format_time(next))));
    Ok(())
}

/// How many Orders are still to be skipped.
pub(super) fn skips_left(order: &Document) -> i64 {
    let number = |name: &str| integer_or_zero(order, &[SKIPS, name]);
    number("totalToSkip") - number("skipped")
}
