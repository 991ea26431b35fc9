//! Notices that the system file, or its write-ahead log, was removed, moved, replaced or emptied while it is open.
//!
//! The process would lose every later write at its end. So the service issues no token and changes nothing until the same file is back.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// The identity of a file: its device and its inode.
type FileId = (u64, u64);

/// The identities of the files at the time they were opened.
pub(super) struct SystemWatch {
    path: PathBuf,
    log: PathBuf,
    file_id: Option<FileId>,
    /// The log as it was first seen.
    log_id: OnceLock<FileId>,
}

impl SystemWatch {
    /// Watches a file that was just opened.
    pub(super) fn new(path: &Path) -> Self {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let file_id = look_up(path).map(|(id, _)| id);
        SystemWatch { path: path.to_owned(), log: PathBuf::from(log), file_id, log_id: OnceLock::new() }
    }

    /// Returns a message for the operator if a file is gone. Costs two system calls.
    pub(super) fn missing_file(&self) -> Option<Arc<str>> {
        let file = look_up(&self.path);
        let is_there = file.map(|(id, _)| id) == self.file_id && file.is_none_or(|(_, bytes)| bytes > 0);
        if !is_there {
            return Some(missing_file_message(&self.path));
        }
        let log_id = look_up(&self.log).map(|(id, _)| id);
        if let Some(id) = log_id {
            _ = self.log_id.set(id);
        }
        (log_id != self.log_id.get().copied()).then(|| missing_file_message(&self.log))
    }
}

fn missing_file_message(path: &Path) -> Arc<str> {
    format!(
        "{} was removed, moved, replaced or emptied while it is open: no token is issued and nothing of projects and clients is \
         changed. Put the same file back, or save what this server still has: run `kontor backup`, stop the server, and restore \
         the backup into an empty folder",
        path.display()
    )
    .into()
}

#[cfg(unix)]
fn look_up(path: &Path) -> Option<(FileId, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|file| ((file.dev(), file.ino()), file.len()))
}

/// Other systems do not let an open file be removed.
#[cfg(not(unix))]
fn look_up(path: &Path) -> Option<(FileId, u64)> {
    fs::metadata(path).ok().map(|file| ((0, 0), file.len()))
}
