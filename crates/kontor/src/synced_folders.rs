//! Names that are there after a loss of power: that of a file or folder is on disk when the folder that it is in is.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Makes a folder where there is none.
pub(crate) fn make_to_stay(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    sync_folder_of(folder)
}

/// Writes the names in the folder of a file to disk.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}
