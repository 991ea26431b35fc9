//! How a database is opened.

use crate::disk::DISK_BYTES_KEPT_DEFAULT;
use std::time::Duration;

/// Memory for the bytes of hot documents, unless said otherwise.
pub const CACHE_BYTES_DEFAULT: u64 = 128 * 1024 * 1024;

/// After how long without work a database gives back its threads and connections, unless said otherwise.
pub const IDLE_DEFAULT: Duration = Duration::from_secs(10);

/// Default number of change log entries to keep. A consumer that is further behind starts again.
pub const CHANGES_KEPT_DEFAULT: u64 = 1_000_000;

/// When a commit counts as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// When it is on disk: it outlives the machine's power.
    #[default]
    Full,
    /// When the operating system has it: it survives the process, but not a power failure. For temporary
    /// data.
    Off,
}

impl Durability {
    /// As SQLite has it (`PRAGMA synchronous`).
    pub(super) fn pragma(self) -> &'static str {
        match self {
            Durability::Full => "FULL",
            Durability::Off => "OFF",
        }
    }
}

/// How a database is opened.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// The project key, for the log.
    pub project: String,
    /// When a commit counts as written.
    pub durability: Durability,
    /// Memory for the bytes of hot documents. Used as needed, not beforehand.
    pub cache_bytes: u64,
    /// After how long without work threads end and connections close.
    pub idle: Duration,
    /// The newest entries of the change log, which are kept. A few thousand more may be.
    pub changes_kept: u64,
    /// The most bytes the file may have; what does not fit is refused as on a full disk. Rounded up to
    /// pages of the file.
    pub file_bytes_max: Option<u64>,
    /// Room on the disk that is left to deletions: with less, other commits are refused as on a full disk. 0: none.
    pub disk_bytes_kept: u64,
    /// Indexed paths that change with each update and are seldom asked for: their rows may wait until they are.
    pub late_paths: Vec<String>,
    /// Kinds and indexed paths with many rows per document: these rows are written together, when a query
    /// needs them or after a while.
    pub gathered: Vec<(String, String)>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        SqliteOptions {
            project: String::new(),
            durability: Durability::Full,
            cache_bytes: CACHE_BYTES_DEFAULT,
            idle: IDLE_DEFAULT,
            changes_kept: CHANGES_KEPT_DEFAULT,
            file_bytes_max: None,
            disk_bytes_kept: DISK_BYTES_KEPT_DEFAULT,
            late_paths: Vec::new(),
            gathered: Vec::new(),
        }
    }
}

impl SqliteOptions {
    /// The usual options for a project.
    pub fn for_project(project: impl Into<String>) -> Self {
        SqliteOptions { project: project.into(), ..SqliteOptions::default() }
    }
}
