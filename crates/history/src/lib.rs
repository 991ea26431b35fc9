//! Change History: the changes of resources, with author and time.
//!
//! The engine calls a [`Recorder`] for each change while its commit is prepared
//! ([`kontor_engine::Recording`]), and writes the returned record in the same commit. The content of a record
//! follows from the document before and after ([`compare`]), by the tables in
//! [`changes`]: one row per field. Records are stored in the form of responses; [`query`] reads them by kind,
//! resource and time.
//!
//! **Invariant:** no HTTP. A record is written with its change or not at all, and never changed.

mod asked;
mod changes;
mod compare;
mod expand;
mod graphql;
mod history;
mod label;
mod limits;
mod list;
mod lists;
mod record;
mod retention;
mod rule;
mod told;
mod written;

pub use asked::Sent;
pub use graphql::answer as graphql_answer;
pub use history::{Sight, query};
pub use record::{NO_HISTORY, Recorder};
pub use retention::Retention;
