//! Rate limit of token requests, for each client.
//!
//! It uses the machine's time, not that of a project: it protects the machine. Source: document A,
//! "Authentication", rule 7.

use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::{OAuthError, login_rate_limit::retry_later};

/// Maximum number of token requests of a client per second, unless the operator sets another.
pub const TOKEN_REQUESTS_A_SECOND_DEFAULT: NonZeroU32 = NonZeroU32::new(1_000).unwrap();

/// The rate limiter of token requests.
pub(crate) struct TokenRateLimiter {
    /// By the serial of the client. Clients are few, so are the entries.
    requests: Option<DefaultKeyedRateLimiter<i64>>,
}

impl TokenRateLimiter {
    /// Limits each client to `requests_a_second`; `None`: no limit.
    pub(crate) fn new(requests_a_second: Option<NonZeroU32>) -> Self {
        let requests = requests_a_second.map(|a_second| RateLimiter::keyed(Quota::per_second(a_second)));
        TokenRateLimiter { requests }
    }

    /// Returns 429 if a client has recently requested too many tokens.
    pub(crate) fn check(&self, client_serial: i64) -> Result<(), OAuthError> {
        let Some(requests) = &self.requests else { return Ok(()) };
        requests.check_key(&client_serial).map_err(|until| retry_later(&until, requests.clock()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_each_client_on_its_own() {
        let throttle = TokenRateLimiter::new(NonZeroU32::new(2));
        assert!(throttle.check(1).is_ok() && throttle.check(1).is_ok());
        let error = throttle.check(1).unwrap_err();
        assert_eq!((error.status(), error.retry_after_s()), (429, Some(1)));
        assert!(throttle.check(2).is_ok());
    }

    #[test]
    fn admits_everything_without_a_limit() {
        let throttle = TokenRateLimiter::new(None);
        assert!((0..10_000).all(|_| throttle.check(1).is_ok()));
    }
}
