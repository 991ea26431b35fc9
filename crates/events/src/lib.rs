//! Webhooks and queues: calls API Extensions before a change is committed, and delivers notifications to Subscriptions
//! after it.
//!
//! Two types are the entry points. [`HttpExtensionClient`] calls API Extensions, and tests new destinations
//! ([`kontor_engine::ExtensionCall`]). [`Subscriptions`] runs one worker ([`subscription_worker`]) for each
//! Subscription, which sends [`payload`]s of notifications ([`kontor_engine::Notification`]) to a [`destination`].
//!
//! **Invariants.** No lock is held while a request is running; every request has a timeout; no secret is logged. A
//! notification is deleted after its delivery, never before.

mod aws;
mod azure;
mod delivered_names;
mod delivery_failure;
mod delivery_record;
mod destination;
mod destination_cache;
mod event_metrics;
mod extension_response;
mod google;
mod http_extension_client;
mod kafka;
mod payload;
mod percent;
mod subscription_worker;
mod subscriptions;
mod webhook;

pub use event_metrics::describe;
pub use http_extension_client::HttpExtensionClient;
pub use subscriptions::Subscriptions;

/// The `typeId` of Subscriptions.
const SUBSCRIPTION: &str = "subscription";
