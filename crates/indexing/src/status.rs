//! The indexing status of a search, as the API returns it.

use jiff::Timestamp;

/// Reference types `BusinessUnitIndexingStatus` and `CustomerIndexingStatus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexingState {
    /// The index will be built.
    #[default]
    Scheduled,
    /// The index is being built.
    Indexing,
    /// The index is up to date and serves searches.
    Ready,
    /// The build failed. It is retried.
    Failed,
}

impl IndexingState {
    /// Returns the name of the state in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "Scheduled",
            Self::Indexing => "Indexing",
            Self::Ready => "Ready",
            Self::Failed => "Failed",
        }
    }
}

/// The progress of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexingStatus {
    /// The current activity.
    pub state: IndexingState,
    /// Number of entries in the index under construction.
    pub indexed: u64,
    /// Number of documents that could not be converted to an entry.
    pub failed: u64,
    /// Number of documents when the build began.
    pub estimated_total: u64,
    /// When the last build began.
    pub started_at: Option<Timestamp>,
    /// Number of failed builds since the last success.
    pub retries: u64,
    /// When this status last changed.
    pub last_modified_at: Option<Timestamp>,
}
