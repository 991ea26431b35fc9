//! Where search indexes are that stay: in a folder of the data folder.

use kontor_indexing::Place;
use kontor_search::{EmbeddedIndex, IndexError, SearchIndex};
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
