//! The requested form of documents in a response.

use crate::reference_scope::ReferenceScope;
use std::sync::Arc;

/// The requested form of documents in a response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewOptions {
    /// Whether to show the staged projection instead of the published one.
    pub staged: bool,
    /// The key of the Store in which they are shown.
    pub store: Option<String>,
    /// The parameters that the model declares for the kind, if sent, with their values.
    pub parameters: Vec<(String, String)>,
    /// Whether they are on a page of a query.
    pub listed: bool,
    /// Whether they are part of a search result.
    pub found: bool,
    /// Whether they were found by a search with parameters.
    pub found_by_parameters: bool,
    /// The documents that their references may lead to; `None`: all.
    pub references: Option<Arc<ReferenceScope>>,
}

impl ViewOptions {
    /// Returns the first value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns all values of a parameter that may be repeated.
    pub fn parameters<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        self.parameters.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
