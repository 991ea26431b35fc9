//! Caches which kinds have documents.
//!
//! Only positive results are cached; a stale one costs a wasted lookup. Each
//! call reads the absence of documents from the storage, because other processes write, too.

use parking_lot::RwLock;
use std::collections::HashSet;

/// The `typeId`s of kinds of which there was a document.
#[derive(Default)]
pub(crate) struct NonEmptyKinds(RwLock<HashSet<String>>);

impl NonEmptyKinds {
    /// Returns the kinds that are not in the cache.
    pub(crate) fn uncached<'t>(&self, type_ids: &[&'t str]) -> Vec<&'t str> {
        let found = self.0.read();
        type_ids.iter().filter(|type_id| !found.contains(**type_id)).copied().collect()
    }

    /// Adds the kinds whose number of documents is not 0.
    pub(crate) fn add<'t>(&self, counted: impl Iterator<Item = (&'t str, u64)>) {
        let mut there = counted.filter(|(_, count)| *count > 0).peekable();
        if there.peek().is_some() {
            self.0.write().extend(there.map(|(type_id, _)| type_id.to_owned()));
        }
    }

    /// Returns for each kind whether it is known to have documents.
    pub(crate) fn contains_each(&self, type_ids: &[&str]) -> Vec<bool> {
        let found = self.0.read();
        type_ids.iter().map(|type_id| found.contains(*type_id)).collect()
    }

    /// Clears the cache, after the documents were replaced.
    pub(crate) fn clear(&self) {
        self.0.write().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_no_negative_results() {
        let found = NonEmptyKinds::default();
        found.add([("cart", 2), ("order", 0)].into_iter());
        assert_eq!(found.uncached(&["order", "cart", "zone"]), ["order", "zone"]);
        assert_eq!(found.contains_each(&["order", "cart"]), [false, true]);
        found.clear();
        assert_eq!(found.contains_each(&["cart"]), [false]);
    }
}
