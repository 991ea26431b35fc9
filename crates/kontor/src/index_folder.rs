//! Stores search indexes permanently, in a subfolder of the data folder.

use kontor_indexing::IndexStore;
use kontor_search::{EmbeddedIndex, IndexError, SearchIndex};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::Uuid;

/// The prefix of folders that are being deleted. No project key begins with it.
const REMOVED: &str = ".removed-";

/// Indexes in a folder, with one folder per index: `{project}/{search}/{slot}`.
#[derive(Debug)]
pub(crate) struct IndexFolder {
    path: PathBuf,
}

impl IndexFolder {
    /// Uses a folder, which need not exist yet. Finishes the deletions that an earlier process began.
    pub(crate) fn new(path: PathBuf) -> Self {
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(REMOVED) {
                remove_all(&entry.path());
            }
        }
        Self { path }
    }

    fn folder_of(&self, project: &str, search: &str) -> PathBuf {
        // Project keys are letters, digits, `-` and `_`, so they are valid folder names everywhere.
        self.path.join(project).join(search)
    }

    /// Deletes a folder. Renames it first, because an index that is merging segments would add files while it is
    /// emptied.
    fn remove_folder(&self, path: &Path) {
        let removed = self.path.join(format!("{REMOVED}{}", Uuid::new_v4()));
        match fs::rename(path, &removed) {
            Ok(()) => remove_all(&removed),
            Err(_) => remove_all(path),
        }
    }
}

impl IndexStore for IndexFolder {
    fn open(&self, project: &str, search: &str, slot: &str) -> Result<Arc<dyn SearchIndex>, IndexError> {
        let folder = self.folder_of(project, search).join(slot);
        fs::create_dir_all(&folder).map_err(|error| IndexError::Failed(error.to_string()))?;
        Ok(Arc::new(EmbeddedIndex::open(&folder)?))
    }

    fn slots(&self, project: &str, search: &str) -> Result<Vec<String>, IndexError> {
        let Ok(entries) = fs::read_dir(self.folder_of(project, search)) else { return Ok(Vec::new()) };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut slots: Vec<String> = names.collect();
        slots.sort_unstable();
        Ok(slots)
    }

    fn remove(&self, project: &str, search: &str, slot: &str) {
        self.remove_folder(&self.folder_of(project, search).join(slot));
    }

    fn forget(&self, project: &str) {
        self.remove_folder(&self.path.join(project));
    }
}

/// Deletes a folder. If that fails, the next start tries again.
fn remove_all(path: &Path) {
    if let Err(error) = fs::remove_dir_all(path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(path = %path.display(), %error, "a search index was not removed");
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_is_written_to_meanwhile_is_removed_whole() {
        let folder = tempfile::tempdir().unwrap();
        let indexes = IndexFolder::new(folder.path().to_owned());
        let slot = indexes.folder_of("shop", "products").join("1");
        fs::create_dir_all(&slot).unwrap();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut number = 0;
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    // A merge writes files by the path with which the index was opened.
                    let _ = fs::write(slot.join(number.to_string()), "x");
                    number += 1;
                }
            });
            std::thread::sleep(std::time::Duration::from_millis(50));
            indexes.remove("shop", "products", "1");
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(indexes.slots("shop", "products").unwrap(), Vec::<String>::new());
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["shop"]);
    }

    #[test]
    fn finishes_removals_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".removed-1/old")).unwrap();
        fs::create_dir_all(folder.path().join("shop/products/1")).unwrap();
        let indexes = IndexFolder::new(folder.path().to_owned());
        assert!(!folder.path().join(".removed-1").exists());
        assert_eq!(indexes.slots("shop", "products").unwrap(), ["1"]);
    }
}
