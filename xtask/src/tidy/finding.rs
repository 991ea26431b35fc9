//! The result of a rule.

/// A place that breaks a rule.
#[derive(Debug)]
pub(super) struct Finding {
    /// The file, below the root.
    pub(super) path: String,
    pub(super) line: usize,
    /// The name of the finding in the list: without line numbers, so that changes elsewhere in the file do no harm.
    pub(super) entry: String,
    /// The problem, and how to mend it.
    pub(super) problem: String,
}
