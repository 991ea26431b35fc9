//! The GraphQL face: a schema derived from the model, and its execution over the engine.
//!
//! Start at [`GraphQl`]. The schema ([`Schema`]) is derived once from the model by the naming conventions of the
//! official one; each place where that one leaves them is a line of a table in `exceptions`. A query is parsed
//! and checked by a library, weighed, and executed level by level, so that the documents of a level are read
//! together. Drafts and update actions are converted to what the REST face takes; from there on there is one
//! engine, so a change through one face is the same change through the other.
//!
//! **Invariant:** no HTTP, and no name of a resource outside of `exceptions`.

mod arguments;
mod compile;
mod complexity;
mod derive;
mod derived;
mod exceptions;
mod execute;
mod face;
mod gate;
mod json;
mod languages;
pub mod limits;
mod names;
mod page;
mod print;
mod problem;
mod queries;
mod reachable;
mod scalars;
mod schema;
mod schema_size;
mod sent;
mod takes;
mod variables;

pub use face::{Answer, Asking, GraphQl};
pub use gate::{Doing, Ended, Gate, Holder, Reach};
pub use languages::accepted_languages;
pub use page::{EditorFile, editor_file};
pub use schema::Schema;
