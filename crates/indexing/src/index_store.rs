//! The trait for where indexes are stored: in a folder, in memory, or on an OpenSearch server.

use kontor_search::{IndexError, SearchIndex};
use std::sync::Arc;

/// Where a server stores its indexes.
///
/// An index is identified by the key of its project, the name of its search, and a slot, so that a new index can be
/// built next to the one in use.
pub trait IndexStore: Send + Sync {
    /// Opens an index; creates a new one if there is none or it cannot be read.
    fn open(&self, project: &str, search: &str, slot: &str) -> Result<Arc<dyn SearchIndex>, IndexError>;

    /// Returns the slots that hold an index.
    fn slots(&self, project: &str, search: &str) -> Result<Vec<String>, IndexError>;

    /// Removes an unused index.
    fn remove(&self, project: &str, search: &str, slot: &str);

    /// Removes all indexes of a project.
    fn forget(&self, project: &str);

    /// Returns whether other processes use the same indexes. Then one process writes them and publishes them, and the
    /// others read the published ones.
    fn is_shared(&self) -> bool {
        false
    }

    /// Publishes a slot: from now on, all processes use its index.
    fn publish(&self, _project: &str, _search: &str, _slot: &str) -> Result<(), IndexError> {
        Ok(())
    }

    /// Returns the published index, whichever slot it is in.
    fn published(&self, _project: &str, _search: &str) -> Result<Option<Arc<dyn SearchIndex>>, IndexError> {
        Ok(None)
    }

    /// Returns why indexes are unavailable at the moment, if known.
    fn fault(&self) -> Option<String> {
        None
    }
}
