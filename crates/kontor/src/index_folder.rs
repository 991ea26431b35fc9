//! Where search indexes are: in a folder of the data folder, or in memory where that does not stay.

use kontor_indexing::Place;
use kontor_search::{EmbeddedIndex, IndexError, SearchIndex};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Indexes in a folder, one folder an index: `{project}/{search}/{slot}`.
#[derive(Debug)]
pub(crate) struct IndexFolder {
    path: PathBuf,
}

impl IndexFolder {
    /// Uses a folder that need not be there yet.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn of(&self, project: &str, search: &str) -> PathBuf {
        // Project keys are letters, digits, `-` and `_`, so they are names of folders everywhere.
        self.path.join(project).join(search)
    }
}

impl Place for IndexFolder {
    fn open(&self, project: &str, search: &str, slot: &str) -> Result<Arc<dyn SearchIndex>, IndexError> {
        let folder = self.of(project, search).join(slot);
        fs::create_dir_all(&folder).map_err(|error| IndexError::Failed(error.to_string()))?;
        Ok(Arc::new(EmbeddedIndex::open(&folder)?))
    }

    fn slots(&self, project: &str, search: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.of(project, search)) else { return Vec::new() };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut slots: Vec<String> = names.collect();
        slots.sort_unstable();
        slots
    }

    fn remove(&self, project: &str, search: &str, slot: &str) {
        remove(&self.of(project, search).join(slot));
    }

    fn forget(&self, project: &str) {
        remove(&self.path.join(project));
    }
}

/// What cannot be removed now is found, and thrown away, at the next start.
fn remove(path: &Path) {
    if let Err(error) = fs::remove_dir_all(path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(path = %path.display(), %error, "a search index was not removed");
    }
}

/// Project, search and slot.
type Slot = (String, String, String);

/// Indexes in memory.
#[derive(Default)]
pub(crate) struct IndexMemory {
    indexes: Mutex<BTreeMap<Slot, Arc<dyn SearchIndex>>>,
}

impl Place for IndexMemory {
    fn open(&self, project: &str, search: &str, slot: &str) -> Result<Arc<dyn SearchIndex>, IndexError> {
        let slot = (project.to_owned(), search.to_owned(), slot.to_owned());
        let mut indexes = self.indexes.lock();
        if let Some(index) = indexes.get(&slot) {
            return Ok(Arc::clone(index));
        }
        let index: Arc<dyn SearchIndex> = Arc::new(EmbeddedIndex::in_memory()?);
        indexes.insert(slot, Arc::clone(&index));
        Ok(index)
    }

    fn slots(&self, project: &str, search: &str) -> Vec<String> {
        let indexes = self.indexes.lock();
        let of =
            indexes.keys().filter(|(of_project, of_search, _)| of_project == project && of_search == search);
        of.map(|(.., slot)| slot.clone()).collect()
    }

    fn remove(&self, project: &str, search: &str, slot: &str) {
        self.indexes.lock().remove(&(project.to_owned(), search.to_owned(), slot.to_owned()));
    }

    fn forget(&self, project: &str) {
        self.indexes.lock().retain(|(of_project, ..), _| of_project != project);
    }
}
