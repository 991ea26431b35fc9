//! Erases personal data: deletes everything that was stored about a document that is deleted with
//! `dataErasure`.
//!
//! All of it is part of the commit of the deletion. The storage and the derived indexes remove it from the disk
//! soon after ([`ERASED`], `docs/decisions/0054-erasure.md`).

use crate::behaviour::Behaviours;
use crate::document::{Document, MESSAGE, id_of, text};
use crate::document_writes;
use crate::erasure_listener::ErasureListener;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::{
    ChangeLogEntry, ChangeOperation, ERASED, IndexPage, IndexRange, IndexValue, Precondition, Write,
};
use std::sync::Arc;

/// The writes and preconditions that delete all data about a document.
#[derive(Default)]
pub(crate) struct DocumentErasure {
    pub(crate) preconditions: Vec<Precondition>,
    pub(crate) writes: Vec<Write>,
}

impl Behaviours {
    /// Returns the behaviours with the kinds of documents outside the model that hold data of a resource, each
    /// with the indexed path of the resource's key. They are deleted when the resource is erased.
    #[must_use]
    pub fn with_data_by_key(mut self, kept_by_key: &'static [(&'static str, &'static str)]) -> Self {
        self.kept_by_key = kept_by_key;
        self
    }
}

impl Shop {
    /// Deletes the Messages about the document, its Change History records, notifications about it that are not
    /// delivered, and documents outside the model with its key.
    pub(crate) fn prepare_erasure(&self, kind: KindId, document: &Document) -> ApiResult<DocumentErasure> {
        let (id, entry) = (id_of(document), self.model.kind(kind));
        let mut erasure = DocumentErasure::default();
        for path in ["resource.id", document_writes::CHANGED_DOCUMENT_ID] {
            erasure.delete(MESSAGE, self.with_value(MESSAGE, path, id)?);
        }
        if let Some(key) = text(document, &[&entry.key_field]) {
            for (kind, path) in self.behaviours.kept_by_key {
                erasure.delete(kind, self.with_value(kind, path, key)?);
            }
        }
        self.erase_notifications(id, &mut erasure)?;
        erasure.writes.push(Write::EraseRecords { kind: entry.type_id.clone(), id: id.to_owned() });
        // Each erasure writes another value, since no document is deleted twice.
        erasure.writes.push(Write::Setting { name: ERASED.to_owned(), value: Some(id.to_owned()) });
        Ok(erasure)
    }

    /// Returns the shop with a listener for erasures.
    #[must_use]
    pub fn with_erasure_listener(self, erasure_listener: Option<Arc<dyn ErasureListener>>) -> Self {
        Self { erasure_listener, ..self }
    }

    /// Notifies the listener of the erasure of a resource.
    pub(crate) fn notify_of_erasure(&self, id: &str) {
        if let Some(listener) = &self.erasure_listener {
            listener.erase(&self.key, id);
        }
    }

    /// Notifies the listener of erasures by other servers. Several of them may have been made since the last call, and the
    /// setting names the last one, so all deleted documents count as erased then.
    pub(crate) fn notify_of_erasures_elsewhere(&self, changes: &[ChangeLogEntry]) -> ApiResult<()> {
        let deleted = || changes.iter().filter(|change| change.operation == ChangeOperation::Deleted);
        if self.erasure_listener.is_none() || deleted().next().is_none() {
            return Ok(());
        }
        let erased = self.storage.setting(ERASED).map_err(storage_failure)?;
        if std::mem::replace(&mut *self.last_erasure.lock(), erased.clone()) != erased {
            deleted().for_each(|change| self.notify_of_erasure(&change.id));
        }
        Ok(())
    }

    fn with_value(&self, kind: &str, path: &str, value: &str) -> ApiResult<Vec<String>> {
        let range = IndexRange::equal(IndexValue::Text(value.to_owned()));
        self.storage.find_indexed(kind, path, &range, &IndexPage::default()).map_err(storage_failure)
    }
}

impl DocumentErasure {
    fn delete(&mut self, kind: &str, ids: Vec<String>) {
        let gone = |id| Write::Delete { kind: kind.to_owned(), id, record: None };
        self.writes.extend(ids.into_iter().map(gone));
    }
}
