//! The REST face: routes, status codes and headers, derived from the model.
//!
//! Start at [`Public`]. A request is routed by the model ([`route`](mod@route)), its token is checked against
//! the scopes of the model ([`access`](mod@access)), and the engine does the rest. Documents go to the socket as
//! they are stored, unparsed.
//!
//! **Invariant:** no resource's name in generic code. What is not a route is 404 `URI not found: …`.

mod access;
mod answer;
mod api_clients;
mod below;
mod body;
mod bulk;
mod compression;
mod counts;
mod customers;
mod dispatch;
mod endpoint;
mod face;
mod found;
mod graphql;
mod guarded;
mod held;
mod introspection;
mod lent_body;
mod oauth;
mod openapi;
mod operator;
mod parameter_search;
mod parameters;
mod peer;
mod projections;
mod route;
mod search;
mod serve;
mod test_controls;
mod upload;
mod view;

pub use access::CHOSEN_ID;
pub use face::{Face, Options};
pub use peer::PeerAddress;
pub use serve::{Public, operator_router};
