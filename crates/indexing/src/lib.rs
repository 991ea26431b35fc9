//! Maintains the search indexes of running shops.
//!
//! Start at [`Searches`]: a server has one, next to its shops. It runs a task for each shop, which watches the settings
//! of the Project and the change log. For each search that is turned on, a worker ([`index_worker`]) opens the index
//! that a former process left, or builds one from all documents ([`build`]); then it follows the change log
//! ([`change_log_follower`]). If the fields of an index change, a new one is built while searches use the old one.
//!
//! **Invariant:** no resource's name; whatever differs between resources is in their `Searchable`. An index holds
//! nothing that the storage does not have: its folder can be deleted at any time.

mod build;
mod change_log_follower;
mod entries;
mod index_erasure;
mod index_memory;
mod index_store;
mod index_worker;
mod live_fields;
mod search_usage;
mod searches;
mod status;

pub use index_memory::IndexMemory;
pub use index_store::IndexStore;
pub use searches::{SearchHandle, Searches, UnreadyReason};
pub use status::{IndexingState, IndexingStatus};
