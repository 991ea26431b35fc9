//! What is asked of an index.

use crate::{Answer, Entry, Request};

/// An index over the entries of one kind of resource of one project.
///
/// Calls block; they belong on a thread that may. Any number of searches and one [`apply`](Self::apply) run at once.
pub trait SearchIndex: Send + Sync {
    /// Makes a batch searchable, whole: searches that begin after it returned see all of it, others none. What it
    /// says survives a crash together with its position, or neither does.
    fn apply(&self, batch: Batch) -> Result<(), IndexError>;

    /// The same for an index that is built from nothing: none of the entries is in it yet, and none is gone. What is handed
    /// in may be found, and survive a crash, only with the batch that completes the index.
    fn build(&self, batch: Batch) -> Result<(), IndexError> {
        self.apply(batch)
    }

    /// Where the last batch stood; `None` for an index that is new.
    fn position(&self) -> Option<Position>;

    /// Looks again how far it has come, where others write to it. Fails where it is not there any more.
    fn look_again(&self) -> Result<(), IndexError> {
        Ok(())
    }

    /// Takes the next step of removing what entries that are gone left in the files of the index. True when nothing of those is left
    /// that were gone when this was called the first time; false: to be called again soon.
    fn expunge(&self) -> Result<bool, IndexError> {
        Ok(true)
    }

    /// How many entries there are.
    fn len(&self) -> Result<u64, IndexError>;

    /// Whether there is none.
    fn is_empty(&self) -> Result<bool, IndexError> {
        Ok(self.len()? == 0)
    }

    /// Answers a search.
    fn search(&self, request: &Request) -> Result<Answer, IndexError>;
}

/// Changes that become searchable together.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// Entries that are new or replace the one with the same id.
    pub put: Vec<Entry>,
    /// The ids of entries that are gone. One that is not there is none.
    pub delete: Vec<String>,
    /// The change log as it stood when the entries were made, or before. Where several write to an index, what was made later stands.
    pub as_of: u64,
    /// What the index knows of after it.
    pub position: Position,
}

/// How far an index has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// The epoch of the change log. Another one: the index speaks of content that was replaced.
    pub epoch: u64,
    /// The last entry of the change log that it knows of.
    pub seq: u64,
    /// What its entries were made by: rises when the fields or the code that makes entries change.
    pub generation: u64,
    /// Whether it holds all entries that there were; false while it is being built.
    pub is_complete: bool,
}

/// An index that did not answer.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Its files cannot be read or written.
    #[error("the search index failed: {0}")]
    Failed(String),
    /// Its server is out of reach, or busy. Nothing is wrong with the index: later calls work once the server is back.
    #[error("the search server is out of reach: {0}")]
    Unavailable(String),
    /// The request asks for more than an index gives in bounded time.
    #[error("{0}")]
    Refused(String),
}
