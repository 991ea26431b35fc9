//! Notices when the file of a database, or its write-ahead log, is removed, moved or replaced while it is open.
//!
//! The process would continue to write to files without a name, whose content is lost when it ends. So the storage then
//! refuses writes, and keeps all connections open, since they are the only way to the earlier data.
//!
//! Only checks the names of the files: opening and closing the file itself would release the locks that SQLite holds on
//! it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;

use crate::{Error, Result};

/// The identity of a file: its device and its number there (inode).
type FileId = (u64, u64);

/// The files of one database, as they were opened.
#[derive(Debug)]
pub(super) struct FileWatch {
    path: PathBuf,
    log: PathBuf,
    /// The identity of the opened file; `None` for temporary data, which is not watched.
    file_id: Option<FileId>,
    state: Mutex<WatchState>,
}

#[derive(Debug, Default)]
struct WatchState {
    /// Number of open connections. SQLite removes the log when the last one closes.
    connections: usize,
    /// The identity of the log since the first of them was opened.
    log_id: Option<FileId>,
    /// The message about a missing file.
    gone: Option<Arc<str>>,
    /// The files are not watched any more.
    has_ended: bool,
}

impl FileWatch {
    /// Watches a file that was just opened. `is_kept`: its data must outlive the process.
    pub(super) fn new(path: &Path, is_kept: bool) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let file_id = if is_kept { file_id(path) } else { None };
        FileWatch { path: path.to_owned(), log: PathBuf::from(log), file_id, state: Mutex::default() }
    }

    /// Registers an opened connection: until it closes, the log must exist.
    pub(super) fn register_connection(self: &Arc<Self>) -> OpenConnection {
        self.state.lock().connections += 1;
        OpenConnection(Arc::clone(self))
    }

    /// Stops the watch: the project is removed, or the server ends.
    pub(super) fn stop(&self) {
        let mut state = self.state.lock();
        state.has_ended = true;
        state.gone = None;
    }

    /// Returns the message about a missing file, as of the last check.
    pub(super) fn missing_message(&self) -> Option<Arc<str>> {
        self.state.lock().gone.clone()
    }

    /// Checks the files, by two system calls.
    ///
    /// # Errors
    /// [`Error::Gone`] if one of them is missing or another file.
    pub(super) fn check(&self) -> Result<()> {
        let Some(file_id_then) = self.file_id else { return Ok(()) };
        let mut state = self.state.lock();
        if state.has_ended {
            return Ok(());
        }
        let missing = if file_id(&self.path) != Some(file_id_then) {
            Some(&self.path)
        } else {
            let log_id = file_id(&self.log);
            let is_other = state.log_id.is_some() && state.log_id != log_id;
            if state.connections > 0 && !is_other {
                state.log_id = log_id;
            }
            (state.connections > 0 && is_other).then_some(&self.log)
        };
        let Some(missing) = missing else {
            if state.gone.take().is_some() {
                tracing::warn!(path = %self.path.display(), "the file is back: accepting writes again");
            }
            return Ok(());
        };
        if let Some(gone) = &state.gone {
            return Err(Error::Gone(Arc::clone(gone)));
        }
        let gone: Arc<str> = format!(
            "{} was removed, moved or replaced while it is open, and nothing is written any more. Put the same file back, or \
             save what this server still has: run `kontor backup`, stop the server, and restore the backup into an empty folder",
            missing.display()
        )
        .into();
        tracing::error!("{gone}");
        state.gone = Some(Arc::clone(&gone));
        Err(Error::Gone(gone))
    }
}

/// An open connection. Must be dropped before the connection itself.
#[derive(Debug)]
pub(super) struct OpenConnection(Arc<FileWatch>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.connections = state.connections.saturating_sub(1);
        if state.connections == 0 {
            state.log_id = None;
        }
    }
}

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Other systems do not allow to remove an open file.
#[cfg(not(unix))]
fn file_id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|_| (0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch() -> (tempfile::TempDir, Arc<FileWatch>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        fs::write(&path, "file").unwrap();
        fs::write(folder.path().join("shop.db-wal"), "log").unwrap();
        (folder, Arc::new(FileWatch::new(&path, true)))
    }

    #[test]
    fn accepts_writes_when_the_file_is_back() {
        let (folder, watch) = watch();
        watch.check().unwrap();
        let (path, elsewhere) = (folder.path().join("shop.db"), folder.path().join("elsewhere"));
        fs::rename(&path, &elsewhere).unwrap();
        assert!(matches!(watch.check(), Err(Error::Gone(_))));
        fs::write(&path, "another file").unwrap();
        assert!(matches!(watch.check(), Err(Error::Gone(_))), "it has the name, and is another file");
        assert!(watch.missing_message().is_some());
        fs::rename(&elsewhere, &path).unwrap();
        watch.check().unwrap();
        assert!(watch.missing_message().is_none());
    }

    #[test]
    fn the_log_may_go_with_the_last_connection() {
        let (folder, watch) = watch();
        let log = folder.path().join("shop.db-wal");
        let connection = watch.register_connection();
        watch.check().unwrap();
        drop(connection);
        fs::remove_file(&log).unwrap();
        watch.check().unwrap();
        let _connection = watch.register_connection();
        fs::write(&log, "new").unwrap();
        watch.check().unwrap();
        fs::remove_file(&log).unwrap();
        assert!(matches!(watch.check(), Err(Error::Gone(_))));
    }
}
