//! Notices when the file of a database, or its write-ahead log, is removed, moved, replaced, overwritten or emptied
//! while it is open. Start at [`FileWatch::check`].
//!
//! The process would continue to write to files without a name, or into a foreign file, and lose the content when it ends. So
//! the storage then refuses writes, and keeps all connections open, since they are the only way to the earlier data.
//!
//! Checks the names and sizes of the files, and the first bytes of the file. For these it keeps the file open as long as a
//! connection is open: closing it would release the locks that SQLite holds on it.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use super::header::{self, FileState};
use crate::{Error, Result};

/// The identity of a file: its device and its number there (inode).
type FileId = (u64, u64);

/// How long pages may be missing at the end of the file: longer than a checkpoint takes.
const SHORT_MAX: Duration = Duration::from_secs(4);
/// How often the first bytes are read before they count: SQLite may write them meanwhile.
const LOOKS: usize = 3;

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
    /// The open file, to check its content as long as a connection is open.
    file: Option<File>,
    /// The identity of the log since the first connection was opened.
    log_id: Option<FileId>,
    /// The bytes that the log has at least.
    log_bytes_min: u64,
    /// The newest number of changes in the header of the file.
    changes: u32,
    /// Since when pages are missing at the end of the file.
    short_since: Option<Instant>,
    /// True once another program has overwritten one of the files: their later content is not trusted.
    is_overwritten: bool,
    /// The message about a missing file.
    missing_message: Option<Arc<str>>,
    /// The files are not watched any more.
    has_ended: bool,
}

impl FileWatch {
    /// Watches a file that was just opened. `is_kept`: its data must outlive the process.
    pub(super) fn new(path: &Path, is_kept: bool) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let file_id = if is_kept { look_up(path).map(|(id, _)| id) } else { None };
        FileWatch { path: path.to_owned(), log: PathBuf::from(log), file_id, state: Mutex::default() }
    }

    /// Registers an opened connection: until it closes, the log must exist.
    pub(super) fn register_connection(self: &Arc<Self>) -> OpenConnection {
        let mut state = self.state.lock();
        state.connections += 1;
        if state.file.is_none() && self.file_id.is_some() {
            state.file = File::open(&self.path).ok();
        }
        OpenConnection(Arc::clone(self))
    }

    /// Stops the watch: the project is removed, or the server ends.
    pub(super) fn stop(&self) {
        let mut state = self.state.lock();
        state.has_ended = true;
        state.missing_message = None;
    }

    /// Returns the message about a missing file, as of the last check.
    pub(super) fn missing_message(&self) -> Option<Arc<str>> {
        self.state.lock().missing_message.clone()
    }

    /// Records that a written commit left the log with at least so many bytes, until the log is truncated.
    pub(super) fn log_reaches(&self, bytes: u64) {
        self.state.lock().log_bytes_min = bytes;
    }

    /// Checks the files, by four system calls.
    ///
    /// # Errors
    /// [`Error::Gone`] if one of them is missing or another file.
    pub(super) fn check(&self) -> Result<()> {
        let Some(file_id_then) = self.file_id else { return Ok(()) };
        let mut state = self.state.lock();
        if state.has_ended {
            return Ok(());
        }
        let missing = if look_up(&self.path).map(|(id, _)| id) != Some(file_id_then) {
            Some((&self.path, "removed, moved or replaced"))
        } else {
            self.missing_log(&mut state).or_else(|| self.overwritten(&mut state))
        };
        let Some((missing, how)) = missing else {
            if !state.is_overwritten && state.missing_message.take().is_some() {
                tracing::warn!(path = %self.path.display(), "the file is back: accepting writes again");
            }
            return state.missing_message.clone().map_or(Ok(()), |gone| Err(Error::Gone(gone)));
        };
        if let Some(gone) = &state.missing_message {
            return Err(Error::Gone(Arc::clone(gone)));
        }
        let gone: Arc<str> = format!(
            "{} was {how} while it is open, and nothing is written any more. Put the same file back, or \
             save what this server still has: run `kontor backup`, stop the server, and restore the backup into an empty folder",
            missing.display()
        )
        .into();
        tracing::error!("{gone}");
        state.missing_message = Some(Arc::clone(&gone));
        Err(Error::Gone(gone))
    }

    /// Returns the log if it is another file, or shorter than the writer left it.
    fn missing_log(&self, state: &mut WatchState) -> Option<(&PathBuf, &'static str)> {
        if state.connections == 0 {
            return None;
        }
        let found = look_up(&self.log);
        let log_id = found.map(|(id, _)| id);
        if state.log_id.is_some() && state.log_id != log_id {
            return Some((&self.log, "removed, moved or replaced"));
        }
        state.log_id = log_id;
        state.is_overwritten |= found.is_some_and(|(_, bytes)| bytes < state.log_bytes_min);
        state.is_overwritten.then_some((&self.log, "emptied or overwritten"))
    }

    /// Returns the file if another program has overwritten it.
    fn overwritten(&self, state: &mut WatchState) -> Option<(&PathBuf, &'static str)> {
        let WatchState { file, changes, short_since, .. } = state;
        let file = file.as_ref()?;
        let mut is_other = || match header::read_file_state(file) {
            Ok(FileState::Intact { changes: found }) if found >= *changes => {
                (*changes, *short_since) = (found, None);
                false
            }
            Ok(FileState::Truncated) => short_since.get_or_insert_with(Instant::now).elapsed() > SHORT_MAX,
            Ok(_) => true,
            // Reads and writes report a disk that fails.
            Err(_) => false,
        };
        state.is_overwritten = (0..LOOKS).all(|_| is_other()) || state.is_overwritten;
        state.is_overwritten.then_some((&self.path, "emptied or overwritten"))
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
            (state.log_id, state.log_bytes_min, state.file) = (None, 0, None);
        }
    }
}

/// Returns the identity and the length of the file with this name.
#[cfg(unix)]
fn look_up(path: &Path) -> Option<(FileId, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|file| ((file.dev(), file.ino()), file.len()))
}

/// Other systems do not allow to remove an open file.
#[cfg(not(unix))]
fn look_up(path: &Path) -> Option<(FileId, u64)> {
    fs::metadata(path).ok().map(|file| ((0, 0), file.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch() -> (tempfile::TempDir, Arc<FileWatch>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        fs::write(&path, database(7)).unwrap();
        fs::write(folder.path().join("shop.db-wal"), "log").unwrap();
        (folder, Arc::new(FileWatch::new(&path, true)))
    }

    /// A file of one page after so many changes.
    fn database(changes: u32) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        bytes[..16].copy_from_slice(b"SQLite format 3\0");
        bytes[16..18].copy_from_slice(&4096_u16.to_be_bytes());
        bytes[28..32].copy_from_slice(&1_u32.to_be_bytes());
        for at in [24, 92] {
            bytes[at..at + 4].copy_from_slice(&changes.to_be_bytes());
        }
        bytes[100] = 13;
        bytes
    }

    /// Returns the result of a check after `content` was written into the file, and of another one after a good database was.
    fn overwritten(content: &[u8]) -> (Result<()>, Result<()>) {
        let (folder, watch) = watch();
        let path = folder.path().join("shop.db");
        let _connection = watch.register_connection();
        watch.check().unwrap();
        fs::write(&path, content).unwrap();
        let refused = watch.check();
        fs::write(&path, database(9)).unwrap();
        (refused, watch.check())
    }

    #[test]
    fn a_file_that_is_overwritten_in_place_is_gone() {
        assert!(matches!(overwritten(&database(8)), (Ok(()), Ok(()))), "a checkpoint");
        let older_backup = database(6);
        for content in [&b""[..], b"text", &[7; 5000], &older_backup] {
            let (refused, later) = overwritten(content);
            assert!(refused.is_err_and(|gone| gone.to_string().contains("overwritten")));
            assert!(later.is_err(), "what comes later is not believed");
        }
    }

    #[test]
    fn a_log_that_was_emptied_is_gone() {
        let (folder, watch) = watch();
        let log = folder.path().join("shop.db-wal");
        let _connection = watch.register_connection();
        watch.log_reaches(3);
        watch.check().unwrap();
        watch.log_reaches(0);
        fs::write(&log, "").unwrap();
        watch.check().unwrap();
        fs::write(&log, "longer").unwrap();
        watch.log_reaches(6);
        fs::write(&log, "").unwrap();
        assert!(matches!(watch.check(), Err(Error::Gone(_))));
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
