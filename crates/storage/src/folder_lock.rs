//! A lock that lets only one process use a data folder.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::Path,
};

use crate::{Error, Result};

/// The name of the file in the folder that is locked, and that contains the id of the process.
pub const LOCK_FILE: &str = "kontor.lock";

/// An exclusive lock on a data folder. It is released when dropped, and by the operating system when the process dies.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
    /// The folder itself is locked, too: it cannot be deleted and created again as the file can.
    _folder: File,
}

impl FolderLock {
    /// Locks the folder, which must exist. Fails at once with [`Error::FolderInUse`] if another process, or
    /// another part of this one, has locked it.
    pub fn acquire(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK_FILE);
        let whole = File::open(folder).map_err(|source| Error::io(folder, source))?;
        let is_taken = matches!(whole.try_lock(), Err(TryLockError::WouldBlock));
        let fail = |source| Error::io(&path, source);
        // Some network disks cannot lock a folder; the file is locked in any case. It is not truncated on opening,
        // since it may contain the id of another process.
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(fail)?;
        let lock = if is_taken { Err(TryLockError::WouldBlock) } else { file.try_lock() };
        match lock {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The process id only completes the error message.
                let _ = file.read_to_string(&mut holder);
                return Err(Error::FolderInUse {
                    path: folder.to_owned(),
                    holder: holder.trim().parse().ok(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(fail(source)),
        }
        // The process id is only informative; on a full disk it is missing.
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(FolderLock { _file: file, _folder: whole })
    }
}
