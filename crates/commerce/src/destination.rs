//! Where something is shipped to, as far as rates go by it.

use kontor_engine::Document;
use kontor_engine::document::text;

/// A country, or a state of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Destination<'a> {
    pub(crate) country: &'a str,
    pub(crate) state: Option<&'a str>,
}

impl<'a> Destination<'a> {
    /// That of an address. An empty state is none.
    pub(crate) fn of(address: &'a Document) -> Option<Self> {
        let state = text(address, &["state"]).filter(|state| !state.is_empty());
        Some(Self { country: text(address, &["country"])?, state })
    }
}
