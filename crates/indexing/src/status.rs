//! The indexing status of a search, for clients.

use jiff::Timestamp;

/// Reference types `BusinessUnitIndexingStatus` and `CustomerIndexingStatus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexingState {
    /// It will be built.
    #[default]
    Scheduled,
    /// It is being built.
    Indexing,
    /// It answers, and is up to date.
    Ready,
    /// It cannot be built. It is tried again.
    Failed,
}

impl IndexingState {
    /// Its name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "Scheduled",
            Self::Indexing => "Indexing",
            Self::Ready => "Ready",
            Self::Failed => "Failed",
        }
    }
}

/// How far the indexing of a search is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexingStatus {
    /// The current activity.
    pub state: IndexingState,
    /// Entries that the index under construction has.
    pub indexed: u64,
    /// Documents that no entry could be made of.
    pub failed: u64,
    /// Documents that there were when it began.
    pub estimated_total: u64,
    /// When it was last begun.
    pub started_at: Option<Timestamp>,
    /// How often it was begun again since it last succeeded.
    pub retries: u64,
    /// When this last changed.
    pub last_modified_at: Option<Timestamp>,
}
