//! What goes with a document that is deleted with `dataErasure`: everything that was kept about it and may hold what is personal in it.
//!
//! All of it goes in the commit of the deletion. The storage, and whoever derives something from documents, removes it from the disk soon
//! after ([`ERASED`], `docs/decisions/0054-erasure.md`).

use crate::behaviour::Behaviours;
use crate::document::{Document, MESSAGE, id_of, text};
use crate::failure::storage_failure;
use crate::shop::Shop;
use crate::write;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::{ERASED, IndexPage, IndexRange, IndexValue, Precondition, Write};

/// What is written and required so that nothing is kept about a document.
#[derive(Default)]
pub(crate) struct Erasure {
    pub(crate) preconditions: Vec<Precondition>,
    pub(crate) writes: Vec<Write>,
}

impl Behaviours {
    /// The same, where documents beside the model hold data of a resource: the kind of each, and the indexed path at which it has the
    /// resource's key. They go when the resource is erased.
    #[must_use]
    pub fn keeping_by_key(mut self, kept_by_key: &'static [(&'static str, &'static str)]) -> Self {
        self.kept_by_key = kept_by_key;
        self
    }
}

impl Shop {
    /// Removes the Messages about a document, the records of its changes, notifications about it that are not delivered, and documents
    /// beside the model that are found by its key.
    pub(crate) fn erasure(&self, kind: KindId, document: &Document) -> ApiResult<Erasure> {
        let (id, entry) = (id_of(document), self.model.kind(kind));
        let mut erasure = Erasure::default();
        for path in ["resource.id", write::BESIDE] {
            erasure.delete(MESSAGE, self.with_value(MESSAGE, path, id)?);
        }
        if let Some(key) = text(document, &[&entry.key_field]) {
            for (kind, path) in self.behaviours.kept_by_key {
                erasure.delete(kind, self.with_value(kind, path, key)?);
            }
        }
        self.erase_notifications(id, &mut erasure)?;
        erasure.writes.push(Write::EraseRecords { kind: entry.type_id.clone(), id: id.to_owned() });
        // Another value than before, since no document is deleted twice.
        erasure.writes.push(Write::Setting { name: ERASED.to_owned(), value: Some(id.to_owned()) });
        Ok(erasure)
    }

    fn with_value(&self, kind: &str, path: &str, value: &str) -> ApiResult<Vec<String>> {
        let range = IndexRange::equal(IndexValue::Text(value.to_owned()));
        self.storage.find_indexed(kind, path, &range, &IndexPage::default()).map_err(storage_failure)
    }
}

impl Erasure {
    fn delete(&mut self, kind: &str, ids: Vec<String>) {
        let gone = |id| Write::Delete { kind: kind.to_owned(), id, record: None };
        self.writes.extend(ids.into_iter().map(gone));
    }
}
