//! [`SearchIndex`]: the trait of a search index, and the batches of changes that it applies.

use crate::{IndexRequest, SearchEntry, SearchResult};

/// An index over the entries of one resource type of one project.
///
/// Calls block the thread. Any number of searches and one [`apply`](Self::apply) may run concurrently.
///
/// # Errors
/// Each call fails with [`IndexError::Failed`] if the files or the server of the index fail, and with
/// [`IndexError::Unavailable`] if the server cannot be reached or is busy. [`search`](Self::search) fails with
/// [`IndexError::Refused`] if the request is too expensive.
pub trait SearchIndex: Send + Sync {
    /// Makes a batch searchable, atomically: searches that begin after it returned see all of it, others nothing.
    /// After a crash the index has the batch together with its position, or neither.
    fn apply(&self, batch: IndexBatch) -> Result<(), IndexError>;

    /// Adds a batch to an index that is being built: its entries have new ids, and none is deleted. They are
    /// guaranteed to be searchable, and to survive a crash, only with the batch that completes the index.
    fn build(&self, batch: IndexBatch) -> Result<(), IndexError> {
        self.apply(batch)
    }

    /// Returns the position of the last batch; `None` for a new index.
    fn position(&self) -> Option<IndexPosition>;

    /// Refreshes the position, if other processes write to the index. Fails if the index no longer exists.
    fn refresh(&self) -> Result<(), IndexError> {
        Ok(())
    }

    /// Takes the next step of erasing the content of deleted entries from the files of the index. Returns true when
    /// nothing is left of entries that were deleted before the first call; false: call again soon.
    fn expunge(&self) -> Result<bool, IndexError> {
        Ok(true)
    }

    /// Returns the number of entries.
    fn len(&self) -> Result<u64, IndexError>;

    /// Whether there are no entries.
    fn is_empty(&self) -> Result<bool, IndexError> {
        Ok(self.len()? == 0)
    }

    /// Executes a search.
    fn search(&self, request: &IndexRequest) -> Result<SearchResult, IndexError>;
}

/// Changes that become searchable together.
#[derive(Debug, Clone, Default)]
pub struct IndexBatch {
    /// New entries, and entries that replace those with the same ids.
    pub put: Vec<SearchEntry>,
    /// The ids of deleted entries. Unknown ids are ignored.
    pub delete: Vec<String>,
    /// A position of the change log at or before the time when the entries were made. If several processes write to
    /// an index, the entry with the later one wins.
    pub as_of: u64,
    /// The position of the index after this batch.
    pub position: IndexPosition,
}

/// The checkpoint of an index in the change log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexPosition {
    /// The epoch of the change log. With another epoch, the content of the project was replaced and the index is
    /// outdated.
    pub epoch: u64,
    /// The last entry of the change log that is in the index.
    pub seq: u64,
    /// The version of the entries: rises when the fields or the code that makes entries change.
    pub generation: u64,
    /// Whether it contains all entries; false while it is being built.
    pub is_complete: bool,
}

/// Why an index did not execute a call.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Its files cannot be read or written.
    #[error("the search index failed: {0}")]
    Failed(String),
    /// Its server is out of reach, or busy. The index itself is intact: a retry works once the server is back.
    #[error("the search server is out of reach: {0}")]
    Unavailable(String),
    /// The request is too expensive for the index.
    #[error("{0}")]
    Refused(String),
}
