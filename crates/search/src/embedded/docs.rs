//! [`Docs`]: a set of documents of a segment: a sorted list if there are few, a bitmap if there are many.

use super::bits::Bits;

/// A set becomes a bitmap if it contains more than one document in so many.
const DENSE_ONE_IN: usize = 32;

/// A set of documents.
#[derive(Debug, Clone)]
pub(super) enum Docs {
    /// A sorted list without repetition.
    Few(Vec<u32>),
    Many(Bits),
}

impl Docs {
    /// Returns the set of a sorted list without repetition, in a segment of `len` documents.
    pub(super) fn from_sorted(docs: Vec<u32>, len: u32) -> Self {
        if docs.len() * DENSE_ONE_IN <= len as usize {
            return Self::Few(docs);
        }
        let mut bits = Bits::none(len);
        for doc in docs {
            bits.insert(doc);
        }
        Self::Many(bits)
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Few(docs) => docs.is_empty(),
            Self::Many(bits) => bits.next(0).is_none(),
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Self::Few(docs) => docs.len(),
            Self::Many(bits) => bits.count(),
        }
    }

    pub(super) fn contains(&self, doc: u32) -> bool {
        match self {
            Self::Few(docs) => docs.binary_search(&doc).is_ok(),
            Self::Many(bits) => bits.contains(doc),
        }
    }

    /// Calls `each` with every document, in order.
    pub(super) fn for_each(&self, mut each: impl FnMut(u32)) {
        match self {
            Self::Few(docs) => docs.iter().copied().for_each(each),
            Self::Many(bits) => {
                for doc in bits.iter() {
                    each(doc);
                }
            }
        }
    }

    /// Calls `each` with every document in `start..end`, in order.
    pub(super) fn for_each_in(&self, start: u32, end: u32, mut each: impl FnMut(u32)) {
        match self {
            Self::Few(docs) => {
                let first = docs.partition_point(|doc| *doc < start);
                docs[first..].iter().take_while(|doc| **doc < end).copied().for_each(each);
            }
            Self::Many(bits) => {
                let mut at = start;
                while let Some(doc) = bits.next(at).filter(|doc| *doc < end) {
                    each(doc);
                    at = doc + 1;
                }
            }
        }
    }

    pub(super) fn into_sorted(self) -> Vec<u32> {
        match self {
            Self::Few(docs) => docs,
            Self::Many(bits) => bits.iter().collect(),
        }
    }

    /// Returns the documents in both sets.
    pub(super) fn intersect(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Many(mut bits), Self::Many(other)) => {
                bits.intersect(other);
                Self::Many(bits)
            }
            (Self::Many(bits), Self::Few(docs)) => {
                Self::Few(docs.iter().copied().filter(|doc| bits.contains(*doc)).collect())
            }
            (Self::Few(mut docs), Self::Many(bits)) => {
                docs.retain(|doc| bits.contains(*doc));
                Self::Few(docs)
            }
            (Self::Few(docs), Self::Few(other)) => Self::Few(common(&docs, other)),
        }
    }

    /// Returns the documents that are not in the other set.
    pub(super) fn subtract(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Few(mut docs), other) => {
                docs.retain(|doc| !other.contains(*doc));
                Self::Few(docs)
            }
            (Self::Many(mut bits), Self::Many(other)) => {
                bits.subtract(other);
                Self::Many(bits)
            }
            (Self::Many(mut bits), Self::Few(docs)) => {
                docs.iter().for_each(|doc| bits.remove(*doc));
                Self::Many(bits)
            }
        }
    }

    /// Returns the documents in either set.
    pub(super) fn unite(self, other: Self, len: u32) -> Self {
        match (self, other) {
            (Self::Many(mut bits), Self::Many(other)) => {
                bits.unite(&other);
                Self::Many(bits)
            }
            (Self::Many(mut bits), Self::Few(docs)) | (Self::Few(docs), Self::Many(mut bits)) => {
                for doc in docs {
                    bits.insert(doc);
                }
                Self::Many(bits)
            }
            (Self::Few(mut docs), Self::Few(other)) => {
                docs.extend(other);
                docs.sort_unstable();
                docs.dedup();
                Self::from_sorted(docs, len)
            }
        }
    }
}

/// Returns the common documents of two sorted lists. Scans the shorter one and skips through the longer one.
fn common(one: &[u32], other: &[u32]) -> Vec<u32> {
    let (short, mut long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let mut both = Vec::with_capacity(short.len());
    for doc in short {
        long = &long[galloping_search(long, *doc)..];
        match long.first() {
            None => break,
            Some(first) if first == doc => both.push(*doc),
            Some(_) => {}
        }
    }
    both
}

/// Returns how many elements of a sorted list are less than `doc`, by a galloping search from its beginning.
pub(super) fn galloping_search(sorted: &[u32], doc: u32) -> usize {
    let mut step = 1;
    while step < sorted.len() && sorted[step] < doc {
        step *= 2;
    }
    sorted[..sorted.len().min(step + 1)].partition_point(|other| *other < doc)
}

#[cfg(test)]
mod tests {
    use super::{Docs, common};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn sets_are_sets(one in proptest::collection::btree_set(0..500u32, 0..200), other in proptest::collection::btree_set(0..500u32, 0..20)) {
            let docs = |set: &BTreeSet<u32>| Docs::from_sorted(set.iter().copied().collect(), 500);
            let both: Vec<u32> = one.intersection(&other).copied().collect();
            let either: Vec<u32> = one.union(&other).copied().collect();
            prop_assert_eq!(common(&one.iter().copied().collect::<Vec<_>>(), &other.iter().copied().collect::<Vec<_>>()), both.clone());
            prop_assert_eq!(docs(&one).intersect(&docs(&other)).into_sorted(), both.clone());
            prop_assert_eq!(docs(&other).intersect(&docs(&one)).into_sorted(), both);
            prop_assert_eq!(docs(&one).unite(docs(&other), 500).into_sorted(), either);
        }
    }
}
