//! One process owns a data folder.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::Path,
};

use crate::{Error, Result};

/// The name of the file in the folder that carries the lock and the id of the process that holds it.
pub const LOCK_FILE: &str = "kontor.lock";

/// The right to write in a data folder. Given back when dropped, and by the system when the process dies.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
    /// The folder itself, which nobody can delete and make anew as they could the file.
    _folder: File,
}

impl FolderLock {
    /// Takes the folder, which must exist. Refuses at once with [`Error::FolderInUse`] where another
    /// process (or another part of this one) has it.
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK_FILE);
        let whole = File::open(folder).map_err(|source| Error::io(folder, source))?;
        let is_taken = matches!(whole.try_lock(), Err(TryLockError::WouldBlock));
        let fail = |source| Error::io(&path, source);
        // Where a folder cannot be locked, as on some network disks, the file still can.
        // Not truncated on opening: the content belongs to the holder, who may be somebody else.
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
                // Who holds it is only a help in the sentence.
                let _ = file.read_to_string(&mut holder);
                return Err(Error::FolderInUse {
                    path: folder.to_owned(),
                    holder: holder.trim().parse().ok(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(fail(source)),
        }
        // Who holds it is a help for people, for which a full disk may have no room.
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(FolderLock { _file: file, _folder: whole })
    }
}
