//! Subscription: a destination that receives Messages, changes and events.
//!
//! Source: reference types `Subscription`, `SubscriptionDraft`, `Subscription…Action`, `…Destination`,
//! `…Format`; document A, "Event notifications". Conversations: `tests/api/subscriptions/`.

mod destination;
mod health;
mod test_notification;

pub(crate) use test_notification::test_notification;

use destination::SECRETS;
use kontor_engine::document::{enum_or_log, list, must_field, text, text_or_log};
use kontor_engine::{ActionContext, ActionHandler, Behaviour, Document, Effects, EndpointHandler, Rules};
use kontor_enums::SubscriptionHealthStatus;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

pub(crate) const SUBSCRIPTION: &str = "subscription";
/// The status of a Subscription whose deliveries succeed, or that had none.
pub(crate) const HEALTHY: &str = SubscriptionHealthStatus::Healthy.as_str();

/// The Messages of a Customer about tokens have a separate type for Subscriptions: the prefix of their names, and that
/// type (reference type `MessageSubscriptionResourceTypeId`).
const ABOUT_TOKENS: [(&str, &str); 2] =
    [("CustomerEmailToken", "customer-email-token"), ("CustomerPasswordToken", "customer-password-token")];

/// The token that a Message of a Customer is about, among the kinds that can be subscribed to.
pub(crate) fn token_of(message: &str) -> Option<&'static str> {
    ABOUT_TOKENS.iter().find(|(start, _)| message.starts_with(start)).map(|(_, token)| *token)
}

/// Whether a kind is one of tokens of Customers.
pub(crate) fn is_token(kind: &str) -> bool {
    ABOUT_TOKENS.iter().any(|(_, token)| *token == kind)
}

/// Whether notifications are queued for a Subscription (reference type `SubscriptionHealthStatus`).
pub(crate) fn is_served(subscription: &Document) -> bool {
    match enum_or_log(subscription, &["status"]) {
        Some(
            SubscriptionHealthStatus::ConfigurationErrorDeliveryStopped
            | SubscriptionHealthStatus::ManuallySuspended,
        ) => false,
        Some(
            SubscriptionHealthStatus::Healthy
            | SubscriptionHealthStatus::ConfigurationError
            | SubscriptionHealthStatus::TemporaryError,
        )
        | None => true,
    }
}

pub(crate) struct Subscription;

impl Behaviour for Subscription {
    fn resource(&self) -> &'static str {
        "Subscription"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[("changeDestination", change_destination)]
    }

    fn endpoints(&self) -> &'static [(&'static str, EndpointHandler)] {
        &[("health", health::HEALTH)]
    }

    fn complete(
        &self,
        after: &mut Document,
        draft: &Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if !draft.contains_key("format") {
            after.insert("format", json!({"type": "Platform"}));
        }
        after.insert("status", json!(HEALTHY));
        Ok(())
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        admit_subjects(before, after, rules)?;
        destination::settle(before, after, rules, effects)
    }

    fn before_delete(
        &self,
        subscription: &Document,
        rules: &Rules<'_>,
        effects: &mut Effects,
    ) -> ApiResult<()> {
        SECRETS.delete_secret(subscription, rules.model, effects);
        Ok(())
    }
}

/// `changeDestination` resets the status of deliveries.
fn change_destination(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if let Some(destination) = arguments.get("destination") {
        context.document.insert("destination", destination.clone());
    }
    context.document.insert("status", json!(HEALTHY));
    Ok(())
}

/// Checks that a Subscription has at least one subject, and only existing types.
fn admit_subjects(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    const SUBJECTS: [&str; 3] = ["messages", "changes", "events"];
    if SUBJECTS.iter().all(|subject| list(after, &[subject]).is_empty()) {
        let said = "Of 'messages', 'changes' and 'events' at least one must be set.";
        return Err(match before {
            None => ApiError::invalid_input(said),
            Some(_) => ApiError::invalid_operation(said),
        });
    }
    for (position, subject) in list(after, &["messages"]).iter().enumerate() {
        let kind = must_field(subject, "resourceTypeId")?;
        admit_types(subject, &format!("messages[{position}]"), |name| is_message_of(name, kind, rules))?;
    }
    for (position, subject) in list(after, &["events"]).iter().enumerate() {
        let of_checkout = subject["resourceTypeId"] == "checkout";
        admit_types(subject, &format!("events[{position}]"), |name| {
            name.starts_with("Checkout") == of_checkout
        })?;
    }
    Ok(())
}

fn admit_types(subject: &Value, place: &str, is_type: impl Fn(&str) -> bool) -> ApiResult<()> {
    for (position, name) in subject["types"].as_array().into_iter().flatten().enumerate() {
        if !name.as_str().is_some_and(&is_type) {
            let kind = must_field(subject, "resourceTypeId")?;
            let expected = format!("Resources of the type {kind} have nothing of this type.");
            return Err(ApiError::invalid_field(
                &format!("{place}.types[{position}]"),
                name,
                &expected,
                None,
            ));
        }
    }
    Ok(())
}

/// Returns whether the Message exists. Messages of kinds that are not served are unknown.
fn is_message_of(name: &str, kind: &str, rules: &Rules<'_>) -> bool {
    match rules.model.message_by_name(name) {
        Some(message) => {
            let of = &rules.model.message(message).resource;
            of == kind || token_of(name) == Some(kind)
        }
        None => rules.model.kind_by_type_id(kind).is_none_or(|kind| !rules.model.kind(kind).is_served),
    }
}

/// The name of a Subscription for people: its key, or its id.
fn name_of(subscription: &Document) -> &str {
    text(subscription, &["key"]).unwrap_or_else(|| text_or_log(subscription, &["id"]))
}
