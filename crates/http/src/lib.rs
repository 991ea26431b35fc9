//! The HTTP server: connections, routing, authentication, and everything around REST and GraphQL: rate and memory
//! limits, pages, metrics, test controls.
//!
//! Begin at [`Public`]. A request is looked up in the model's table of operations (`routes`). Fixed paths are handled
//! in `fixed`; requests to the documents of a project are authorized in `project`, the only place, and handed to
//! `rest`.
//!
//! **Invariant:** no resource's name. A path that is not in the table is 404 `URI not found: …`.

mod access;
mod admission;
mod api_clients;
mod at_once;
mod body;
mod compression;
mod counts;
mod customers;
mod faults;
pub mod figures;
mod fixed;
mod graphql;
mod guarded;
mod headers;
mod held;
mod history;
mod html_page;
mod ignored;
mod images;
mod imports;
mod in_flight;
mod introspection;
mod lent_body;
mod listen;
mod mcp;
mod noted;
mod oauth;
mod openapi;
mod operator;
mod peer;
mod project;
mod references;
mod rights;
mod routes;
mod serve;
mod server;
mod services;
mod start_page;
mod test_controls;
mod told;
pub mod traces;

pub use access::{CHOSEN_ID, HASHED_SECRETS, KEPT_VERSION};
pub use listen::{serve_metrics, serve_operator, serve_public};
pub use serve::{Answering, Public, operator_router};
pub use server::{Options, Server};
