//! The documents of a storage for rules, including uncommitted writes of requests with the same claims.

use crate::non_empty_kinds::NonEmptyKinds;
use crate::parsed_document_cache::ParsedDocumentCache;
use crate::prefetched_documents::PrefetchedDocuments;
use crate::rules::{DocumentSource, FoundDocument};
use crate::storage_error::storage_failure;
use kontor_errors::ApiResult;
use kontor_storage::{IndexPage, IndexRange, IndexValue, ScanDirection, Storage, StoredDocument};
use std::ops::ControlFlow;

/// The documents of a storage, and those of them that were prefetched.
pub(crate) struct StoredDocuments<'a> {
    pub(crate) storage: &'a dyn Storage,
    pub(crate) ahead: &'a PrefetchedDocuments,
    /// Caches which kinds have documents.
    pub(crate) non_empty_kinds: &'a NonEmptyKinds,
    pub(crate) parsed_documents: &'a ParsedDocumentCache,
}

impl StoredDocuments<'_> {
    fn read(&self, type_id: &str, stored: &StoredDocument) -> ApiResult<FoundDocument> {
        FoundDocument::parse_cached(stored, self.parsed_documents)
            .map_err(|error| error.of_document(Some(type_id), &stored.id))
    }

    fn read_optional(
        &self,
        type_id: &str,
        stored: Option<StoredDocument>,
    ) -> ApiResult<Option<FoundDocument>> {
        stored.map(|stored| self.read(type_id, &stored)).transpose()
    }

    fn on_page(
        &self,
        type_id: &str,
        path: &str,
        range: &IndexRange,
        page: &IndexPage,
    ) -> ApiResult<Vec<FoundDocument>> {
        let mut all = Vec::new();
        self.storage
            .visit_indexed(type_id, path, range, page, &mut |stored| {
                all.push(match self.ahead.in_flight_document(type_id, stored.id) {
                    Some(underway) => FoundDocument::read(underway),
                    None => self.read(type_id, &stored.to_stored()),
                });
                ControlFlow::Continue(())
            })
            .map_err(storage_failure)?;
        all.into_iter().collect()
    }
}

impl DocumentSource for StoredDocuments<'_> {
    fn by_id(&self, type_id: &str, id: &str) -> ApiResult<Option<FoundDocument>> {
        if let Some(underway) = self.ahead.in_flight_document(type_id, id) {
            return FoundDocument::read(underway).map(Some);
        }
        match self.ahead.get(type_id, None, id, self.parsed_documents)? {
            Some(found) => Ok(found),
            None => {
                let found = self
                    .read_optional(type_id, self.storage.get_cached(type_id, id).map_err(storage_failure)?)?;
                self.ahead.cache(type_id, None, id, found.as_ref());
                Ok(found)
            }
        }
    }

    fn by_id_now(&self, type_id: &str, id: &str) -> ApiResult<Option<FoundDocument>> {
        match self.ahead.in_flight_document(type_id, id) {
            Some(underway) => FoundDocument::read(underway).map(Some),
            None => self.read_optional(type_id, self.storage.get(type_id, id).map_err(storage_failure)?),
        }
    }

    fn by_unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<FoundDocument>> {
        match self.ahead.get(type_id, Some(path), value, self.parsed_documents)? {
            Some(found) => Ok(found),
            None => {
                let stored = self.storage.get_by_unique(type_id, path, value).map_err(storage_failure)?;
                let found = self.read_optional(type_id, stored)?;
                self.ahead.cache(type_id, Some(path), value, found.as_ref());
                Ok(found)
            }
        }
    }

    fn all(&self, type_id: &str) -> ApiResult<Vec<FoundDocument>> {
        let mut all = Vec::new();
        self.storage
            .scan(type_id, ScanDirection::Ascending, None, &mut |stored| {
                all.push(self.read_optional(type_id, Some(stored.to_stored())));
                ControlFlow::Continue(())
            })
            .map_err(storage_failure)?;
        all.into_iter().filter_map(Result::transpose).collect()
    }

    fn counter(&self, counter: &str) -> ApiResult<i64> {
        self.storage.counter(counter).map_err(storage_failure)
    }

    fn may_have_documents(&self, type_ids: &[&str]) -> Vec<bool> {
        let unknown = self.non_empty_kinds.uncached(type_ids);
        if !unknown.is_empty() {
            match self.storage.count_each(&unknown) {
                Ok(counts) => self.non_empty_kinds.add(unknown.into_iter().zip(counts)),
                // If counting fails, documents may exist.
                Err(_) => return vec![true; type_ids.len()],
            }
        }
        self.non_empty_kinds.contains_each(type_ids)
    }

    fn by_index(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Vec<FoundDocument>> {
        self.on_page(type_id, path, &IndexRange::equal(value), &IndexPage::default())
    }

    fn some_by_index(
        &self,
        type_id: &str,
        path: &str,
        value: &str,
        most: usize,
    ) -> ApiResult<Vec<FoundDocument>> {
        self.on_page(type_id, path, &IndexRange::equal(value), &IndexPage::first(most))
    }

    fn by_index_any(&self, type_id: &str, path: &str, values: &[&str]) -> ApiResult<Vec<FoundDocument>> {
        let range = IndexRange::In(values.iter().map(|value| IndexValue::from(*value)).collect());
        self.on_page(type_id, path, &range, &IndexPage::default())
    }
}
