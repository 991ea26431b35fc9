//! The metrics of API Extension calls and of deliveries to Subscriptions.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// Response time of API Extensions.
pub(crate) const EXTENSION_SECONDS: &str = "kontor_extension_seconds";
/// Failed calls of API Extensions.
pub(crate) const EXTENSION_FAILURES: &str = "kontor_extension_failures_total";
/// Delivered notifications.
pub(crate) const DELIVERED: &str = "kontor_subscription_delivered_total";
/// Failed deliveries.
pub(crate) const DELIVERY_FAILURES: &str = "kontor_subscription_failures_total";
/// Duration of deliveries.
pub(crate) const DELIVERY_SECONDS: &str = "kontor_subscription_delivery_seconds";
/// Age of the oldest notification that is not delivered yet.
pub(crate) const LAG_SECONDS: &str = "kontor_subscription_lag_seconds";

/// Registers the descriptions of this crate's metrics. Called once, if metrics are enabled.
pub fn describe() {
    describe_histogram!(
        EXTENSION_SECONDS,
        Unit::Seconds,
        "Response time of an API Extension, by project and id of the Extension."
    );
    describe_counter!(
        EXTENSION_FAILURES,
        "Failed calls of an API Extension, by project and id of the Extension."
    );
    describe_counter!(
        DELIVERED,
        "Notifications that a destination received, by project and id of the Subscription."
    );
    describe_counter!(
        DELIVERY_FAILURES,
        "Failed deliveries, which are retried, by project and id of the Subscription."
    );
    describe_histogram!(
        DELIVERY_SECONDS,
        Unit::Seconds,
        "Duration of a delivery to a destination, by project and id of the Subscription."
    );
    describe_gauge!(
        LAG_SECONDS,
        Unit::Seconds,
        "Age of the oldest undelivered notification, by project and id of the Subscription; 0 if there is none."
    );
}
