//! Change History: what happened to resources, by whom, and when.
//!
//! A [`Recorder`] is asked for each change while its commit is put together ([`kontor_engine::Recording`]), and gives a
//! record that is written in the same commit: so no crash parts them. What a record tells follows from the document before
//! and after ([`compare`]), by the tables in [`changes`]: one row a field. Records are stored as they are shown;
//! [`query`] reads them by kind, resource and time.
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
