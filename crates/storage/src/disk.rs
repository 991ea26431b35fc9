//! Free disk space, file size limits, and bytes read from the disk, as the operating system reports them.

use std::{fs, path::Path};

/// Default of the disk space reserved for deletions, which need some before they free any: 16 MB.
pub const DISK_BYTES_KEPT_DEFAULT: u64 = 16 * 1024 * 1024;

/// Of the size that a file may have (`ulimit -f`), at most one part of so many is kept for deletions.
const KEPT_PART_OF_LIMIT: u64 = 4;

/// The bytes that may still be written to a database, and the part of them that is kept for deletions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BytesLeft {
    /// The bytes that the disk has, or that the largest file may grow by.
    pub free: u64,
    /// How many of them are for deletions.
    pub kept: u64,
}

impl BytesLeft {
    /// Looks at the disk and at the limit of file sizes, and returns the tighter one; `None` where the system says nothing. `kept`: the
    /// bytes of a disk that are kept for deletions.
    pub fn measure(path: &Path, kept: u64) -> Option<Self> {
        let of_disk = disk_bytes(path).map(|(free, _)| BytesLeft { free, kept });
        let of_limit =
            file_bytes_max().map(|bytes_max| BytesLeft::from_limit(bytes_max, bytes_of_largest(path), kept));
        let spare = |left: &BytesLeft| i128::from(left.free) - i128::from(left.kept);
        of_disk.into_iter().chain(of_limit).min_by_key(spare)
    }

    /// Returns how much a file of `bytes` may grow.
    fn from_limit(bytes_max: u64, bytes: u64, kept: u64) -> Self {
        let free = bytes_max.saturating_sub(bytes);
        BytesLeft { free, kept: kept.min(bytes_max / KEPT_PART_OF_LIMIT) }
    }

    /// True where only deletions are to be written.
    pub fn is_low(self) -> bool {
        self.free < self.kept
    }
}

/// The size of the file of a database or of its write-ahead log, whichever is larger.
fn bytes_of_largest(path: &Path) -> u64 {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let bytes = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    bytes(path).max(bytes(Path::new(&log)))
}

/// Returns the bytes that this user may still write to the disk of a file, and those that the disk has; `None` if the
/// system does not tell.
pub fn disk_bytes(path: &Path) -> Option<(u64, u64)> {
    #[cfg(target_os = "linux")]
    {
        let found = nix::sys::statvfs::statvfs(path).ok()?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.fragment_size());
        Some((bytes(found.blocks_available()), bytes(found.blocks())))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}

/// Returns the maximum size of a file of this process (`ulimit -f`); `None` without a limit.
pub(crate) fn file_bytes_max() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource::RLIMIT_FSIZE, getrlimit};
        getrlimit(RLIMIT_FSIZE).ok().map(|(now, _)| now).filter(|now| *now != RLIM_INFINITY)
    }
    #[cfg(not(target_os = "linux"))]
    None
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

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1024 * 1024;

    #[test]
    fn a_part_of_the_largest_file_is_kept_for_deletions() {
        let left = BytesLeft::from_limit(20 * MB, 14 * MB, DISK_BYTES_KEPT_DEFAULT);
        assert_eq!(left, BytesLeft { free: 6 * MB, kept: 5 * MB });
        assert!(!left.is_low());
        assert!(BytesLeft::from_limit(20 * MB, 16 * MB, DISK_BYTES_KEPT_DEFAULT).is_low());
        assert!(
            BytesLeft::from_limit(20 * MB, 30 * MB, DISK_BYTES_KEPT_DEFAULT).is_low(),
            "the limit was lowered"
        );
        assert_eq!(
            BytesLeft::from_limit(1024 * MB, 0, DISK_BYTES_KEPT_DEFAULT).kept,
            DISK_BYTES_KEPT_DEFAULT
        );
    }

    #[test]
    fn the_log_counts_where_it_is_larger() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        fs::write(&path, "file").unwrap();
        assert_eq!(bytes_of_largest(&path), 4);
        fs::write(folder.path().join("shop.db-wal"), "longer").unwrap();
        assert_eq!(bytes_of_largest(&path), 6);
    }
}
