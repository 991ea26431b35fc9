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

/// Whether files of this process may have so many bytes only (`ulimit -f`).
pub(crate) fn is_file_size_limited() -> bool {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource::RLIMIT_FSIZE, getrlimit};
        getrlimit(RLIMIT_FSIZE).is_ok_and(|(now, _)| now != RLIM_INFINITY)
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// The bytes that a disk had to give to this thread so far, because they were not in memory; 0 where the system does not say.
pub(crate) fn bytes_read_by_thread() -> u64 {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        /// What the system counts in.
        const BLOCK_BYTES: u64 = 512;
        let blocks = getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.block_reads());
        u64::try_from(blocks).unwrap_or(0).saturating_mul(BLOCK_BYTES)
    }
    #[cfg(not(target_os = "linux"))]
    {
        0
    }
}
