//! Calculates the times of a schedule: every so many days, weeks or months from its start, or on one day of each month.
//! All times are in UTC. Start at [`Schedule::next_after`].
//!
//! Source: reference types `StandardSchedule`, `DayOfMonthSchedule` (in shorter months the last day), `IntervalUnit`.

use crate::view::{read, views};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};
use kontor_engine::Document;
use kontor_enums::IntervalUnit;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

views! {
    /// A stored schedule of either type.
    struct ScheduleView of "StandardSchedule" | "DayOfMonthSchedule" {
        value: Option<i64>,
        interval_unit: Option<IntervalUnit>,
        day: Option<i8>,
    }
}

/// A schedule with its start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    begin: Timestamp,
    every: ScheduleInterval,
}

#[derive(Debug, Clone, Copy)]
enum ScheduleInterval {
    Days(i64),
    Months(i64),
    DayOfMonth(i8),
}

/// Days of a week.
const WEEK_DAYS: i64 = 7;

impl Schedule {
    /// Reads a stored schedule.
    pub(crate) fn read(schedule: &Value, begin: Timestamp) -> ApiResult<Self> {
        let empty = Document::new();
        let view: ScheduleView = read(schedule.as_object().unwrap_or(&empty))?;
        let every = match (view.day, view.interval_unit, view.value) {
            (Some(day), ..) => ScheduleInterval::DayOfMonth(day),
            (None, Some(IntervalUnit::Days), Some(days)) => ScheduleInterval::Days(days),
            (None, Some(IntervalUnit::Weeks), Some(weeks)) => {
                ScheduleInterval::Days(weeks.saturating_mul(WEEK_DAYS))
            }
            (None, Some(IntervalUnit::Months), Some(months)) => ScheduleInterval::Months(months),
            (None, None, _) | (None, _, None) => {
                return Err(ApiError::bug("a stored schedule without a day or an interval"));
            }
        };
        Ok(Self { begin, every })
    }

    /// The first time: the beginning, or the day of a month that is the next from then on.
    pub(crate) fn first_time(&self) -> Option<Timestamp> {
        match self.every {
            ScheduleInterval::DayOfMonth(day) => of_month(self.begin, day, |time| time >= self.begin),
            _ => Some(self.begin),
        }
    }

    /// Returns the first time of the schedule after `time`; `None` if it cannot be represented.
    pub(crate) fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        if time < self.begin {
            return self.first_time();
        }
        match self.every {
            ScheduleInterval::Days(days) => {
                let step = Span::new().try_hours(days.checked_mul(24)?).ok()?;
                let passed = time.duration_since(self.begin).as_hours() / days.checked_mul(24)?;
                let steps = step.checked_mul(passed.checked_add(1)?).ok()?;
                self.begin.checked_add(steps).ok()
            }
            ScheduleInterval::Months(months) => {
                let (from, to) = (civil(self.begin), civil(time));
                let passed = (i64::from(to.year()) - i64::from(from.year())) * 12 + i64::from(to.month())
                    - i64::from(from.month());
                // The time in the month of `time` may be before it; then the next one is a step further.
                let steps = passed / months;
                [steps, steps.checked_add(1)?].into_iter().find_map(|steps| {
                    let span = Span::new().try_months(months.checked_mul(steps)?).ok()?;
                    Some(stamp(from.checked_add(span).ok()?)?).filter(|at| *at > time)
                })
            }
            ScheduleInterval::DayOfMonth(day) => of_month(self.time_of_day(time), day, |at| at > time),
        }
    }

    /// The day of a time, at the time of day of the beginning.
    fn time_of_day(&self, time: Timestamp) -> Timestamp {
        let at = civil(time).date().to_datetime(civil(self.begin).time());
        stamp(at).unwrap_or(time)
    }
}

/// The first time on a day of a month, from the month of `time` on, that is wanted.
fn of_month(time: Timestamp, day: i8, is_wanted: impl Fn(Timestamp) -> bool) -> Option<Timestamp> {
    let month = civil(time).first_of_month();
    (0..=1).find_map(|months| {
        let month = month.checked_add(months.months()).ok()?;
        let at = month.with().day(day.min(month.days_in_month())).build().ok()?;
        stamp(at).filter(|at| is_wanted(*at))
    })
}

fn civil(time: Timestamp) -> DateTime {
    TimeZone::UTC.to_datetime(time)
}

fn stamp(time: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(time).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;
    use proptest::prelude::*;

    fn timestamp(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    fn standard(value: i64, unit: &str, begin: &str) -> Schedule {
        let schedule = json!({"type": "standard", "value": value, "intervalUnit": unit});
        Schedule::read(&schedule, timestamp(begin)).unwrap()
    }

    fn of_day(day: i8, begin: &str) -> Schedule {
        Schedule::read(&json!({"type": "dayOfMonth", "day": day}), timestamp(begin)).unwrap()
    }

    fn times(schedule: Schedule, count: usize) -> Vec<String> {
        let first = schedule.first_time();
        std::iter::successors(first, |time| schedule.next_after(*time))
            .take(count)
            .map(|at| at.to_string())
            .collect()
    }

    #[test]
    fn days_and_weeks_have_the_same_time_of_day() {
        let fortnight = standard(2, "Weeks", "2027-01-25T08:30:00Z");
        assert_eq!(
            times(fortnight, 3),
            ["2027-01-25T08:30:00Z", "2027-02-08T08:30:00Z", "2027-02-22T08:30:00Z"]
        );
        let daily = standard(1, "Days", "2027-02-28T00:00:00Z");
        assert_eq!(times(daily, 2), ["2027-02-28T00:00:00Z", "2027-03-01T00:00:00Z"]);
    }

    #[test]
    fn months_end_early_and_do_not_stay_short() {
        assert_eq!(
            times(standard(1, "Months", "2027-01-31T12:00:00Z"), 4),
            ["2027-01-31T12:00:00Z", "2027-02-28T12:00:00Z", "2027-03-31T12:00:00Z", "2027-04-30T12:00:00Z"]
        );
        assert_eq!(
            times(of_day(31, "2028-01-15T12:00:00Z"), 3),
            ["2028-01-31T12:00:00Z", "2028-02-29T12:00:00Z", "2028-03-31T12:00:00Z"]
        );
    }

    #[test]
    fn the_day_of_a_month_that_is_over_is_in_the_next_one() {
        assert_eq!(times(of_day(5, "2027-12-15T06:00:00Z"), 1), ["2028-01-05T06:00:00Z"]);
        assert_eq!(times(of_day(15, "2027-12-15T06:00:00Z"), 1), ["2027-12-15T06:00:00Z"]);
        let late = of_day(15, "2027-12-15T23:00:00Z");
        assert_eq!(
            late.next_after(timestamp("2028-01-15T22:59:59Z")),
            Some(timestamp("2028-01-15T23:00:00Z"))
        );
        assert_eq!(
            late.next_after(timestamp("2028-01-15T23:00:00Z")),
            Some(timestamp("2028-02-15T23:00:00Z"))
        );
    }

    #[test]
    fn a_time_out_of_range_is_none() {
        let rare = standard(i64::MAX, "Months", "2027-01-31T12:00:00Z");
        assert_eq!(rare.next_after(timestamp("2027-01-31T12:00:00Z")), None);
        let rare = standard(i64::MAX, "Days", "2027-01-31T12:00:00Z");
        assert_eq!(rare.next_after(timestamp("2027-01-31T12:00:00Z")), None);
    }

    proptest! {
        #[test]
        fn the_next_time_is_later_and_nothing_is_between(
            (value, unit) in prop_oneof![
                (1_i64..40).prop_map(|value| (value, "Days")),
                (1_i64..8).prop_map(|value| (value, "Weeks")),
                (1_i64..14).prop_map(|value| (value, "Months")),
            ],
            begin in 1_700_000_000_i64..1_900_000_000,
            later in 0_i64..100_000_000,
        ) {
            let begin = Timestamp::from_second(begin).unwrap();
            let schedule = json!({"type": "standard", "value": value, "intervalUnit": unit});
            let schedule = Schedule::read(&schedule, begin).unwrap();
            let time = Timestamp::from_second(begin.as_second() + later).unwrap();
            let next = schedule.next_after(time).unwrap();
            prop_assert!(next > time);
            // Stepping from the beginning leads to the same time.
            let walked = std::iter::successors(Some(begin), |at| schedule.next_after(*at)).find(|at| *at > time);
            prop_assert_eq!(Some(next), walked);
        }
    }
}
