//! GraphQL: derives a schema from the model, and executes queries and mutations with the engine.
//!
//! Begin at [`GraphQl`]. The schema ([`Schema`]) is derived once from the model by the naming conventions of the
//! official schema; each place where that one does not follow them is a row of a table in `exceptions`. A query is
//! parsed and validated by a library (`apollo-compiler`), its complexity is limited, and it is executed level by level,
//! so that the documents of a level are read together. Drafts and update actions are converted to their REST form; then
//! they take the same path through the engine as REST requests.
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
