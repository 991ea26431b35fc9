//! Limits that the Rust of a kind enforces.

/// The maximum length of a text that a search looks for, in characters.
pub use kontor_search::limits::VALUE_CHARS_MAX as SEARCH_TEXT_CHARS_MAX;

/// A limit enforced by the Rust of a kind, in addition to those of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The name of the limit.
    pub name: &'static str,
    /// The maximum number.
    pub most: u64,
    /// The calculated index row, path and value, that is counted. `None`: elements of each document are
    /// counted.
    pub counted: Option<(&'static str, &'static str)>,
}
