//! File modes of a data folder. Only its owner may read it: it has hashes of secrets, addresses and orders.

use crate::synced_folders::create_synced;
use anyhow::{Context as _, bail};
use kontor_storage::FolderLock;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The mode of files and sockets: only the owner may use them.
pub(crate) const OWNER_ONLY: u32 = 0o600;
/// The mode of folders: only the owner may use them.
pub(crate) const FOLDER_MODE: u32 = 0o700;
/// How many levels of a data folder are checked: down to the project files. Images and indexes, which may be many, are
/// in folders that others cannot enter.
const LEVELS: usize = 2;
/// The bits of a mode with the rights of others than the owner and its group.
const OTHERS: u32 = 0o007;
/// The bits of a mode with the rights of all but the owner.
const ALL_BUT_OWNER: u32 = 0o077;

/// Locks a data folder for this process, creates it if missing, and makes it private. Fails if another process owns it.
pub(crate) fn lock_and_protect(folder: &Path) -> anyhow::Result<FolderLock> {
    create_protected(folder)?;
    let lock = FolderLock::acquire(folder)?;
    protect(folder)?;
    Ok(lock)
}

/// Creates a data folder if missing, and sets the umask so that all new files are private.
pub(crate) fn create_protected(folder: &Path) -> anyhow::Result<()> {
    let make_one =
        |path: &Path| create_synced(path).with_context(|| format!("{} cannot be made", folder.display()));
    // Parent folders are not part of the data folder and get the usual mode.
    folder.parent().map_or(Ok(()), make_one)?;
    set_umask();
    make_one(folder)
}

/// Sets the umask so that all new files and folders are private. It applies to the whole process, because SQLite and
/// the search index create files too.
pub(crate) fn set_umask() {
    #[cfg(target_os = "linux")]
    nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(ALL_BUT_OWNER as nix::libc::mode_t));
}

/// Makes an existing data folder private. Fails if it belongs to another user and others can read it.
pub(crate) fn protect(folder: &Path) -> anyhow::Result<()> {
    protect_path(folder, FOLDER_MODE)?;
    let inside = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    protect_contents(inside, LEVELS)
}

/// Makes the contents of a folder private, down to so many levels.
fn protect_contents(inside: fs::ReadDir, levels: usize) -> anyhow::Result<()> {
    for entry in inside.flatten() {
        let path = entry.path();
        if path.is_dir() {
            protect_path(&path, FOLDER_MODE)?;
            // An unreadable folder belongs to another user, such as `lost+found`.
            if levels > 1
                && let Ok(inside) = fs::read_dir(&path)
            {
                protect_contents(inside, levels - 1)?;
            }
        } else if path.is_file() {
            protect_path(&path, OWNER_ONLY)?;
        }
    }
    Ok(())
}

fn protect_path(path: &Path, mode: u32) -> anyhow::Result<()> {
    let found = fs::metadata(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let found = found.permissions().mode();
    if found & ALL_BUT_OWNER == 0 {
        return Ok(());
    }
    match fs::set_permissions(path, fs::Permissions::from_mode(mode)) {
        Ok(()) => {
            tracing::info!(path = %path.display(), "others could read this; now only its owner can");
            Ok(())
        }
        // A volume that a group shares belongs to another user.
        Err(_) if found & OTHERS == 0 => Ok(()),
        Err(error) => bail!(
            "everybody can read {} (mode {:o}), and that cannot be changed: {error}. Make the user who runs Kontor \
             its owner, or remove the rights of others",
            path.display(),
            found & 0o777
        ),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn creates_private_files() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("above/data");
        create_protected(&folder).unwrap();
        fs::write(folder.join("lock"), "").unwrap();
        assert_eq!((mode(&folder), mode(&folder.join("lock"))), (0o700, 0o600));
    }

    #[test]
    fn makes_a_readable_folder_private() {
        let folder = tempfile::tempdir().unwrap();
        let projects = folder.path().join("projects");
        fs::create_dir(&projects).unwrap();
        let files = [folder.path().join("system.db"), projects.join("shop.db")];
        for file in &files {
            fs::write(file, "").unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        protect(folder.path()).unwrap();
        assert_eq!(mode(folder.path()), 0o700);
        assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
    }
}
