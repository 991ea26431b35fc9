//! Building an index from all documents, a chunk at a time.

use crate::entries;
use bytes::Bytes;
use kontor_engine::{Searchable, Shop, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_search::{IndexError, Position, SearchIndex};
use kontor_storage::ScanDirection;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Documents of a chunk.
const CHUNK_DOCUMENTS: usize = 1_000;
/// Bytes after which a chunk is full.
const CHUNK_BYTES: usize = 8 << 20;

/// An index that is being built.
pub(crate) struct Building {
    pub(crate) index: Arc<dyn SearchIndex>,
    pub(crate) slot: String,
    /// Where the change log stood at the beginning: what came later is followed afterwards.
    position: Position,
    /// The last document that was read.
    after: Option<String>,
    pub(crate) indexed: u64,
    pub(crate) failed: u64,
}

impl Building {
    /// Begins.
    pub(crate) fn new(
        index: Arc<dyn SearchIndex>,
        slot: String,
        generation: u64,
        shop: &Shop,
    ) -> ApiResult<Self> {
        let storage = shop.storage();
        let epoch = storage.epoch().map_err(storage_failure)?;
        let seq = storage.last_seq().map_err(storage_failure)?;
        // Other sources of entries are read as of the last log read: from here on, since earlier changes are
        // not followed.
        storage.changes(seq, 1).map_err(storage_failure)?;
        let position = Position { epoch, seq, generation, is_complete: false };
        Ok(Self { index, slot, position, after: None, indexed: 0, failed: 0 })
    }

    /// The generation that its entries belong to.
    pub(crate) fn position(&self) -> Position {
        self.position
    }

    /// Takes the next documents. True when they were the last.
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
        let mut made = entries::of_bodies(shop, searchable, &bodies.collect::<Vec<_>>());
        // The index is new: what is not to be found was never in it.
        made.batch.delete.clear();
        let indexed = made.batch.put.len() as u64;
        made.batch.position = Position { is_complete: is_last, ..self.position };
        made.batch.as_of = self.position.seq;
        self.index.build(made.batch).map_err(|error| index_failure(&error))?;
        self.indexed += indexed;
        self.failed += made.failed;
        self.after = read.pop().map(|(id, _)| id).or(self.after.take());
        Ok(is_last)
    }
}

/// The error of an index that did not work.
pub(crate) fn index_failure(error: &IndexError) -> ApiError {
    match error {
        IndexError::Failed(_) => {
            tracing::error!(%error, "a search index does not work");
            ApiError::internal()
        }
        // The client of the search server logs this once.
        IndexError::Unavailable(_) => {
            ApiError::new(Code::OverCapacity, "The search cannot be reached at the moment. Try again later.")
        }
        IndexError::Refused(message) => ApiError::invalid_input(message.clone()),
    }
}
