//! Tests of the authorization service through its public interface, as `http` calls it.

// Tests unwrap: an unexpected error fails the test.
#![allow(clippy::unwrap_used)]

mod anonymous;
mod api_clients;
mod authenticate;
mod concurrency;
mod damage;
mod external;
mod introspect;
mod operators;
mod password;
mod rate_limits;
mod refresh;
mod restart;
mod revoke;
mod service;
mod sweep;
mod token;
