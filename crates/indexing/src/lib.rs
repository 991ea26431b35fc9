//! Maintains the search indexes of running shops.
//!
//! Start at [`Searches`]: a server has one, next to its shops. It runs a task for each shop, which watches the settings
//! of the Project and the change log. For each search that is turned on, a worker ([`kept`]) opens the index that a
//! former process left, or builds one from all documents ([`build`]); then it follows the change log ([`follow`]). If
//! the fields of an index change, a new one is built while searches use the old one.
//!
//! **Invariant:** no resource's name; whatever differs between resources is in their `Searchable`. An index holds
//! nothing that the storage does not have: its folder can be deleted at any time.

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
