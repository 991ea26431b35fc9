//! Recurring items of a Cart and their schedules, shared by Orders that create Recurring Orders and by
//! Recurring Orders themselves.
//!
//! Source: reference types `LineItemRecurrenceInfo`, `CustomLineItemRecurrenceInfo`, `RecurrencePolicy`,
//! `RecurringOrder`.

mod recurring_order_creation;
mod schedule;

pub(crate) use recurring_order_creation::{RecurringOrderStart, begin_with_order, set_initial_fields};
pub(crate) use schedule::Schedule;

use crate::kinds;
use kontor_engine::document::{has_enum, list, must_get};
use kontor_engine::{Document, Rules};
use kontor_enums::CartOrigin;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// The fields of a Cart with items.
const ITEMS: [&str; 2] = ["lineItems", "customLineItems"];

/// The recurrence of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recurrence<'c> {
    /// The id of the Recurrence Policy.
    pub(crate) policy: &'c str,
    /// The end of the recurrence, if the item has one.
    pub(crate) expires_at: Option<&'c str>,
}

/// Returns the recurrence of an item; `None` if it is bought once.
pub(crate) fn recurrence_of(item: &Value) -> Option<Recurrence<'_>> {
    let info = item.get("recurrenceInfo")?;
    let policy = info["recurrencePolicy"]["id"].as_str()?;
    Some(Recurrence { policy, expires_at: info["expiresAt"].as_str() })
}

/// Returns all items of a Cart.
pub(crate) fn all_items(cart: &Document) -> impl Iterator<Item = &Value> {
    ITEMS.into_iter().flat_map(|field| list(cart, &[field]))
}

/// The different ways in which items of a Cart recur.
pub(crate) fn recurrences(cart: &Document) -> Vec<Recurrence<'_>> {
    let mut found = Vec::new();
    for recurrence in all_items(cart).filter_map(recurrence_of) {
        if !found.contains(&recurrence) {
            found.push(recurrence);
        }
    }
    found
}

/// Whether a Cart belongs to a Recurring Order.
pub(crate) fn is_of_recurring_order(cart: &Document) -> bool {
    has_enum(cart, &["origin"], CartOrigin::RecurringOrder)
}

/// Returns the stored schedule of a Recurrence Policy.
///
/// 400 `ReferencedResourceNotFound`: it was deleted.
pub(crate) fn schedule_of_policy(policy: &str, rules: &Rules<'_>) -> ApiResult<Value> {
    let missing = || ApiError::referenced_resource_not_found("recurrence-policy", Some(policy), None);
    let found = rules.find(kinds::RECURRENCE_POLICY, policy)?.ok_or_else(missing)?;
    must_get(&found, &["schedule"]).cloned()
}
