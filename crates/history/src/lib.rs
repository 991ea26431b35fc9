//! Change History: the changes of resources, with author and time.
//!
//! The engine calls a [`Recorder`] for each change while its commit is prepared
//! ([`kontor_engine::ChangeRecorder`]), and writes the returned record in the same commit. The content of a record
//! follows from the document before and after ([`compare`]), by the tables in
//! [`changes`]: one row per field. Records are stored in the form of responses; [`query`] reads them by kind,
//! resource and time.
//!
//! **Invariant:** no HTTP. A record is written with its change or not at all, and never changed.

mod changes;
mod compare;
mod diff;
mod expand;
mod graphql;
mod json_writer;
mod label;
mod limits;
mod list_index;
mod query_params;
mod record;
mod record_query;
mod recording_rule;
mod retention;
mod visit_records;

pub use graphql::respond as graphql_answer;
pub use query_params::HistoryParameters;
pub use record::{NO_HISTORY, Recorder};
pub use record_query::{ChangeVisibility, query};
pub use retention::Retention;
