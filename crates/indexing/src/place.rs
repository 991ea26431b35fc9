//! The trait for the location of indexes.

use kontor_search::{IndexError, SearchIndex};
use std::sync::Arc;

/// The location of a server's indexes: a folder, or memory.
///
/// An index is identified by the key of its project, the name of its search, and a slot, so that a second one
/// can be built.
pub trait Place: Send + Sync {
    /// Opens an index; creates a new one if there is none or it cannot be read.
    fn open(&self, project: &str, search: &str, slot: &str) -> Result<Arc<dyn SearchIndex>, IndexError>;

    /// The slots that hold something.
    fn slots(&self, project: &str, search: &str) -> Result<Vec<String>, IndexError>;

    /// Removes an index that is not used any more.
    fn remove(&self, project: &str, search: &str, slot: &str);

    /// Removes all indexes of a project.
    fn forget(&self, project: &str);

    /// Whether other processes have the same indexes. One of them then writes, and the others read what it publishes.
    fn is_shared(&self) -> bool {
        false
    }

    /// Says that a slot is the one that answers, in the place of others.
    fn publish(&self, _project: &str, _search: &str, _slot: &str) -> Result<(), IndexError> {
        Ok(())
    }

    /// The index that was published last, whichever slot it has at the moment.
    fn published(&self, _project: &str, _search: &str) -> Result<Option<Arc<dyn SearchIndex>>, IndexError> {
        Ok(None)
    }

    /// Why indexes cannot be reached at the moment, as far as is known.
    fn fault(&self) -> Option<String> {
        None
    }
}
