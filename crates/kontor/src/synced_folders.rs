//! Creates folders so that they survive a loss of power: a name is durable only once its parent folder is synced.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Creates a folder and its missing parents. Each is synced to disk before the next is created in it.
pub(crate) fn create_synced(folder: &Path) -> io::Result<()> {
    for folder in missing_folders(folder) {
        match fs::create_dir(folder) {
            // Another process was faster, or the path goes through a folder that was just created (`new/..`).
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            made => made?,
        }
        sync_folder_of(folder)?;
    }
    Ok(())
}

/// Returns the folder and its parents that do not exist, the outermost first.
fn missing_folders(folder: &Path) -> Vec<&Path> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.is_dir();
    let mut missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    missing.reverse();
    missing
}

/// Syncs the folder of a file, so that the name of the file is durable.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folder_on_the_way_is_made_and_synced() {
        let root = tempfile::tempdir().unwrap();
        let [first, second, third] = ["a", "a/b", "a/b/c"].map(|path| root.path().join(path));
        assert_eq!(missing_folders(&third), [&*first, &*second, &*third]);
        create_synced(&first).unwrap();
        assert_eq!(missing_folders(&third), [&*second, &*third]);
        create_synced(&third).unwrap();
        assert!(third.is_dir() && missing_folders(&third).is_empty());
        // The folder exists, so nothing is done.
        create_synced(&third).unwrap();
        assert_eq!(
            missing_folders(Path::new("not-here/at-all")),
            [Path::new("not-here"), Path::new("not-here/at-all")]
        );
    }

    #[test]
    fn a_file_in_the_way_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        create_synced(&file).unwrap_err();
        create_synced(&file.join("below")).unwrap_err();
    }
}
