//! The REST API: handles requests to documents.
//!
//! Begin at [`Rest::answer`]. The operation, the caller and its rights have been determined before ([`Admitted`]); the
//! engine does the rest. Stored documents go to the socket unparsed.
//!
//! **Invariant:** no resource's name, no tokens, no sockets.

mod admitted;
pub mod answer;
mod blocking;
mod bulk;
mod dispatch;
mod documents;
mod endpoint;
mod face;
mod found;
mod list;
mod matching;
mod parameter_search;
mod parameters;
mod projections;
mod search;
mod unread;
mod upload;
mod view;

pub use admitted::{Admitted, Ended, Guard};
pub use blocking::{blocking, page};
pub use face::{Holder, Rest};
pub use parameters::Parameters;
pub use unread::Unread;
