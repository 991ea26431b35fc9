//! Revocations of customers' tokens that happen while a customer is being authenticated.
//!
//! A password is read from the file of a project, tokens are written to another file. Revocations in between
//! are recorded here, while any earlier authentication is in progress, and checked in the transaction that
//! writes the token.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use parking_lot::Mutex;

/// The recent revocations.
#[derive(Default)]
pub(crate) struct ConcurrentRevocations(Mutex<RevocationLog>);

#[derive(Default)]
struct RevocationLog {
    /// The number of the oldest ending in `ended`.
    first: u64,
    ended: VecDeque<RevokedCustomer>,
    /// The number of unfinished authentications that began before the revocation of this number.
    open: BTreeMap<u64, usize>,
}

struct RevokedCustomer {
    project_key: Arc<str>,
    customer_id: Arc<str>,
}

/// A running authentication of a Customer. Revocations from now on invalidate its token.
pub(crate) struct RunningLogin {
    endings: Arc<ConcurrentRevocations>,
    began_at: u64,
}

impl ConcurrentRevocations {
    /// Begins an authentication. Must be called before the password is read.
    pub(crate) fn begin_login(self: &Arc<Self>) -> RunningLogin {
        let mut log = self.0.lock();
        let began_at = log.next();
        *log.open.entry(began_at).or_default() += 1;
        RunningLogin { endings: Arc::clone(self), began_at }
    }

    /// Records that the tokens of a Customer were revoked. Must be called in the transaction that revokes them.
    pub(crate) fn record_revocation(&self, project_key: &str, customer_id: &str) {
        let mut log = self.0.lock();
        if log.open.is_empty() {
            // No authentication is running.
            return;
        }
        log.ended
            .push_back(RevokedCustomer { project_key: project_key.into(), customer_id: customer_id.into() });
    }
}

impl RevocationLog {
    fn next(&self) -> u64 {
        self.first + self.ended.len() as u64
    }
}

impl RunningLogin {
    /// Whether the tokens of that Customer were revoked since this authentication began.
    pub(crate) fn is_outdated(&self, project_key: &str, customer_id: &str) -> bool {
        let log = self.endings.0.lock();
        let later = usize::try_from(self.began_at - log.first).unwrap_or(0);
        log.ended
            .iter()
            .skip(later)
            .any(|ended| *ended.project_key == *project_key && *ended.customer_id == *customer_id)
    }
}

impl Drop for RunningLogin {
    fn drop(&mut self) {
        let mut log = self.endings.0.lock();
        if let Some(proofs) = log.open.get_mut(&self.began_at) {
            *proofs -= 1;
            if *proofs == 0 {
                log.open.remove(&self.began_at);
            }
        }
        let needed_from = log.open.keys().next().copied().unwrap_or(log.next());
        while log.first < needed_from && log.ended.pop_front().is_some() {
            log.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outdates_logins_that_began_before_a_revocation() {
        let endings = Arc::new(ConcurrentRevocations::default());
        let before = endings.begin_login();
        endings.record_revocation("demo", "ann");
        let after = endings.begin_login();
        assert!(before.is_outdated("demo", "ann"));
        assert!(!before.is_outdated("demo", "bob") && !before.is_outdated("other", "ann"));
        assert!(!after.is_outdated("demo", "ann"));
    }

    #[test]
    fn forgets_revocations_without_a_running_login() {
        let endings = Arc::new(ConcurrentRevocations::default());
        endings.record_revocation("demo", "ann");
        let (first, second) = (endings.begin_login(), endings.begin_login());
        endings.record_revocation("demo", "bob");
        let third = endings.begin_login();
        drop(first);
        assert_eq!(endings.0.lock().ended.len(), 1);
        assert!(second.is_outdated("demo", "bob"));
        drop(second);
        assert_eq!(endings.0.lock().ended.len(), 0);
        endings.record_revocation("demo", "cid");
        assert!(third.is_outdated("demo", "cid") && !third.is_outdated("demo", "bob"));
        drop(third);
        assert!(endings.0.lock().ended.is_empty() && endings.0.lock().open.is_empty());
    }
}
