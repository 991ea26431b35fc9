//! The HTTP server: connections, routing, authentication, and everything around REST and GraphQL: rate and memory
//! limits, pages, metrics, test controls.
//!
//! Begin at [`PublicServer`]. A request is looked up in the model's table of operations (`router`). Fixed paths are
//! handled in `fixed_paths`; requests to the documents of a project are authorized in `project`, the only place, and
//! handed to `rest`.
//!
//! **Invariant:** no resource's name. A path that is not in the table is 404 `URI not found: …`, except below `/console`
//! (`console`), which serves the page of the console and is no API.

mod access;
mod admission;
mod api_clients;
mod body;
mod compression;
#[cfg(feature = "console")]
mod console;
#[cfg(feature = "console")]
mod console_model;
mod customers;
mod drainable_body;
mod external_kinds;
mod fault_injection;
mod finish_response;
mod fixed_paths;
mod graphql;
mod headers;
mod history;
mod html_page;
mod ignored_fields;
mod images;
mod imports;
mod in_flight;
mod introspection;
mod listen;
mod login_guard;
mod mcp;
pub mod metric_descriptions;
mod oauth;
#[cfg(feature = "console")]
mod oidc;
mod oidc_settings;
mod openapi;
mod operator;
mod peer;
mod project;
mod references;
mod request_counters;
mod request_metadata;
mod request_recorder;
mod router;
mod scope_table;
mod sent_body;
mod serve;
mod server;
mod services;
mod setting_overrides;
mod start_page;
mod sync_fast_path;
mod test_controls;
pub mod traces;

pub use access::{HASHED_SECRETS_HEADER, ID_HEADER, VERSION_HEADER};
pub use listen::{serve_metrics, serve_on_loopback, serve_operator, serve_public};
pub use oidc_settings::OidcSettings;
pub use serve::{PublicServer, ResponseFuture, operator_router};
pub use server::{ExternalSettings, Options, Server};
