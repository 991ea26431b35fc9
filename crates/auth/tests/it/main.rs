//! Conversations with the authorization service, as a face leads them.

// Tests say what they expect; what cannot go wrong here need not be handled.
#![allow(clippy::unwrap_used)]

mod anonymous;
mod api_clients;
mod authenticate;
mod concurrency;
mod external;
mod introspect;
mod password;
mod refresh;
mod restart;
mod revoke;
mod service;
mod sweep;
mod throttle;
mod token;
