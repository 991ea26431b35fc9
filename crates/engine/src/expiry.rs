//! Deletes documents that expire: a number of days after their last modification (`expires` in the model).
//!
//! The expiry time is a row of an index, so one lookup finds all expired documents, however many there are.
//! They are deleted like by a client: whatever prevents a deletion prevents the expiry.

use crate::caller::Caller;
use crate::clock::format_time;
use crate::document;
use crate::rules::FoundDocument;
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use crate::time_rows::{ENDS_AT, expiry_row};
use kontor_errors::ApiResult;
use kontor_model::KindId;
use kontor_storage::{IndexPage, IndexRange, IndexSort, IndexValue, PageStart};
use std::ops::Bound;

/// Documents that are looked up at once.
const CHUNK: usize = 256;
impl Shop {
    /// Deletes the documents whose expiration time has passed. Documents whose deletion is refused stay. Fails if the
    /// storage fails.
    pub fn expire_documents(&self) -> ApiResult<()> {
        let kinds: Vec<KindId> =
            self.model.kinds().filter(|(_, kind)| kind.expires.is_some()).map(|(id, _)| id).collect();
        kinds.into_iter().try_for_each(|kind| self.expire_kind(kind))
    }

    fn expire_kind(&self, kind: KindId) -> ApiResult<()> {
        let type_id = &self.model.kind(kind).type_id;
        let now = IndexValue::Text(format_time(self.clock.now()));
        let range = IndexRange::Between(Bound::Unbounded, Bound::Included(now));
        let mut after = None;
        loop {
            let page = IndexPage { sort: IndexSort::Value, after: after.take(), ..IndexPage::first(CHUNK) };
            let ids = self.storage.find_indexed(type_id, ENDS_AT, &range, &page).map_err(storage_failure)?;
            let mut last = None;
            if !ids.is_empty() {
                self.catch_up_blocking()?;
            }
            for id in &ids {
                let Some(stored) = self.storage.get(type_id, id).map_err(storage_failure)? else { continue };
                let document = FoundDocument::read(&stored)?;
                // A document that cannot be deleted is skipped until the next run.
                last = expiry_row(self.model.kind(kind), &document.document)
                    .map(|(_, ends)| PageStart::Value(ends, id.clone()));
                self.delete_expired(kind, document)?;
            }
            if ids.len() < CHUNK || last.is_none() {
                return Ok(());
            }
            after = last;
        }
    }

    /// Deletes a document, unless something prevents that, now or at the commit.
    fn delete_expired(&self, kind: KindId, document: FoundDocument) -> ApiResult<()> {
        match self.prepare_deletion(kind, document.clone(), false, &Caller::default()) {
            Ok(prepared) => self.commit_blocking(prepared).map(drop),
            Err(error) => {
                let id = document::id_of(&document.document);
                tracing::debug!(id, %error, "expired document could not be deleted");
                Ok(())
            }
        }
    }
}
