//! How often a client may ask: the limit on tokens, and the brake on those who guess at secrets.
//!
//! Both go by the machine's own time, not by that of a project: what they guard is the machine. Source: document A,
//! "Authentication", rule 7.

use std::{net::IpAddr, num::NonZeroU32, sync::Arc};

use governor::{
    DefaultDirectRateLimiter, DefaultKeyedRateLimiter, NotUntil, Quota, RateLimiter,
    clock::{Clock, QuantaInstant},
};
use quick_cache::sync::Cache;

use crate::{OAuthError, secret::SecretHash};

/// How many tokens a client may request a second where the operator does not say.
pub const TOKEN_REQUESTS_A_SECOND_DEFAULT: NonZeroU32 = NonZeroU32::new(1_000).unwrap();

/// How many wrong secrets in a row an address may send for a client before it has to wait.
const FAILURES_MAX: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// How many more it may send a second from then on.
const FAILURES_A_SECOND_MAX: NonZeroU32 = NonZeroU32::new(1).unwrap();
/// How many pairs of client and address that failed are remembered. One takes some 150 bytes.
const FAILED_PAIRS_MAX: usize = 20_000;

/// A client id, hashed because whoever guesses may send long ones, and the address that sent it.
type Pair = (SecretHash, IpAddr);

/// Counts requests and failures.
pub(crate) struct Throttle {
    /// By the serial of the client. Clients are few, so are the entries.
    requests: Option<DefaultKeyedRateLimiter<i64>>,
    /// Only pairs that failed and did not succeed since. The oldest go first when there are too many.
    failures: Cache<Pair, Arc<DefaultDirectRateLimiter>>,
}

impl Throttle {
    /// `requests_a_second` for each client; `None`: as many as they like.
    pub(crate) fn new(requests_a_second: Option<NonZeroU32>) -> Self {
        Throttle {
            requests: requests_a_second.map(|a_second| RateLimiter::keyed(Quota::per_second(a_second))),
            failures: Cache::new(FAILED_PAIRS_MAX),
        }
    }

    /// 429 where a client has asked for too many tokens of late.
    pub(crate) fn admit_request(&self, client_serial: i64) -> Result<(), OAuthError> {
        let Some(requests) = &self.requests else { return Ok(()) };
        requests.check_key(&client_serial).map_err(|until| too_early(&until, requests.clock()))
    }

    /// 429 where an address has sent too many wrong secrets for a client. Asked before the secret is looked at: a
    /// right one among many guesses is refused like the others.
    pub(crate) fn admit_attempt(&self, client_id: &str, address: Option<IpAddr>) -> Result<(), OAuthError> {
        let Some(failed) = pair(client_id, address).and_then(|pair| self.failures.get(&pair)) else {
            return Ok(());
        };
        failed.check().map_err(|until| too_early(&until, failed.clock()))
    }

    /// Notes a wrong secret.
    pub(crate) fn failed(&self, client_id: &str, address: Option<IpAddr>) {
        let Some(pair) = pair(client_id, address) else { return };
        if self.failures.get(&pair).is_none() {
            let quota = Quota::per_second(FAILURES_A_SECOND_MAX).allow_burst(FAILURES_MAX);
            self.failures.insert(pair, Arc::new(RateLimiter::direct(quota)));
        }
    }

    /// Notes a right one: who knows the secret need not guess.
    pub(crate) fn succeeded(&self, client_id: &str, address: Option<IpAddr>) {
        if self.failures.is_empty() {
            return;
        }
        if let Some(pair) = pair(client_id, address) {
            self.failures.remove(&pair);
        }
    }
}

fn pair(client_id: &str, address: Option<IpAddr>) -> Option<Pair> {
    address.map(|address| (SecretHash::of(client_id), address))
}

fn too_early(until: &NotUntil<QuantaInstant>, clock: &impl Clock<Instant = QuantaInstant>) -> OAuthError {
    // Rounded up: a client that comes back at that time is admitted.
    OAuthError::too_many_requests(until.wait_time_from(clock.now()).as_secs() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));
    const THERE: Option<IpAddr> = Some(IpAddr::V6(std::net::Ipv6Addr::LOCALHOST));

    /// How many attempts of one who guesses are looked at.
    fn guesses(throttle: &Throttle, address: Option<IpAddr>) -> usize {
        (0..100)
            .take_while(|_| {
                let is_admitted = throttle.admit_attempt("shop", address).is_ok();
                throttle.failed("shop", address);
                is_admitted
            })
            .count()
    }

    #[test]
    fn a_client_waits_once_it_has_asked_too_often_and_others_do_not() {
        let throttle = Throttle::new(NonZeroU32::new(2));
        assert!(throttle.admit_request(1).is_ok() && throttle.admit_request(1).is_ok());
        let error = throttle.admit_request(1).unwrap_err();
        assert_eq!((error.status(), error.retry_after_s()), (429, Some(1)));
        assert!(throttle.admit_request(2).is_ok());
    }

    #[test]
    fn without_a_limit_nobody_waits() {
        let throttle = Throttle::new(None);
        assert!((0..10_000).all(|_| throttle.admit_request(1).is_ok()));
    }

    #[test]
    fn who_guesses_waits_and_the_same_client_elsewhere_does_not() {
        let throttle = Throttle::new(None);
        let looked_at = guesses(&throttle, HERE);
        // One more for the attempt before the first failure; one or two more where the machine is slow.
        assert!((FAILURES_MAX.get() as usize..30).contains(&looked_at), "{looked_at}");
        assert!(throttle.admit_attempt("shop", THERE).is_ok());
        assert!(throttle.admit_attempt("other", HERE).is_ok());
    }

    #[test]
    fn a_right_secret_ends_the_count() {
        let throttle = Throttle::new(None);
        throttle.failed("shop", HERE);
        throttle.succeeded("shop", HERE);
        assert!((0..100).all(|_| throttle.admit_attempt("shop", HERE).is_ok()));
    }

    #[test]
    fn where_addresses_are_not_known_nobody_is_kept_out() {
        let throttle = Throttle::new(None);
        assert_eq!(guesses(&throttle, None), 100);
    }
}
