//! What is in a data folder is its owner's to read: hashes of secrets, addresses, what customers bought.

use anyhow::{Context as _, bail};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The mode of files and sockets that lead to everything: only the owner may use them.
pub(crate) const OWNER_ONLY: u32 = 0o600;
/// The owner may list the folder, and nobody else.
const FOLDER_MODE: u32 = 0o700;
/// Bits of a mode that say what others than the owner and its group may do.
const OTHERS: u32 = 0o007;
/// Bits of a mode that say what all but the owner may do.
const ALL_BUT_OWNER: u32 = 0o077;

/// Keeps others out of a data folder, and out of what is made in it from here on. Refuses one that is somebody else's and that
/// others can read.
pub(crate) fn keep(folder: &Path) -> anyhow::Result<()> {
    // Of the whole process: SQLite and the search make files too.
    #[cfg(target_os = "linux")]
    nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(ALL_BUT_OWNER as nix::libc::mode_t));
    mend(folder, FOLDER_MODE)?;
    let inside = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    for entry in inside.flatten() {
        let path = entry.path();
        // Deeper ones are behind a folder that is shut.
        let own = if path.is_dir() { FOLDER_MODE } else { OWNER_ONLY };
        if path.is_dir() || path.is_file() {
            mend(&path, own)?;
        }
    }
    Ok(())
}

fn mend(path: &Path, mode: u32) -> anyhow::Result<()> {
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
        // A volume that a group shares belongs to somebody else.
        Err(_) if found & OTHERS == 0 => Ok(()),
        Err(error) => bail!(
            "everybody can read {} (mode {:o}), and that cannot be changed: {error}. Give it to the user who runs Kontor, or \
             take the rights of others away",
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
    fn a_folder_that_others_can_read_is_shut() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("system.db");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        keep(folder.path()).unwrap();
        assert_eq!((mode(folder.path()), mode(&file)), (0o700, 0o600));
    }
}
