//! Limits that the Rust of a kind keeps.

/// Longest text that a search looks for.
pub use kontor_search::limits::VALUE_CHARS_MAX as SEARCH_TEXT_CHARS_MAX;

/// A limit that the Rust of a kind keeps, beside those that the model says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is limited.
    pub name: &'static str,
    /// How many at most.
    pub most: u64,
    /// The worked-out index row, path and value, of what is counted. `None`: it is counted in each document.
    pub counted: Option<(&'static str, &'static str)>,
}
