//! What is asked about how documents are to be shown.

use crate::reference_scope::ReferenceScope;
use std::sync::Arc;

/// How documents are to be shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sight {
    /// The side that is being worked on, not the one that is published.
    pub staged: bool,
    /// The key of the Store that they are shown in.
    pub store: Option<String>,
    /// The parameters that the model names for the kind, as far as they were sent, with their values.
    pub parameters: Vec<(String, String)>,
    /// They stand on a page of a query.
    pub listed: bool,
    /// They stand beside what a search found.
    pub found: bool,
    /// They are what a search with parameters found.
    pub found_by_parameters: bool,
    /// The documents that their references lead to; `None`: all.
    pub references: Option<Arc<ReferenceScope>>,
}

impl Sight {
    /// The first value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter that may be repeated.
    pub fn all<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        self.parameters.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
