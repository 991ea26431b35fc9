//! Finds the conversation files.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the paths of the files of `tests/api`, sorted.
pub fn conversation_files() -> Vec<PathBuf> {
    let folders = sorted(&folder()).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| sorted(&folder));
    files.filter(|path| path.extension() == Some("txt".as_ref())).collect()
}

/// Returns the name of a file in reports, e.g. `states/actions.txt`.
pub fn file_name(file: &Path) -> String {
    file.strip_prefix(folder()).unwrap_or(file).display().to_string()
}

fn folder() -> PathBuf {
    crate::package_folder().join("../../tests/api")
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
