//! How much room a disk has left.

use std::path::Path;

/// Room that is left on a disk for deleting, which needs some of it before it gives any back, unless said otherwise: 16 MB.
pub const DISK_BYTES_KEPT_DEFAULT: u64 = 16 * 1024 * 1024;

/// The bytes that whoever runs this may still write where a file is; `None` where the system does not say.
pub fn disk_bytes_free(path: &Path) -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let found = nix::sys::statvfs::statvfs(path).ok()?;
        Some(found.blocks_available().saturating_mul(found.fragment_size()))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}
