//! Sign-ins that were sent to the provider and have not come back: in memory, bounded, and usable once.

use openidconnect::{Nonce, PkceCodeVerifier};
use parking_lot::Mutex;
use std::collections::HashMap;
use subtle::ConstantTimeEq as _;

/// How long an operator may take at the provider, in seconds.
pub(crate) const PENDING_VALIDITY_S: i64 = 600;
/// The maximum number of sign-ins that wait. The oldest makes room. One takes some 300 bytes.
const PENDING_MAX: usize = 10_000;

/// A sign-in that was sent to the provider.
pub(crate) struct PendingSignIn {
    /// The value of the cookie of the browser that began it.
    pub(crate) browser: String,
    pub(crate) nonce: Nonce,
    pub(crate) verifier: PkceCodeVerifier,
    /// The address that the provider sends the browser to. The provider compares it.
    pub(crate) redirect_url: String,
    pub(crate) begun_at_ms: i64,
}

impl PendingSignIn {
    fn is_expired(&self, now_ms: i64) -> bool {
        now_ms - self.begun_at_ms >= PENDING_VALIDITY_S * 1_000
    }
}

/// The sign-ins that wait, by their `state`.
#[derive(Default)]
pub(crate) struct PendingSignIns {
    by_state: Mutex<HashMap<String, PendingSignIn>>,
}

impl PendingSignIns {
    /// Adds a sign-in.
    pub(crate) fn add(&self, state: String, pending: PendingSignIn) {
        let mut all = self.by_state.lock();
        if all.len() >= PENDING_MAX {
            let now_ms = pending.begun_at_ms;
            all.retain(|_, other| !other.is_expired(now_ms));
        }
        if all.len() >= PENDING_MAX {
            let oldest =
                all.iter().min_by_key(|(_, other)| other.begun_at_ms).map(|(state, _)| state.clone());
            oldest.and_then(|oldest| all.remove(&oldest));
        }
        all.insert(state, pending);
    }

    /// Removes and returns the sign-in with this `state`; `None` if there is none, if it is too old, or if another
    /// browser began it. Another browser does not remove it.
    pub(crate) fn take(&self, state: &str, browser: &str, now_ms: i64) -> Option<PendingSignIn> {
        let mut all = self.by_state.lock();
        let found = all.get(state)?;
        if !bool::from(found.browser.as_bytes().ct_eq(browser.as_bytes())) {
            return None;
        }
        all.remove(state).filter(|pending| !pending.is_expired(now_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun_at(begun_at_ms: i64) -> PendingSignIn {
        PendingSignIn {
            browser: "browser".to_owned(),
            nonce: Nonce::new("nonce".to_owned()),
            verifier: PkceCodeVerifier::new("verifier".to_owned()),
            redirect_url: String::new(),
            begun_at_ms,
        }
    }

    #[test]
    fn a_sign_in_is_taken_once_in_time_by_its_browser() {
        let all = PendingSignIns::default();
        all.add("a".to_owned(), begun_at(0));
        assert!(all.take("b", "browser", 1).is_none());
        assert!(all.take("a", "other", 1).is_none());
        assert!(all.take("a", "browser", PENDING_VALIDITY_S * 1_000 - 1).is_some());
        assert!(all.take("a", "browser", 1).is_none(), "it works once");
        all.add("a".to_owned(), begun_at(0));
        assert!(all.take("a", "browser", PENDING_VALIDITY_S * 1_000).is_none(), "it is too old");
    }

    #[test]
    fn the_oldest_makes_room() {
        let all = PendingSignIns::default();
        for number in 0..=PENDING_MAX {
            all.add(number.to_string(), begun_at(i64::try_from(number).unwrap()));
        }
        assert!(all.take("0", "browser", 0).is_none());
        assert!(all.take("1", "browser", 0).is_some());
    }
}
