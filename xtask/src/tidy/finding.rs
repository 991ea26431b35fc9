//! What a rule answers.

/// Something that a rule does not like.
#[derive(Debug)]
pub(super) struct Finding {
    /// The file, below the root.
    pub(super) path: String,
    pub(super) line: usize,
    /// How the list calls it: without line numbers, so that a change elsewhere in the file does no harm.
    pub(super) entry: String,
    /// What it is, and how to mend it.
    pub(super) problem: String,
}
