//! Searches of all interfaces: typed requests, typed results.
//!
//! Start at [`Finder`]. REST or GraphQL has checked the caller's scopes; it builds a typed request from its
//! own syntax, and writes the result in its own syntax. This crate is between: whether there is an index, the
//! Stores that a search is limited to, the presentation of found documents, and the errors of unavailable
//! searches.
//!
//! ```text
//! JSON, arguments ──(interface)──► SearchRequest ──┐           ┌──► SearchAnswer
//! parameters, arguments ──► ParameterRequest ──────┤► Finder ──┤──► FoundDocuments   ──(interface)──► JSON, fields of a query
//! parameters, arguments ──► SuggestionSearch ──────┘           └──► Suggested
//! ```
//!
//! Calls block the thread; they belong on one that may wait.
//!
//! **Invariant:** no HTTP, no scopes, no resource's name. Found documents are returned as the bytes of their
//! presentation.

mod by_parameters;
mod by_query;
mod finder;
mod matching;
mod not_ready;
mod slow;

pub use by_parameters::{FoundDocuments, ParameterRequest};
pub use by_query::{CountedFacet, Found, OpenSearch, Projections, SearchAnswer, SearchRequest};
pub use finder::Finder;
