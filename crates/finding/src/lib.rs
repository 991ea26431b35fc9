//! Searches as all faces ask for them: typed requests, typed answers.
//!
//! Start at [`Finder`]. A face has asked whether its caller may search; it builds the request of its own words, and writes
//! the answer in its own words. What is between is here: whether there is an index, which Stores a search is limited to,
//! what is shown of what was found, and what is said where nothing can be asked.
//!
//! ```text
//! JSON, arguments ──(face)──► SearchRequest ────┐           ┌──► SearchAnswer
//! parameters, arguments ──► ParameterRequest ───┤► Finder ──┤──► FoundDocuments   ──(face)──► JSON, fields of a query
//! parameters, arguments ──► SuggestionSearch ───┘           └──► Suggested
//! ```
//!
//! Calls hold the thread; they belong on one that may wait.
//!
//! **Invariant:** no HTTP, no scopes, no resource's name. Found documents are handed on as the bytes that they are shown as.

mod by_parameters;
mod by_query;
mod finder;
mod matching;
mod not_ready;
mod slow;

pub use by_parameters::{FoundDocuments, ParameterRequest};
pub use by_query::{CountedFacet, Found, OpenSearch, Projections, SearchAnswer, SearchRequest};
pub use finder::Finder;
