//! Requests that the server sends to others where settings of projects say so: to the world and not to its neighbours, in time, with
//! answers that are not too long, and no further than they are sent.
//!
//! Start at [`Outbound`]. One for a server is enough: it keeps connections open for the next requests.
//!
//! **Invariant:** nothing is sent to an address that [`Destinations`] does not admit, whatever name leads there; redirects are
//! answers and are not followed.

mod destinations;
mod faults;
mod outbound;

pub use destinations::Destinations;
pub use faults::{Fault, Faults};
pub use outbound::{CORRELATION_ID, Connection, Outbound, Outgoing, Received, Unanswered};
