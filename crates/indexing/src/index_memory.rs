//! Search indexes in memory, which are lost when the process ends: `kontor serve --in-memory` and tests.

use crate::index_store::IndexStore;
use kontor_search::{EmbeddedIndex, IndexError, SearchIndex};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Project, search and slot.
type IndexSlot = (String, String, String);

/// A [`IndexStore`] that holds indexes in memory.
#[derive(Default)]
pub struct IndexMemory {
    indexes: Mutex<BTreeMap<IndexSlot, Arc<dyn SearchIndex>>>,
}

impl IndexStore for IndexMemory {
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

    fn slots(&self, project: &str, search: &str) -> Result<Vec<String>, IndexError> {
        let indexes = self.indexes.lock();
        let of =
            indexes.keys().filter(|(of_project, of_search, _)| of_project == project && of_search == search);
        Ok(of.map(|(.., slot)| slot.clone()).collect())
    }

    fn remove(&self, project: &str, search: &str, slot: &str) {
        self.indexes.lock().remove(&(project.to_owned(), search.to_owned(), slot.to_owned()));
    }

    fn forget(&self, project: &str) {
        self.indexes.lock().retain(|(of_project, ..), _| of_project != project);
    }
}
