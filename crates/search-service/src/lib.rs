//! Searches of all interfaces: typed requests, typed results.
//!
//! Start at [`SearchService`]. REST or GraphQL has checked the caller's scopes; it builds a typed request from its
//! own syntax, and writes the result in its own syntax. This crate is between: whether there is an index, the
//! Stores that a search is limited to, the presentation of found documents, and the errors of unavailable
//! searches.
//!
//! ```text
//! JSON, arguments ──(interface)──► SearchRequest ──┐                  ┌──► SearchResponse ──(interface)──► JSON, fields of a query
//! parameters, arguments ──► ParameterRequest ──────┤► SearchService ──┤──► ParameterSearchResponse
//! parameters, arguments ──► SuggestionSearch ──────┘                  └──► suggestions
//! ```
//!
//! Calls block the thread; they belong on one that may wait.
//!
//! **Invariant:** no HTTP, no scopes, no resource's name. Found documents are returned as the bytes of their
//! presentation.

mod matching;
mod parameter_search;
mod query_search;
mod search_service;
mod slow_search_log;
mod unready_error;

pub use parameter_search::{ParameterRequest, ParameterSearchResponse};
pub use query_search::{CountedFacet, Projections, ReadySearch, SearchHit, SearchRequest, SearchResponse};
pub use search_service::SearchService;
