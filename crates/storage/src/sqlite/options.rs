//! The options with which a project file is opened ([`SqliteOptions`]), e.g. its durability and cache size.

use crate::disk::DISK_BYTES_KEPT_DEFAULT;
use std::time::Duration;

/// Default of the cache's size in bytes.
pub const CACHE_BYTES_DEFAULT: u64 = 128 * 1024 * 1024;

/// Default of the time without work after which a database ends its threads and closes connections.
pub const IDLE_DEFAULT: Duration = Duration::from_secs(10);

/// Default number of entries in the change log. A consumer that is further behind must start again.
pub const CHANGES_KEPT_DEFAULT: u64 = 1_000_000;

/// When a commit is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// When it is on disk: it survives a power failure.
    #[default]
    Full,
    /// When the operating system has it: it survives the end of the process, but not a power failure. For temporary
    /// data.
    Off,
}

impl Durability {
    /// Returns the value of `PRAGMA synchronous`.
    pub(super) fn pragma(self) -> &'static str {
        match self {
            Durability::Full => "FULL",
            Durability::Off => "OFF",
        }
    }
}

/// The options of a database.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// The project key, for logs and metrics.
    pub project: String,
    /// When a commit is acknowledged.
    pub durability: Durability,
    /// Maximum bytes of the cache, allocated as needed.
    pub cache_bytes: u64,
    /// The time without work after which threads end and connections close.
    pub idle: Duration,
    /// Minimum number of newest entries in the change log. There may be a few thousand more.
    pub changes_kept: u64,
    /// Maximum bytes of the file, rounded up to pages; commits beyond are refused as on a full disk.
    pub file_bytes_max: Option<u64>,
    /// Disk space in bytes reserved for deletions: with less, other commits are refused as on a full disk. 0: none.
    pub disk_bytes_kept: u64,
    /// Indexed paths that change with each update and are rarely queried: their rows are deferred until a query needs
    /// them.
    pub deferred_paths: Vec<String>,
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
            deferred_paths: Vec::new(),
            gathered: Vec::new(),
        }
    }
}

impl SqliteOptions {
    /// Returns the default options for a project.
    pub fn for_project(project: impl Into<String>) -> Self {
        SqliteOptions { project: project.into(), ..SqliteOptions::default() }
    }
}
