//! The REST API: handles requests to documents.
//!
//! Begin at [`Rest::respond`]. The operation, the caller and its rights have been determined before ([`AdmittedRequest`]); the
//! engine does the rest. Stored documents go to the socket unparsed.
//!
//! **Invariant:** no resource's name, no tokens, no sockets.

mod admitted_request;
mod blocking;
mod bulk;
mod dispatch;
mod documents;
mod endpoint;
mod lazy_body;
mod list;
mod matching_documents;
mod parameter_search;
mod parameters;
mod projections;
pub mod response;
mod search;
mod search_response;
mod service;
mod upload;
mod view;

pub use admitted_request::{AdmittedRequest, Guard, GuardCompletion};
pub use blocking::{blocking, page};
pub use lazy_body::LazyBody;
pub use parameters::QueryParameters;
pub use search::AB_TEST_ID;
pub use service::{ExternalKindHandler, Rest};
