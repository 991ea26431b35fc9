//! Rate limit for wrong secrets of clients and people, against guessing. Start at [`LoginRateLimiter::check`].
//!
//! Wrong secrets are counted three times: for the account at an address, for the account from all addresses,
//! and for the address over all accounts. An address that recently sent the right secret of an account is
//! limited only by the first of the three, so that an attacker cannot lock the owner out of an account. The
//! limit uses the machine's time, not that of a project: it protects the machine.

use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    sync::Arc,
};

use governor::{
    DefaultDirectRateLimiter, NotUntil, Quota, RateLimiter,
    clock::{Clock, QuantaInstant, Reference},
};
use parking_lot::Mutex;
use quick_cache::sync::Cache;

use crate::{OAuthError, secret::SecretHash};

/// How many wrong secrets in a row, and how many a second from then on.
#[derive(Debug, Clone, Copy)]
struct FailureQuota {
    at_once: NonZeroU32,
    a_second: NonZeroU32,
}

/// The limit for one account from one address.
const BY_PAIR: FailureQuota =
    FailureQuota { at_once: NonZeroU32::new(20).unwrap(), a_second: NonZeroU32::new(1).unwrap() };
/// The limit for one account from all addresses together.
const BY_ACCOUNT: FailureQuota =
    FailureQuota { at_once: NonZeroU32::new(100).unwrap(), a_second: NonZeroU32::new(1).unwrap() };
/// The limit for one address over all accounts. Higher, because many people may share an address.
const BY_ADDRESS: FailureQuota =
    FailureQuota { at_once: NonZeroU32::new(500).unwrap(), a_second: NonZeroU32::new(5).unwrap() };

/// The number of accounts, of addresses, and of pairs of both that are remembered. One takes some 150 bytes.
const REMEMBERED_MAX: usize = 20_000;

/// An account, hashed because attackers may send long names, and the address of the request.
type AccountAddress = (SecretHash, IpAddr);

/// An attempt to prove an identity.
#[derive(Debug, Clone, Copy)]
pub struct LoginAttempt<'a> {
    /// The claimed account: a client id, or an email address with its project. Accounts of different kinds
    /// must have different names.
    pub account: &'a str,
    /// The address of the request. Without one there is no limit: it would affect all callers.
    pub address: Option<IpAddr>,
}

/// Returns the name under which a person's account of a project is counted, be it an email address or an id. No client
/// id looks like it.
pub fn account_in(project_key: &str, name: &str) -> String {
    format!("{project_key}\n{}", name.to_lowercase())
}

/// The rate limiter of wrong secrets.
pub(crate) struct LoginRateLimiter {
    /// Pairs that failed and have not succeeded since. The oldest are evicted when there are too many.
    pairs: Cache<AccountAddress, Arc<DefaultDirectRateLimiter>>,
    accounts: Cache<SecretHash, Arc<FailureLimiter>>,
    addresses: Cache<IpAddr, Arc<FailureLimiter>>,
    /// Pairs that succeeded recently.
    known: Cache<AccountAddress, ()>,
}

/// Counts failures only: successful logins never slow down other callers.
struct FailureLimiter {
    counted: DefaultDirectRateLimiter,
    /// The time until which requests are refused.
    until: Mutex<Option<QuantaInstant>>,
}

impl LoginRateLimiter {
    pub(crate) fn new() -> Self {
        LoginRateLimiter {
            pairs: Cache::new(REMEMBERED_MAX),
            accounts: Cache::new(REMEMBERED_MAX),
            addresses: Cache::new(REMEMBERED_MAX),
            known: Cache::new(REMEMBERED_MAX),
        }
    }

    /// Returns 429 after too many recent wrong secrets. Runs before the secret is checked: a right one among
    /// many guesses is refused like the others.
    pub(crate) fn check(&self, attempt: &LoginAttempt<'_>) -> Result<(), OAuthError> {
        let Some(pair) = pair(attempt) else { return Ok(()) };
        if let Some(failed) = self.pairs.get(&pair) {
            failed.check().map_err(|until| retry_later(&until, failed.clock()))?;
        }
        // The usual case without guesses needs no lookup.
        if self.accounts.is_empty() || self.known.get(&pair).is_some() {
            return Ok(());
        }
        self.accounts.get(&pair.0).map_or(Ok(()), |failures| failures.admit())?;
        self.addresses.get(&pair.1).map_or(Ok(()), |failures| failures.admit())
    }

    /// Records a wrong secret.
    pub(crate) fn record_failure(&self, attempt: &LoginAttempt<'_>) {
        let Some(pair) = pair(attempt) else { return };
        if self.pairs.get(&pair).is_none() {
            self.pairs.insert(pair, Arc::new(RateLimiter::direct(BY_PAIR.quota())));
        }
        FailureLimiter::counter_for(&self.accounts, pair.0, BY_ACCOUNT).add();
        FailureLimiter::counter_for(&self.addresses, pair.1, BY_ADDRESS).add();
    }

    /// Records a right secret.
    pub(crate) fn record_success(&self, attempt: &LoginAttempt<'_>) {
        let Some(pair) = pair(attempt) else { return };
        if !self.pairs.is_empty() {
            self.pairs.remove(&pair);
        }
        if self.known.get(&pair).is_none() {
            self.known.insert(pair, ());
        }
    }
}

impl FailureLimiter {
    /// Returns the counter of a key.
    fn counter_for<K: std::hash::Hash + Eq + Clone>(
        all: &Cache<K, Arc<Self>>,
        key: K,
        allowed: FailureQuota,
    ) -> Arc<Self> {
        all.get(&key).unwrap_or_else(|| {
            let none =
                FailureLimiter { counted: RateLimiter::direct(allowed.quota()), until: Mutex::default() };
            let none = Arc::new(none);
            all.insert(key, Arc::clone(&none));
            none
        })
    }

    fn add(&self) {
        if let Err(until) = self.counted.check() {
            *self.until.lock() = Some(until.earliest_possible());
        }
    }

    fn admit(&self) -> Result<(), OAuthError> {
        let now = self.counted.clock().now();
        match *self.until.lock() {
            Some(until) if until > now => {
                let wait: std::time::Duration = until.duration_since(now).into();
                Err(OAuthError::too_many_requests(whole_seconds(wait)))
            }
            _ => Ok(()),
        }
    }
}

impl FailureQuota {
    fn quota(self) -> Quota {
        Quota::per_second(self.a_second).allow_burst(self.at_once)
    }
}

fn pair(attempt: &LoginAttempt<'_>) -> Option<AccountAddress> {
    attempt.address.map(|address| (SecretHash::from_secret(attempt.account), counted_network(address)))
}

/// Returns the counted part of an address: of IPv6 the network, since an attacker usually has all its
/// addresses.
fn counted_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
    }
}

/// Returns 429 with the time after which the next request is admitted.
pub(crate) fn retry_later(
    until: &NotUntil<QuantaInstant>,
    clock: &impl Clock<Instant = QuantaInstant>,
) -> OAuthError {
    OAuthError::too_many_requests(whole_seconds(until.wait_time_from(clock.now())))
}

/// Rounded up: a client that comes back at that time is admitted.
fn whole_seconds(wait: std::time::Duration) -> u64 {
    wait.as_secs() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address of that number.
    fn address(number: u32) -> Option<IpAddr> {
        Some(IpAddr::V4(number.into()))
    }

    /// Returns how many of the attempts with a wrong secret pass the limit.
    fn count_admitted_guesses<'a>(
        brake: &LoginRateLimiter,
        attempts: impl Iterator<Item = (&'a str, Option<IpAddr>)>,
    ) -> usize {
        attempts
            .take_while(|(account, address)| {
                let attempt = LoginAttempt { account, address: *address };
                let is_admitted = brake.check(&attempt).is_ok();
                brake.record_failure(&attempt);
                is_admitted
            })
            .count()
    }

    fn admits(brake: &LoginRateLimiter, account: &str, address: Option<IpAddr>) -> bool {
        brake.check(&LoginAttempt { account, address }).is_ok()
    }

    #[test]
    fn limits_guesses_from_one_address_only() {
        let brake = LoginRateLimiter::new();
        let looked_at = count_admitted_guesses(&brake, (0..100).map(|_| ("shop", address(1))));
        // One more for the attempt before the first failure; one or two more where the machine is slow.
        assert!((BY_PAIR.at_once.get() as usize..30).contains(&looked_at), "{looked_at}");
        let error = brake.check(&LoginAttempt { account: "shop", address: address(1) }).unwrap_err();
        assert_eq!((error.status(), error.retry_after_s()), (429, Some(1)));
        assert!(admits(&brake, "shop", address(2)) && admits(&brake, "other", address(1)));
    }

    #[test]
    fn limits_guesses_at_one_account_over_all_addresses() {
        let brake = LoginRateLimiter::new();
        brake.record_success(&LoginAttempt { account: "shop", address: address(0) });
        let looked_at = count_admitted_guesses(&brake, (1..1_000).map(|number| ("shop", address(number))));
        assert!((BY_ACCOUNT.at_once.get() as usize..120).contains(&looked_at), "{looked_at}");
        assert!(!admits(&brake, "shop", address(1_001)));
        assert!(admits(&brake, "shop", address(0)), "its owner is not locked out");
        assert!(admits(&brake, "other", address(1_001)));
    }

    #[test]
    fn limits_guesses_from_one_address_over_all_accounts() {
        let brake = LoginRateLimiter::new();
        let accounts: Vec<String> = (0..1_000).map(|number| format!("account {number}")).collect();
        brake.record_success(&LoginAttempt { account: "neighbour", address: address(1) });
        let looked_at =
            count_admitted_guesses(&brake, accounts.iter().map(|account| (&**account, address(1))));
        assert!((BY_ADDRESS.at_once.get() as usize..600).contains(&looked_at), "{looked_at}");
        assert!(!admits(&brake, "shop", address(1)));
        assert!(admits(&brake, "neighbour", address(1)), "who was right from there goes on");
        assert!(admits(&brake, "shop", address(2)));
    }

    #[test]
    fn resets_the_count_after_a_right_secret() {
        let brake = LoginRateLimiter::new();
        let shop = LoginAttempt { account: "shop", address: address(1) };
        brake.record_failure(&shop);
        brake.record_success(&shop);
        assert!((0..100).all(|_| brake.check(&shop).is_ok()));
    }

    #[test]
    fn admits_requests_without_an_address() {
        assert_eq!(
            count_admitted_guesses(&LoginRateLimiter::new(), (0..1_000).map(|_| ("shop", None))),
            1_000
        );
    }

    #[test]
    fn counts_addresses_of_one_network_together() {
        let one = |text: &str| counted_network(text.parse().unwrap());
        assert_eq!(one("2001:db8:1:2::1"), one("2001:db8:1:2:ffff::9"));
        assert_ne!(one("2001:db8:1:2::1"), one("2001:db8:1:3::1"));
        assert_eq!(one("::ffff:10.0.0.1"), one("10.0.0.1"));
        assert_ne!(one("10.0.0.1"), one("10.0.0.2"));
    }
}
