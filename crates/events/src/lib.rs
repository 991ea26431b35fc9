//! Others hear of changes, and have a say in them.
//!
//! Two things start here. [`Calls`] asks the questions that rules have before a change is written ([`kontor_engine::Question`]).
//! [`Subscriptions`] delivers what Subscriptions were told of changes that are written ([`kontor_engine::Notification`]): a
//! [`follower`] for each of them, which sends [`payload`]s to a [`destination`].
//!
//! **Invariant:** nothing is held while somebody is waited for; every wait ends; no secret is in a log. What was told is forgotten
//! after it was received, never before.

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
