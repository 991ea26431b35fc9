//! The documents of a storage, as rules read them.

use crate::failure::storage_failure;
use crate::rules::{Documents, Found};
use kontor_errors::ApiResult;
use kontor_storage::{IndexPage, IndexRange, ScanDirection, Storage, Stored};
use std::ops::ControlFlow;

/// Documents out of a storage.
pub(crate) struct StoredDocuments<'a>(pub(crate) &'a dyn Storage);

impl StoredDocuments<'_> {
    fn found(stored: Option<Stored>) -> ApiResult<Option<Found>> {
        stored.as_ref().map(Found::read).transpose()
    }

    fn on_page(&self, type_id: &str, path: &str, value: &str, page: &IndexPage) -> ApiResult<Vec<Found>> {
        let mut all = Vec::new();
        let range = IndexRange::equal(value);
        self.0
            .visit_indexed(type_id, path, &range, page, &mut |stored| {
                all.push(Self::found(Some(stored.to_stored())));
                ControlFlow::Continue(())
            })
            .map_err(storage_failure)?;
        all.into_iter().filter_map(Result::transpose).collect()
    }
}

impl Documents for StoredDocuments<'_> {
    fn by_id(&self, type_id: &str, id: &str) -> ApiResult<Option<Found>> {
        Self::found(self.0.get(type_id, id).map_err(storage_failure)?)
    }

    fn by_unique(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Option<Found>> {
        Self::found(self.0.get_by_unique(type_id, path, value).map_err(storage_failure)?)
    }

    fn all(&self, type_id: &str) -> ApiResult<Vec<Found>> {
        let mut all = Vec::new();
        self.0
            .scan(type_id, ScanDirection::Ascending, None, &mut |stored| {
                all.push(Self::found(Some(stored.to_stored())));
                ControlFlow::Continue(())
            })
            .map_err(storage_failure)?;
        all.into_iter().filter_map(Result::transpose).collect()
    }

    fn any(&self, type_id: &str) -> bool {
        // Who cannot be counted may be there.
        self.0.count(type_id).map_or(true, |count| count > 0)
    }

    fn by_index(&self, type_id: &str, path: &str, value: &str) -> ApiResult<Vec<Found>> {
        self.on_page(type_id, path, value, &IndexPage::default())
    }

    fn some_by_index(&self, type_id: &str, path: &str, value: &str, most: usize) -> ApiResult<Vec<Found>> {
        self.on_page(type_id, path, value, &IndexPage::first(most))
    }
}
