//! Reads of rules that add no precondition to the commit: the documents may change before it.

use super::{DocumentListKey, FoundDocument, Rules};
use crate::document::Document;
use crate::resident_documents::{AllOfKind, ResidentDocuments};
use kontor_errors::ApiResult;
use std::sync::Arc;

impl Rules<'_> {
    /// Like [`find_unique`](Self::find_unique), without a precondition. Fails if the storage fails.
    pub fn peek_unique(&self, kind: &str, path: &str, value: &str) -> ApiResult<Option<FoundDocument>> {
        self.documents.by_unique(kind, path, value)
    }

    /// Returns the current document of a kind with an id, without a precondition. Values derived from it may
    /// be cached until a document changes that was read before and is written with it
    /// ([`derived_value`](Self::derived_value)): cached or prefetched copies may be older than that one. Fails if the
    /// storage fails.
    pub fn peek_now(&self, type_id: &str, id: &str) -> ApiResult<Option<Arc<Document>>> {
        Ok(self.documents.by_id_now(type_id, id)?.map(|found| found.document))
    }

    /// Returns the documents of a kind with a value at an indexed path, without a precondition: others may be added
    /// before the commit. Fails if the storage fails.
    pub fn peek_by_value(&self, kind: &str, path: &str, value: &str) -> ApiResult<Vec<FoundDocument>> {
        self.documents.by_index(kind, path, value)
    }

    /// Returns the documents of a kind with one of these values at an indexed path, in one read, without a
    /// precondition. Nothing is read for a kind without documents. Fails if the storage fails.
    pub fn peek_by_values(&self, kind: &str, path: &str, values: &[&str]) -> ApiResult<Vec<FoundDocument>> {
        if values.is_empty() || !self.documents.any(kind) {
            return Ok(Vec::new());
        }
        self.documents.by_index_any(kind, path, values)
    }

    /// Returns all documents of a kind, without a precondition, for rules about the whole shop. They are read once
    /// per request. Fails if the storage fails.
    pub fn peek_all(&self, type_id: &str) -> ApiResult<Arc<[Arc<Document>]>> {
        self.gather((type_id.to_owned(), None), || self.documents.all(type_id))
    }

    /// Returns the documents of a kind with a value at an indexed path, like [`peek_all`](Self::peek_all). Fails if the
    /// storage fails.
    pub fn peek_all_with(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Arc<[Arc<Document>]>> {
        let which = (type_id.to_owned(), Some((path.to_owned(), value.to_owned())));
        self.gather(which, || self.documents.by_index(type_id, path, value))
    }

    fn gather(
        &self,
        which: DocumentListKey,
        read: impl FnOnce() -> ApiResult<Vec<FoundDocument>>,
    ) -> ApiResult<Arc<[Arc<Document>]>> {
        if let Some(known) = self.document_lists.borrow().get(&which) {
            return Ok(Arc::clone(known));
        }
        let all: Arc<[Arc<Document>]> = read()?.into_iter().map(|found| found.document).collect();
        self.document_lists.borrow_mut().insert(which, Arc::clone(&all));
        Ok(all)
    }
}

impl<'a> Rules<'a> {
    /// Returns the same rules with the resident documents of a shop.
    pub(crate) fn with_resident_documents(self, resident_documents: &'a ResidentDocuments) -> Self {
        Self { resident_documents: Some(resident_documents), ..self }
    }

    /// Returns all documents of a resident kind, without a precondition. Fails if the storage fails.
    pub fn resident_documents(&self, type_id: &str) -> ApiResult<AllOfKind> {
        match self.resident_documents.and_then(|resident_documents| resident_documents.get(type_id)) {
            Some(all) => Ok(all),
            None => self.peek_all(type_id),
        }
    }
}
