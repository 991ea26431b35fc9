//! What a walk finds.

use std::collections::{BTreeMap, BTreeSet};

/// What a walk met.
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

/// Kinds of which a response shows something that this caller must not see, e.g. `payment, quote`.
pub(crate) fn leaks(text: &str) -> String {
    let mut kinds = BTreeSet::new();
    for marker in ["FOREIGN-", "HIDDEN-"] {
        for rest in text.split(marker).skip(1) {
            let end =
                rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-').unwrap_or(rest.len());
            kinds.insert(rest[..end].trim_end_matches('-'));
        }
    }
    kinds.into_iter().collect::<Vec<_>>().join(", ")
}
