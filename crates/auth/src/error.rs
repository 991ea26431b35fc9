//! The errors of the system store: full disk, unusable file, overload, unreachable server. Each maps to an API error.

use std::{path::PathBuf, sync::Arc};

use kontor_errors::{ApiError, Code};
use kontor_storage::DamagedRow;
use rusqlite::ffi;

/// The result of everything here that touches the system file.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure of the system store. `Clone`, because all changes that shared a failed transaction get the same error.
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
    /// The queue of changes is full. Mapped to 503.
    #[error("too many changes are waiting")]
    Busy,
    /// The system file was closed before the change could be written.
    #[error("the system file is closed")]
    Closed,
    /// The file was removed, replaced or emptied while it is open. Nothing was written. The response is 503.
    #[error("{0}")]
    Gone(Arc<str>),
    /// The data is being moved to another storage, or was moved. Nothing was written. Mapped to 503.
    #[error("the projects are moving to {0}, or are there already: nothing was written")]
    Moved(Arc<str>),
    /// The thread that writes could not be started.
    #[error("the writer could not be started: {0}")]
    Thread(Arc<std::io::Error>),
    /// The storage server cannot be reached, or does not respond in time. It is unknown whether a change was made.
    /// Mapped to 503.
    #[error("the database server cannot be reached: {0}")]
    Unavailable(Arc<str>),
    /// The storage server refused the statement.
    #[error("the database server failed: {0}")]
    Server(Arc<str>),
    /// A row of the file is not the row that was written.
    #[error("the system file is damaged: {0} cannot be read")]
    Damaged(DamagedRow),
    /// SQLite failed.
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

/// Whether a failed file operation means that the disk is full: there is no room even for the few kilobytes of the
/// shared-memory file next to the log, or the process has reached its file size limit (EFBIG, which SQLite does not
/// distinguish from other failures).
fn had_no_room(extended_code: i32) -> bool {
    match extended_code {
        ffi::SQLITE_IOERR_SHMSIZE => true,
        ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_TRUNCATE => is_file_size_limited(),
        _ => false,
    }
}

/// Maps a failure to the API error that clients see. The cause goes to the log only.
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
            Error::Gone(_) => ApiError::new(
                Code::OverCapacity,
                "Projects, clients and tokens cannot be written at the moment. GET /health/ready says why.",
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
    /// Logs the cause, since the response hides it.
    pub(crate) fn log(&self) {
        match self {
            Error::Moved(_) => tracing::debug!(error = %self, "refused"),
            _ => tracing::error!(error = %self, "the system file failed"),
        }
    }
}

/// Whether this process has a file size limit (`ulimit -f`).
fn is_file_size_limited() -> bool {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource::RLIMIT_FSIZE, getrlimit};
        getrlimit(RLIMIT_FSIZE).is_ok_and(|(now, _)| now != RLIM_INFINITY)
    }
    #[cfg(not(target_os = "linux"))]
    false
}
