//! Claims: what a change is about to change beside the document that it was asked for. Changes that claim the same take
//! turns, so that none is prepared in vain while another one is on its way to the disk.
//!
//! Nothing is right because of them: that everything is as a change saw it is for the preconditions of its commit.
//! Other processes on the same storage know nothing of claims.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::{Mutex as Turns, OwnedMutexGuard};

/// Names that are kept before those are looked for which nobody claims any more.
const NAMES_KEPT: usize = 1_024;

/// Who claims what, in a shop.
#[derive(Default)]
pub(crate) struct Claims {
    names: Mutex<Names>,
}

#[derive(Default)]
struct Names {
    turns: HashMap<String, Weak<Turns<()>>>,
    /// How many there were when unclaimed ones were last removed.
    left: usize,
}

/// What a change has claimed, until it is dropped.
#[derive(Default)]
pub(crate) struct Claimed {
    turns: Vec<OwnedMutexGuard<()>>,
}

impl Claimed {
    /// True where nothing is claimed.
    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

impl Claims {
    /// Claims all of these, when nobody else does.
    pub(crate) async fn claim(&self, mut names: Vec<String>) -> Claimed {
        // In one sequence for all, so that no two wait for each other.
        names.sort_unstable();
        names.dedup();
        let mut turns = Vec::with_capacity(names.len());
        for name in names {
            turns.push(self.turns_at(name).lock_owned().await);
        }
        Claimed { turns }
    }

    fn turns_at(&self, name: String) -> Arc<Turns<()>> {
        let mut names = self.names.lock();
        if names.turns.len() >= NAMES_KEPT + 2 * names.left {
            names.turns.retain(|_, turns| turns.strong_count() > 0);
            names.left = names.turns.len();
        }
        if let Some(turns) = names.turns.get(&name).and_then(Weak::upgrade) {
            return turns;
        }
        let turns = Arc::default();
        names.turns.insert(name, Arc::downgrade(&turns));
        turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

    fn named(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// `None`: somebody else claims one of them.
    async fn claimed(claims: &Claims, names: &[&str]) -> Option<Claimed> {
        timeout(Duration::ZERO, claims.claim(named(names))).await.ok()
    }

    #[tokio::test]
    async fn who_claims_the_same_waits() {
        let claims = Claims::default();
        let first = claims.claim(named(&["b", "a", "b"])).await;
        assert!(claimed(&claims, &["a0", "b"]).await.is_none(), "b is claimed");
        assert!(claimed(&claims, &["a0"]).await.is_some(), "who gave up claims nothing");
        drop(first);
        assert!(claimed(&claims, &["a", "b"]).await.is_some());
    }

    #[tokio::test]
    async fn names_that_nobody_claims_are_forgotten() {
        let claims = Claims::default();
        let held = claims.claim(named(&["held"])).await;
        for number in 0..3 * NAMES_KEPT {
            claims.claim(vec![number.to_string()]).await;
        }
        assert!(claims.names.lock().turns.len() <= NAMES_KEPT + 2);
        assert!(claimed(&claims, &["held"]).await.is_none());
        drop(held);
    }
}
