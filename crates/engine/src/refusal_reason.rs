//! The reason of a refused commit, for rules that word their own error.

use kontor_storage::Precondition;

/// The reason of a refused commit.
#[derive(Debug, Clone, Copy)]
pub enum RefusalReason<'a> {
    /// A precondition that a rule added.
    Precondition(&'a Precondition),
    /// A unique key that another document has.
    Duplicate {
        /// The path of the key.
        path: &'a str,
        /// The whole value of the key.
        value: &'a str,
        /// The id of that document.
        holder: &'a str,
    },
}
