//! Others hear of changes, and have a say in them.
//!
//! Start at [`Calls`]: it asks the questions that rules have before a change is written ([`kontor_engine::Question`]), over HTTP.
//!
//! **Invariant:** nothing is held while somebody is waited for; every wait ends; no secret is in a log.

mod answer;
mod calls;
mod destination;

pub use calls::Calls;
