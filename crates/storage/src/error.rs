//! Failures of a storage: the disk, the file, the database server, or invalid arguments. A commit whose preconditions
//! do not hold is no failure but a [`CommitRefusal`](crate::CommitRefusal).

use std::{path::PathBuf, sync::Arc};

use crate::disk::file_bytes_max;
use rusqlite::ffi;

use crate::Seq;

/// The result of the functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure. It can be cloned, because one failed transaction is reported to all its commits.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The disk or the quota is full. Nothing was written; later commits succeed once space is free.
    #[error("the disk is full: nothing was written")]
    Full,
    /// The file was written by a later release.
    #[error(
        "{} has format {found}, this release reads formats up to {supported}: start a newer release",
        path.display()
    )]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: i64,
        /// The newest format that this release knows.
        supported: i64,
    },
    /// Another process uses the data folder.
    #[error("{} is in use by another process{}", path.display(), match holder {
        Some(holder) => format!(" (process {holder})"),
        None => String::new(),
    })]
    FolderInUse {
        /// The folder.
        path: PathBuf,
        /// The id of the other process, if it could be read.
        holder: Option<u32>,
    },
    /// The commit queue is full. The API responds with `OverCapacity`.
    #[error("too many commits are waiting")]
    Busy,
    /// The storage was closed before the commit was written or the read was complete.
    #[error("the storage is closed")]
    Closed,
    /// The shop is moving to another place, or has moved there. Nothing was written. The API responds with
    /// `OverCapacity`.
    #[error("the shop is moving to {0}, or is there already: nothing was written")]
    Moved(Arc<str>),
    /// A consumer of the change log is too late: entries after its position were removed. It must discard what it
    /// derived, and start again at [`last_seq`](crate::Storage::last_seq).
    #[error("the change log begins behind {base}, and entries after {after} were requested")]
    Behind {
        /// The requested position.
        after: Seq,
        /// The position of the newest removed entry.
        base: Seq,
    },
    /// The arguments are invalid.
    #[error("{0}")]
    Invalid(String),
    /// Stored data is not the data that was written.
    #[error("the database is damaged: {0} cannot be read")]
    Damaged(&'static str),
    /// A stored row is not the row that was written.
    #[error("the database is damaged: {0} cannot be read")]
    DamagedRow(DamagedRow),
    /// A file contains damaged data.
    #[error("{} is damaged: {what}", path.display())]
    DamagedFile {
        /// The file.
        path: PathBuf,
        /// The damage, with kinds and ids.
        what: Arc<str>,
    },
    /// The file was removed, moved or replaced while it was open. Nothing is written, since it would be lost.
    #[error("{0}")]
    Gone(Arc<str>),
    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: Arc<std::io::Error>,
    },
    /// The database server cannot be reached, or does not respond in time. Nothing was written; later calls succeed
    /// once it is back. The API responds with `OverCapacity`.
    #[error("the database server cannot be reached: {0}")]
    Unavailable(Arc<str>),
    /// The database server reported an error.
    #[error("the database server failed: {0}")]
    Server(Arc<str>),
    /// SQLite reported an error.
    #[error("the database failed: {0}")]
    Database(Arc<rusqlite::Error>),
}

/// A damaged row, e.g. one that does not match its checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedRow {
    /// A description of the row.
    pub row: &'static str,
    /// The kind of its document; empty for a row without one.
    pub kind: Arc<str>,
    /// The id of its document, or the name of a row without a document.
    pub id: Arc<str>,
}

impl std::fmt::Display for DamagedRow {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DamagedRow { row, kind, id } = self;
        match (&**kind, &**id) {
            ("", id) => write!(formatter, "the {row} '{id}'"),
            (kind, "") => write!(formatter, "the {row} of the kind {kind}"),
            (kind, id) => write!(formatter, "the {row} {kind} {id}"),
        }
    }
}

impl Error {
    /// Returns whether stored data is damaged.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode;
        match self {
            Error::Damaged(_) | Error::DamagedRow(_) | Error::DamagedFile { .. } => true,
            Error::Database(error) => match &**error {
                // All rows of a column have the same type.
                rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..) => true,
                error => matches!(
                    error.sqlite_error_code(),
                    Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
                ),
            },
            _ => false,
        }
    }

    /// Converts a failure of the file system.
    pub(crate) fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        if matches!(source.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::FileTooLarge) {
            return Error::Full;
        }
        Error::Io { path: path.into(), source: Arc::new(source) }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        // Damage found by a callback that visits rows.
        if let rusqlite::Error::FromSqlConversionFailure(_, _, cause) = &error
            && let Some(damage @ Error::DamagedRow(_)) = cause.downcast_ref::<Error>()
        {
            return damage.clone();
        }
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Error::Full,
            // Queries are interrupted only when the storage is closed.
            Some(rusqlite::ErrorCode::OperationInterrupted) => Error::Closed,
            Some(_) if error.sqlite_error().is_some_and(|cause| had_no_room(cause.extended_code)) => {
                Error::Full
            }
            _ => Error::Database(Arc::new(error)),
        }
    }
}

/// Returns whether a file operation failed for lack of space: of the shared memory file next to the log, or by a limit
/// of file sizes (EFBIG, which SQLite does not distinguish from other failures).
fn had_no_room(extended_code: i32) -> bool {
    match extended_code {
        ffi::SQLITE_IOERR_SHMSIZE => true,
        ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_TRUNCATE => file_bytes_max().is_some(),
        _ => false,
    }
}
