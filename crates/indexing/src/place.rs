//! Where indexes are.

use kontor_search::{IndexError, SearchIndex};
use std::sync::Arc;

/// Where the indexes of a server are: a folder, or memory.
///
/// An index has the key of its project, the name of its search, and a slot, so that one can be built beside another.
pub trait Place: Send + Sync {
    /// Opens an index, new where there is none or where what is there cannot be read.
    fn open(&self, project: &str, search: &str, slot: &str) -> Result<Arc<dyn SearchIndex>, IndexError>;

    /// The slots that hold something.
    fn slots(&self, project: &str, search: &str) -> Vec<String>;

    /// Removes an index that nobody uses any more.
    fn remove(&self, project: &str, search: &str, slot: &str);

    /// Removes all indexes of a project.
    fn forget(&self, project: &str);
}
