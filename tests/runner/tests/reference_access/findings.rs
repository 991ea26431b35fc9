//! The findings of a walk.

use std::collections::{BTreeMap, BTreeSet};

/// The counts and findings of a walk.
#[derive(Default)]
pub(crate) struct Walked {
    /// How many ways were tried.
    pub(crate) count: usize,
    /// How many of them got as far as the reference: a missing resource is named in the refusal, or the path was understood.
    pub(crate) reached: usize,
    /// The ways that got as far, by the kind that they lead to.
    pub(crate) by_kind: BTreeMap<&'static str, usize>,
    /// A line each.
    pub(crate) findings: Vec<String>,
}

impl Walked {
    /// Adds what another walk met.
    pub(crate) fn add(&mut self, other: Walked) {
        self.count += other.count;
        self.reached += other.reached;
        self.findings.extend(other.findings);
        for (kind, count) in other.by_kind {
            *self.by_kind.entry(kind).or_default() += count;
        }
    }
}

/// Kinds of which a response shows something that this caller must not see, e.g. `payment, quote`.
pub(crate) fn leaks(text: &str, markers: &[&str], is_hidden: impl Fn(&str) -> bool) -> String {
    let mut kinds = BTreeSet::new();
    for marker in markers {
        for rest in text.split(marker).skip(1) {
            let end =
                rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-').unwrap_or(rest.len());
            kinds.insert(rest[..end].trim_end_matches('-'));
        }
    }
    kinds.into_iter().filter(|kind| is_hidden(kind)).collect::<Vec<_>>().join(", ")
}
