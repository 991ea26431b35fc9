//! The Unix socket in the data folder by which commands reach the server that owns the folder.
//!
//! The file system restricts access: only the user that the server runs as can connect. The socket is created in a
//! private folder and then renamed, so that under its final name it always has the right mode.

use crate::private_files::OWNER_ONLY;
use anyhow::Context as _;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tokio::net::{UnixListener, UnixStream};

const SOCKET_FILE: &str = "control.sock";
/// The longest path that a socket address can hold on Linux, in bytes without the terminating zero.
const SOCKET_PATH_BYTES_MAX: usize = 107;

/// Removes the socket file when dropped.
#[derive(Debug)]
pub(crate) struct ControlSocket(PathBuf);

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // If this fails, an unused socket file remains; the next server replaces it.
        let _ = fs::remove_file(&self.0);
    }
}

/// Opens the socket of a folder that this process owns. Replaces an existing socket, which a killed server left behind.
pub(crate) fn bind(folder: &Path) -> anyhow::Result<(UnixListener, ControlSocket)> {
    let path = folder.join(SOCKET_FILE);
    let listen = || -> io::Result<UnixListener> {
        let private = tempfile::Builder::new().prefix("control-").tempdir_in(folder)?;
        let made = private.path().join(SOCKET_FILE);
        let listener = with_short_path(&made, |short| UnixListener::bind(short))?;
        fs::set_permissions(&made, Permissions::from_mode(OWNER_ONLY))?;
        fs::rename(&made, &path)?;
        Ok(listener)
    };
    let listener = listen().with_context(|| format!("{} cannot be made", path.display()))?;
    Ok((listener, ControlSocket(path)))
}

/// Connects to the server that owns the folder. Returns `None` when no server does.
pub(crate) async fn connect(folder: &Path) -> anyhow::Result<Option<UnixStream>> {
    let path = folder.join(SOCKET_FILE);
    let connected = with_short_path(&path, |short| std::os::unix::net::UnixStream::connect(short));
    match connected {
        Ok(stream) => {
            stream.set_nonblocking(true)?;
            Ok(Some(UnixStream::from_std(stream)?))
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| format!("{} cannot be used", path.display())),
    }
}

/// Calls `run` with a path that fits into a socket address: a path below `/proc/self/fd` when the path itself is too
/// long.
fn with_short_path<T>(path: &Path, run: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().len() <= SOCKET_PATH_BYTES_MAX {
        return run(path);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return run(path) };
    let folder = File::open(folder)?;
    run(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_socket_is_the_owners_alone_and_replaces_one_that_was_left() {
        let folder = tempfile::tempdir().unwrap();
        assert!(connect(folder.path()).await.unwrap().is_none());
        let (left, guard) = bind(folder.path()).unwrap();
        std::mem::forget(guard);
        drop(left);
        assert!(connect(folder.path()).await.unwrap().is_none());
        let (_listener, guard) = bind(folder.path()).unwrap();
        let mode = fs::metadata(folder.path().join(SOCKET_FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, OWNER_ONLY);
        assert!(connect(folder.path()).await.unwrap().is_some());
        drop(guard);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_folder_may_have_a_long_path() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("f".repeat(120));
        fs::create_dir(&deep).unwrap();
        let _held = bind(&deep).unwrap();
        assert!(connect(&deep).await.unwrap().is_some());
    }
}
