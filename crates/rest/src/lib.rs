//! The REST face: what a request to documents does, and how it is answered.
//!
//! Start at [`Rest::answer`]. Which operation of the model a request means, who sends it and whether they may has been
//! found out before ([`Admitted`]); the engine does the rest. Documents go to the socket as they are stored, unparsed.
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
