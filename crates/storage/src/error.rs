//! What can go wrong apart from a refusal: the disk, the file, the caller.

use std::{path::PathBuf, sync::Arc};

use crate::disk::is_file_size_limited;
use rusqlite::ffi;

use crate::Seq;

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure. It can be copied, because one failed transaction answers all commits that shared it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The disk or the quota is full. Nothing was written; later commits work once there is room.
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
    /// Another process owns the data folder.
    #[error("{} is in use by another process{}", path.display(), match holder {
        Some(holder) => format!(" (process {holder})"),
        None => String::new(),
    })]
    FolderInUse {
        /// The folder.
        path: PathBuf,
        /// The id of the process, where it could be read.
        holder: Option<u32>,
    },
    /// More commits wait than the queue takes. To be answered with `OverCapacity`.
    #[error("too many commits are waiting")]
    Busy,
    /// The storage was closed before the commit could be written, or all could be read.
    #[error("the storage is closed")]
    Closed,
    /// The shop is moving to another place, or has moved there. Nothing was written. To be answered with `OverCapacity`.
    #[error("the shop is moving to {0}, or is there already: nothing was written")]
    Moved(Arc<str>),
    /// A consumer of the change log comes too late: entries behind its position are no longer kept. It throws away
    /// what it derived and starts again at [`last_seq`](crate::Storage::last_seq).
    #[error("the change log begins behind {base}, and was asked for what follows {after}")]
    Behind {
        /// The position that was asked for.
        after: Seq,
        /// The position of the newest entry that is no longer kept.
        base: Seq,
    },
    /// The caller asked for something that makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// What was read is not what was written.
    #[error("the database is damaged: {0} cannot be read")]
    Damaged(&'static str),
    /// A row is not what was written.
    #[error("the database is damaged: {0} cannot be read")]
    DamagedRow(DamagedRow),
    /// Something in a file is not what was written: what, with kinds and ids.
    #[error("{} is damaged: {what}", path.display())]
    DamagedFile {
        /// The file.
        path: PathBuf,
        /// What was found in it.
        what: Arc<str>,
    },
    /// The file was removed, moved or replaced while it was open. What is written to it would be lost, so nothing is.
    #[error("{0}")]
    Gone(Arc<str>),
    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: Arc<std::io::Error>,
    },
    /// The database server cannot be reached, or does not answer in time. Nothing was written; later calls work once it is
    /// back. To be answered with `OverCapacity`.
    #[error("the database server cannot be reached: {0}")]
    Unavailable(Arc<str>),
    /// The database server refused what was asked of it.
    #[error("the database server failed: {0}")]
    Server(Arc<str>),
    /// SQLite could not do it.
    #[error("the database failed: {0}")]
    Database(Arc<rusqlite::Error>),
}

/// A row that is not what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedRow {
    /// What the row is.
    pub row: &'static str,
    /// The kind of the document that it belongs to; empty where it belongs to none.
    pub kind: Arc<str>,
    /// The id of the document, or the name of what is no document.
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
    /// Whether what was read is not what was written.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode;
        match self {
            Error::Damaged(_) | Error::DamagedRow(_) | Error::DamagedFile { .. } => true,
            Error::Database(error) => match &**error {
                // A column of another type than all rows have.
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

    /// A failure of the file system.
    pub(crate) fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        if matches!(source.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::FileTooLarge) {
            return Error::Full;
        }
        Error::Io { path: path.into(), source: Arc::new(source) }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        // What a function found that visits rows.
        if let rusqlite::Error::FromSqlConversionFailure(_, _, cause) = &error
            && let Some(damage @ Error::DamagedRow(_)) = cause.downcast_ref::<Error>()
        {
            return damage.clone();
        }
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Error::Full,
            // Only the end interrupts.
            Some(rusqlite::ErrorCode::OperationInterrupted) => Error::Closed,
            Some(_) if error.sqlite_error().is_some_and(|cause| had_no_room(cause.extended_code)) => {
                Error::Full
            }
            _ => Error::Database(Arc::new(error)),
        }
    }
}

/// Whether a failure of a file means that there was no room for it: for the few kilobytes beside the log, which connections share, or where
/// files of this process may have so many bytes only (EFBIG, which SQLite does not tell from other failures).
fn had_no_room(extended_code: i32) -> bool {
    match extended_code {
        ffi::SQLITE_IOERR_SHMSIZE => true,
        ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_TRUNCATE => is_file_size_limited(),
        _ => false,
    }
}
