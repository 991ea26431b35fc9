//! The HTTP server: from a request to the operation that is meant, who asks and may they, and everything around the
//! faces: tokens, limits, pages, measurements, test controls.
//!
//! Start at [`Public`]. A request is looked up in the model's table of operations ([`routes`]); fixed paths are answered
//! here ([`fixed`]); what is asked of a project is admitted at one place ([`project`]) and handed to a face.
//!
//! **Invariant:** no resource's name. What is not in the table is 404 `URI not found: …`.

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
