//! Temporary folders for data that lives as long as the process. Only the owner can read them.
//!
//! A process that is killed cannot remove its folder; the next process that creates such a folder does.

use crate::private_files;
use kontor_storage::{FolderLock, LOCK_FILE};
use parking_lot::Mutex;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The prefix of these folders. Folders with other names are never removed.
const PREFIX: &str = "kontor-in-memory-";
/// How often the removal of a folder is tried: threads that still run may create files in it.
const REMOVALS_MAX: usize = 5;
/// The delay between two tries.
const REMOVE_AGAIN: Duration = Duration::from_millis(20);

/// After so long a folder whose lock names no process is left over: a process that was ended at its very start made it.
const STARTING_MAX: Duration = Duration::from_secs(10 * 60);

/// The folders that this process created and has not removed.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Creates a folder for the data of this process, and removes those of processes that have ended.
pub(crate) fn create_for_process() -> anyhow::Result<TempDir> {
    let folder = create_private(PREFIX)?;
    MADE.lock().push(folder.path().to_owned());
    if let Some(all) = folder.path().parent() {
        remove_abandoned(all, folder.path());
    }
    Ok(folder)
}

/// Creates a private folder, which is removed when dropped.
pub(crate) fn create_private(prefix: &str) -> anyhow::Result<TempDir> {
    private_files::set_umask();
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(prefix).permissions(Permissions::from_mode(private_files::FOLDER_MODE));
    Ok(builder.tempdir()?)
}

/// Removes the folders of [`create_for_process`] when the process ends, even if the start failed or threads still use them.
pub(crate) fn remove_all() {
    for folder in std::mem::take(&mut *MADE.lock()) {
        for _ in 0..REMOVALS_MAX {
            if fs::remove_dir_all(&folder).is_ok() || !folder.exists() {
                break;
            }
            std::thread::sleep(REMOVE_AGAIN);
        }
    }
}

/// Removes the folders of processes that have ended: those of the same user as `own`, whose lock is free.
fn remove_abandoned(all: &Path, own: &Path) {
    let Ok(owner) = fs::symlink_metadata(own).map(|own| own.uid()) else { return };
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && path != own
            && fs::symlink_metadata(&path).is_ok_and(|folder| folder.is_dir() && folder.uid() == owner);
        // A process writes its id into the lock file once it holds the lock. Without an id it may be about to take it.
        let has_process = || fs::read_to_string(path.join(LOCK_FILE)).is_ok_and(|id| !id.trim().is_empty());
        if is_ours
            && (has_process() || is_old(&path))
            && let Ok(_lock) = FolderLock::acquire(&path)
        {
            match fs::remove_dir_all(&path) {
                Ok(()) => {
                    tracing::info!(path = %path.display(), "removed the data of a process that was killed")
                }
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "could not remove the data of a process that \
                         was killed");
                }
            }
        }
    }
}

/// Whether nothing was made in a folder for longer than a process takes to start.
fn is_old(folder: &Path) -> bool {
    let modified = fs::symlink_metadata(folder).and_then(|folder| folder.modified());
    modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STARTING_MAX))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn folders_of_processes_that_ended_are_removed_and_no_others() {
        let all = tempfile::tempdir().unwrap();
        let make = |name: &str, process: Option<&str>| {
            let folder = all.path().join(name);
            fs::create_dir(&folder).unwrap();
            if let Some(id) = process {
                fs::write(folder.join(LOCK_FILE), id).unwrap();
            }
            folder
        };
        let own = make("kontor-in-memory-own", Some("1"));
        let ended = make("kontor-in-memory-ended", Some("4194304"));
        let never_started =
            [make("kontor-in-memory-early", Some("")), make("kontor-in-memory-earlier", None)];
        for folder in &never_started {
            let long_ago = SystemTime::now() - STARTING_MAX * 2;
            fs::File::open(folder).unwrap().set_modified(long_ago).unwrap();
        }
        let running = make("kontor-in-memory-running", None);
        let _lock = FolderLock::acquire(&running).unwrap();
        let others = [
            running,
            make("kontor-in-memory-new", None),
            make("kontor-in-memory-newer", Some("")),
            make("kontor-restore-1", Some("4194304")),
            make("somebody-else", Some("4194304")),
        ];
        std::os::unix::fs::symlink(&others[4], all.path().join("kontor-in-memory-link")).unwrap();
        remove_abandoned(all.path(), &own);
        assert!(own.exists() && !ended.exists());
        assert!(!never_started.iter().any(|folder| folder.exists()), "{never_started:?}");
        assert!(others.iter().all(|folder| folder.exists()), "{others:?}");
    }
}
