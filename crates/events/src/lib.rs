//! Webhooks and queues: calls API Extensions before a change is committed, and delivers notifications to Subscriptions
//! after it.
//!
//! Two types are the entry points. [`Calls`] calls API Extensions, and tests new destinations
//! ([`kontor_engine::Question`]). [`Subscriptions`] runs one worker ([`follower`]) for each Subscription, which sends
//! [`payload`]s of notifications ([`kontor_engine::Notification`]) to a [`destination`].
//!
//! **Invariants.** No lock is held while a request is running; every request has a timeout; no secret is logged. A
//! notification is deleted after its delivery, never before.

mod answer;
mod aws;
mod azure;
mod calls;
mod destination;
mod figures;
mod follower;
mod google;
mod kafka;
mod known_destinations;
mod payload;
mod percent;
mod received;
mod subscriptions;
mod undelivered;
mod webhook;

pub use calls::Calls;
pub use figures::describe;
pub use subscriptions::Subscriptions;

/// The `typeId` of Subscriptions.
const SUBSCRIPTION: &str = "subscription";
