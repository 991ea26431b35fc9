//! Free disk space, file size limits, and bytes read from the disk, as the operating system reports them.

use std::path::Path;

/// Default of the disk space reserved for deletions, which need some before they free any: 16 MB.
pub const DISK_BYTES_KEPT_DEFAULT: u64 = 16 * 1024 * 1024;

/// Returns the bytes that this user may still write to the disk of a file; `None` if the system does not tell.
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

/// Returns whether the size of this process's files is limited (`ulimit -f`).
pub(crate) fn is_file_size_limited() -> bool {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource::RLIMIT_FSIZE, getrlimit};
        getrlimit(RLIMIT_FSIZE).is_ok_and(|(now, _)| now != RLIM_INFINITY)
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// Returns the bytes that this thread has read from the disk so far, without those from the page cache; 0 if the system
/// does not tell.
pub(crate) fn bytes_read_by_thread() -> u64 {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        /// The unit of the system's count.
        const BLOCK_BYTES: u64 = 512;
        let blocks = getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.block_reads());
        u64::try_from(blocks).unwrap_or(0).saturating_mul(BLOCK_BYTES)
    }
    #[cfg(not(target_os = "linux"))]
    {
        0
    }
}
