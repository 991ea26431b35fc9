//! Keeps the search indexes of running shops.
//!
//! Start at [`Searches`]: one for a server, beside its shops. For each shop a task looks at the project's settings and at the
//! change log; for each search that is turned on it keeps one index ([`kept`]): opened where a usable one is left from
//! before, built from all documents otherwise ([`build`]), then following the change log ([`follow`]). An index whose
//! fields have changed goes on answering while another one is built beside it.
//!
//! **Invariant:** no resource's name; what is special about one is its `Searchable`. An index holds nothing that
//! the storage does not: its folder may be deleted at any time.

mod build;
mod entries;
mod erasing;
mod follow;
mod idle;
mod kept;
mod memory;
mod newest;
mod place;
mod searches;
mod status;

pub use memory::IndexMemory;
pub use place::Place;
pub use searches::{NotReady, Ready, Searches};
pub use status::{IndexingState, IndexingStatus};
