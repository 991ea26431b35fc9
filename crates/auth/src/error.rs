//! What can go wrong with the system file: the disk, the file, the load.

use std::{path::PathBuf, sync::Arc};

use kontor_errors::{ApiError, Code};
use rusqlite::ffi;

/// The result of everything here that touches the system file.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure. It can be copied, because one failed transaction answers all that shared it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The disk or the quota is full. Nothing was written.
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
    /// The file is an SQLite database of something else.
    #[error("{} is not a system file of Kontor", path.display())]
    ForeignFile {
        /// The file.
        path: PathBuf,
    },
    /// More changes wait than the queue takes. To be answered with 503.
    #[error("too many changes are waiting")]
    Busy,
    /// The system file was closed before the change could be written.
    #[error("the system file is closed")]
    Closed,
    /// Everything is moving to another place, or has moved there. Nothing was written. To be answered with 503.
    #[error("the projects are moving to {0}, or are there already: nothing was written")]
    Moved(Arc<str>),
    /// The thread that writes could not be started.
    #[error("the writer could not be started: {0}")]
    Thread(Arc<std::io::Error>),
    /// What keeps the data cannot be reached, or does not answer in time. Whether a change was made is not known. To be answered
    /// with 503.
    #[error("the database server cannot be reached: {0}")]
    Unavailable(Arc<str>),
    /// What keeps the data refused what was asked of it.
    #[error("the database server failed: {0}")]
    Server(Arc<str>),
    /// SQLite could not do it.
    #[error("the database failed: {0}")]
    Database(Arc<rusqlite::Error>),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Error::Full,
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

/// What a client of the API sees of a failure. The cause goes to the log.
impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        error.log();
        match error {
            Error::Busy | Error::Unavailable(_) => {
                ApiError::new(Code::OverCapacity, "The service is over capacity. Try again later.")
            }
            Error::Moved(_) => ApiError::new(
                Code::OverCapacity,
                "The project is moving to another place. Try again in a moment.",
            ),
            Error::Full => ApiError::new(
                Code::OverCapacity,
                "The disk is full: nothing can be written. Try again later.",
            ),
            _ => ApiError::internal(),
        }
    }
}

impl Error {
    /// Writes the cause to the log before the answer hides it.
    pub(crate) fn log(&self) {
        match self {
            Error::Moved(_) => tracing::debug!(error = %self, "refused"),
            _ => tracing::error!(error = %self, "the system file failed"),
        }
    }
}

/// Whether files of this process may have so many bytes only (`ulimit -f`).
fn is_file_size_limited() -> bool {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource::RLIMIT_FSIZE, getrlimit};
        getrlimit(RLIMIT_FSIZE).is_ok_and(|(now, _)| now != RLIM_INFINITY)
    }
    #[cfg(not(target_os = "linux"))]
    false
}
