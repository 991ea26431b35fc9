//! The figures that are kept of calls and deliveries, in words.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// How long an API Extension took to answer.
pub(crate) const EXTENSION_SECONDS: &str = "kontor_extension_seconds";
/// API Extensions that did not answer as they should.
pub(crate) const EXTENSION_FAILURES: &str = "kontor_extension_failures_total";
/// Notifications that were received.
pub(crate) const DELIVERED: &str = "kontor_subscription_delivered_total";
/// Notifications that could not be delivered.
pub(crate) const DELIVERY_FAILURES: &str = "kontor_subscription_failures_total";
/// How long a delivery took.
pub(crate) const DELIVERY_SECONDS: &str = "kontor_subscription_delivery_seconds";
/// How old the oldest notification is that is not delivered.
pub(crate) const LAG_SECONDS: &str = "kontor_subscription_lag_seconds";

/// Describes the figures of this crate. Called once, when figures are kept.
pub fn describe() {
    describe_histogram!(
        EXTENSION_SECONDS,
        Unit::Seconds,
        "Time that an API Extension took to answer, by project and id of the Extension."
    );
    describe_counter!(
        EXTENSION_FAILURES,
        "Questions that an API Extension did not answer with success, by project and id of the Extension."
    );
    describe_counter!(
        DELIVERED,
        "Notifications that a destination received, by project and id of the Subscription."
    );
    describe_counter!(
        DELIVERY_FAILURES,
        "Deliveries that failed and are tried again, by project and id of the Subscription."
    );
    describe_histogram!(
        DELIVERY_SECONDS,
        Unit::Seconds,
        "Time that a destination took to receive a notification, by project and id of the Subscription."
    );
    describe_gauge!(
        LAG_SECONDS,
        Unit::Seconds,
        "Age of the oldest notification that is not delivered, by project and id of the Subscription; 0 where there is none."
    );
}
