//! Builds an index from all documents, a chunk at a time.
//!
//! Start at [`IndexBuild::step`]. Changes made meanwhile are not lost: [`crate::change_log_follower`] reads the change log from the
//! position at which the build began.

use crate::entries;
use bytes::Bytes;
use kontor_engine::{Searchable, Shop, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_search::{IndexError, IndexPosition, SearchIndex};
use kontor_storage::ScanDirection;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Maximum number of documents of a chunk.
const CHUNK_DOCUMENTS: usize = 1_000;
/// Bytes of documents after which a chunk ends.
const CHUNK_BYTES: usize = 8 << 20;

/// An index that is being built.
pub(crate) struct IndexBuild {
    pub(crate) index: Arc<dyn SearchIndex>,
    pub(crate) slot: String,
    /// The last entry of the change log when the build began. Later changes are indexed afterwards.
    position: IndexPosition,
    /// The id of the last document that was read.
    after: Option<String>,
    pub(crate) indexed: u64,
    pub(crate) failed: u64,
}

impl IndexBuild {
    /// Starts to build an index in `slot`.
    pub(crate) fn new(
        index: Arc<dyn SearchIndex>,
        slot: String,
        generation: u64,
        shop: &Shop,
    ) -> ApiResult<Self> {
        let storage = shop.storage();
        let epoch = storage.epoch().map_err(storage_failure)?;
        let seq = storage.last_seq().map_err(storage_failure)?;
        // Entries also depend on other documents, which are read as of the last read of the change log. Reads it now:
        // earlier changes are not followed later.
        storage.changes(seq, 1).map_err(storage_failure)?;
        let position = IndexPosition { epoch, seq, generation, is_complete: false };
        Ok(Self { index, slot, position, after: None, indexed: 0, failed: 0 })
    }

    /// The position of the finished index: where the change log is followed from, and the generation of its fields.
    pub(crate) fn position(&self) -> IndexPosition {
        self.position
    }

    /// Indexes the next chunk. Returns true if it was the last one.
    pub(crate) fn step(&mut self, shop: &Shop, searchable: &dyn Searchable) -> ApiResult<bool> {
        let mut read: Vec<(String, Bytes)> = Vec::new();
        let mut bytes = 0;
        shop.storage()
            .scan(searchable.kind(), ScanDirection::Ascending, self.after.as_deref(), &mut |stored| {
                bytes += stored.body.len();
                read.push((stored.id.to_owned(), Bytes::copy_from_slice(stored.body)));
                if read.len() < CHUNK_DOCUMENTS && bytes < CHUNK_BYTES {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .map_err(storage_failure)?;
        let is_last = read.len() < CHUNK_DOCUMENTS && bytes < CHUNK_BYTES;
        let bodies = read.iter().map(|(id, body)| (id.as_str(), Some(body)));
        let mut made = entries::entries_of_bodies(shop, searchable, &bodies.collect::<Vec<_>>());
        // A new index has nothing to delete.
        made.batch.delete.clear();
        let indexed = made.batch.put.len() as u64;
        made.batch.position = IndexPosition { is_complete: is_last, ..self.position };
        made.batch.as_of = self.position.seq;
        self.index.build(made.batch).map_err(|error| index_failure(&error))?;
        self.indexed += indexed;
        self.failed += made.failed;
        self.after = read.pop().map(|(id, _)| id).or(self.after.take());
        Ok(is_last)
    }
}

/// Logs a failure of an index, and returns the error for the client.
pub(crate) fn index_failure(error: &IndexError) -> ApiError {
    match error {
        IndexError::Failed(_) => {
            tracing::error!(%error, "a search index failed");
            ApiError::internal()
        }
        // The client of the search server logs this once.
        IndexError::Unavailable(_) => {
            ApiError::new(Code::OverCapacity, "The search cannot be reached at the moment. Try again later.")
        }
        IndexError::Refused(message) => ApiError::invalid_input(message.clone()),
    }
}
