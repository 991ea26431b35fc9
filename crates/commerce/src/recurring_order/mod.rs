//! Recurring Order: creates an Order from its Cart repeatedly, by a schedule.
//!
//! Source: reference types `RecurringOrder`, `RecurringOrderDraft`, `RecurringOrder…Action`, `RecurringOrder…Message`;
//! operations on Recurring Orders. Conversations: `tests/api/recurring-orders/`.

mod create;
mod order;
mod order_request;
mod recurring_order_state;
mod settings;
mod times;

use kontor_engine::{ActionHandler, Behaviour, Document, DueRule, Effects, Rules};
use kontor_errors::ApiResult;

const STATE: &str = "recurringOrderState";
const NEXT: &str = "nextOrderAt";
const LAST: &str = "lastOrderAt";
const EXPIRES: &str = "expiresAt";
const STARTS: &str = "startsAt";
const RESUMES: &str = "resumesAt";
const SCHEDULE: &str = "schedule";
const SKIPS: &str = "skipConfiguration";

pub(crate) struct RecurringOrder;

impl Behaviour for RecurringOrder {
    fn resource(&self) -> &'static str {
        "RecurringOrder"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("requestOrderNow", order_request::request),
            ("setExpiresAt", settings::set_expires_at),
            ("setOrderSkipConfiguration", settings::set_skips),
            ("setRecurringOrderState", recurring_order_state::set_state),
            ("setSchedule", settings::set_schedule),
            ("setStartsAt", settings::set_starts_at),
            ("transitionState", recurring_order_state::transition),
        ]
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        create::complete(after, draft, rules, effects)
    }

    fn due_rule(&self) -> Option<DueRule> {
        Some(order::DUE)
    }
}
