//! The country and state of a shipping address, by which tax rates and shipping rates are selected.

use kontor_engine::Document;
use kontor_engine::document::text;

/// A country, or a state within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Destination<'a> {
    pub(crate) country: &'a str,
    pub(crate) state: Option<&'a str>,
}

impl<'a> Destination<'a> {
    /// Returns the destination of an address. An empty state counts as absent.
    pub(crate) fn from_address(address: &'a Document) -> Option<Self> {
        let state = text(address, &["state"]).filter(|state| !state.is_empty());
        Some(Self { country: text(address, &["country"])?, state })
    }
}
