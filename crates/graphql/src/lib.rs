//! GraphQL: derives a schema from the model, and executes queries and mutations with the engine.
//!
//! Begin at [`GraphQl`]. The schema ([`Schema`]) is derived once from the model by the naming conventions of the
//! official schema; each place where that one does not follow them is a row of a table in `exceptions`. A query is
//! parsed and validated by a library (`apollo-compiler`), its complexity is limited, and it is executed level by level,
//! so that the documents of a level are read together. Drafts and update actions are converted to their REST form; then
//! they take the same path through the engine as REST requests.
//!
//! **Invariant:** no HTTP, and no name of a resource outside of `exceptions`.

mod access_control;
mod arguments;
mod borrowed_json;
mod complexity;
mod derive;
mod exceptions;
mod execute;
mod graphql_error;
mod input_conversion;
mod languages;
pub mod limits;
mod names;
mod page;
mod query_cache;
mod reachable_types;
mod scalar_values;
mod scalars;
mod schema;
mod schema_compiler;
mod schema_size;
mod schema_types;
mod sdl_printer;
mod service;
mod variables;

pub use access_control::{AccessControl, CallCompletion, DocumentReach, ExternalKindStore, FieldOperation};
pub use languages::accepted_languages;
pub use page::{EditorFile, editor_file};
pub use schema::Schema;
pub use service::{GraphQl, GraphQlContext, GraphQlResponse};
