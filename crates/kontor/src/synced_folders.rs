//! Names that are there after a loss of power: that of a file or folder is on disk when the folder that it is in is.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Makes a folder where there is none, with those that it is in: each is on disk before the next is made in it.
pub(crate) fn make_to_stay(folder: &Path) -> io::Result<()> {
    for folder in missing(folder) {
        match fs::create_dir(folder) {
            // Somebody else was faster, or the path goes through a folder that this made (`new/..`).
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            made => made?,
        }
        sync_folder_of(folder)?;
    }
    Ok(())
}

/// What has to be made so that a folder is there: the outermost first.
fn missing(folder: &Path) -> Vec<&Path> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.is_dir();
    let mut missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    missing.reverse();
    missing
}

/// Writes the names in the folder of a file to disk.
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
        assert_eq!(missing(&third), [&*first, &*second, &*third]);
        make_to_stay(&first).unwrap();
        assert_eq!(missing(&third), [&*second, &*third]);
        make_to_stay(&third).unwrap();
        assert!(third.is_dir() && missing(&third).is_empty());
        // Where it is there, nothing is to be done.
        make_to_stay(&third).unwrap();
        assert_eq!(
            missing(Path::new("not-here/at-all")),
            [Path::new("not-here"), Path::new("not-here/at-all")]
        );
    }

    #[test]
    fn a_file_in_the_way_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        make_to_stay(&file).unwrap_err();
        make_to_stay(&file.join("below")).unwrap_err();
    }
}
