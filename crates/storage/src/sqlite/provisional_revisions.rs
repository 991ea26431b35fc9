//! Maps provisional revisions to real ones, for commits that were prepared before the real ones were known.
//!
//! **Invariant:** every entry is in the open transaction, or on disk. Only the writer writes, so it clears
//! the map whenever it rolls back: a commit that depends on a failed one is refused.

use std::{
    collections::{HashMap, VecDeque},
    ops::RangeInclusive,
};

use quick_cache::DefaultHashBuilder;

/// Maximum number of remembered commits: a dependent commit is submitted soon after the one it depends on.
const KEPT_MAX: usize = 4096;

/// The revisions of the newest commits that have a provisional revision.
#[derive(Debug, Default)]
pub(super) struct ProvisionalRevisions {
    revisions: HashMap<i64, RangeInclusive<i64>, DefaultHashBuilder>,
    /// The provisional revisions, oldest first.
    insertion_order: VecDeque<i64>,
}

impl ProvisionalRevisions {
    /// Stores the revisions of a commit.
    pub(super) fn insert(&mut self, provisional: i64, revisions: RangeInclusive<i64>) {
        debug_assert!(provisional < 0, "{provisional} is a revision");
        if self.insertion_order.len() >= KEPT_MAX
            && let Some(oldest) = self.insertion_order.pop_front()
        {
            self.revisions.remove(&oldest);
        }
        self.insertion_order.push_back(provisional);
        self.revisions.insert(provisional, revisions);
    }

    /// Returns whether a revision is the expected one, or one of those that the expected provisional one maps
    /// to.
    pub(super) fn matches(&self, revision: i64, wanted: i64) -> bool {
        revision == wanted || self.revisions.get(&wanted).is_some_and(|took| took.contains(&revision))
    }

    /// Clears the map.
    pub(super) fn clear(&mut self) {
        self.revisions.clear();
        self.insertion_order.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provisional_revision_stands_for_those_of_its_commit_alone() {
        let mut provisional = ProvisionalRevisions::default();
        provisional.insert(-7, 20..=22);
        let is = |revision| provisional.matches(revision, -7);
        assert_eq!([19, 20, 22, 23].map(is), [false, true, true, false]);
        assert!(provisional.matches(20, 20) && !provisional.matches(20, 21) && !provisional.matches(20, -8));
        provisional.clear();
        assert!(!provisional.matches(20, -7));
    }

    #[test]
    fn the_newest_are_remembered() {
        let mut provisional = ProvisionalRevisions::default();
        let most = i64::try_from(KEPT_MAX).unwrap();
        for number in 1..=2 * most {
            provisional.insert(-number, number..=number);
        }
        assert!(!provisional.matches(most, -most) && provisional.matches(most + 1, -most - 1));
        assert_eq!((provisional.revisions.len(), provisional.insertion_order.len()), (KEPT_MAX, KEPT_MAX));
    }
}
