//! The memory limit of the process: the flag `--memory-max`, else the limit of its control group (cgroup), else the
//! memory of the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The mount point of control groups.
const CONTROL_GROUPS: &str = "/sys/fs/cgroup";
/// The smallest amount that a server can work with, in bytes.
const BYTES_MIN: u64 = 128 * 1024 * 1024;

/// An amount of memory in bytes, parsed from e.g. `512M`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemorySize(u64);

impl MemorySize {
    /// Returns the amount in bytes.
    pub(crate) fn bytes(self) -> u64 {
        self.0
    }

    /// Returns the memory that this process may use; `None` if the system does not report it.
    pub(crate) fn detect() -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let limits = limits_of_groups(&groups, Path::new(CONTROL_GROUPS));
        let machine =
            fs::read_to_string("/proc/meminfo").ok().and_then(|content| parse_memory_total(&content));
        limits.into_iter().chain(machine).min().map(Self)
    }
}

impl FromStr for MemorySize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expected = || format!("expected a number of bytes such as 536870912, 512M or 2G, found '{text}'");
        let text = text.trim();
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
            "" | "B" => 1,
            "K" | "KB" | "KI" | "KIB" => 1 << 10,
            "M" | "MB" | "MI" | "MIB" => 1 << 20,
            "G" | "GB" | "GI" | "GIB" => 1 << 30,
            "T" | "TB" | "TI" | "TIB" => 1 << 40,
            _ => return Err(expected()),
        };
        let number: u64 = digits.parse().map_err(|_| expected())?;
        let bytes = number.checked_mul(unit).ok_or_else(expected)?;
        if bytes < BYTES_MIN {
            return Err(format!("a server needs at least {}M", BYTES_MIN >> 20));
        }
        Ok(Self(bytes))
    }
}

/// Returns the limits of the control groups of a process and of their parents, in bytes. `groups` is the text of
/// `/proc/self/cgroup`: lines such as `0::/system.slice/kontor.service` (version 2) and `4:memory:/docker/1` (version
/// 1).
fn limits_of_groups(groups: &str, root: &Path) -> Vec<u64> {
    let mut limits = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (below, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // In a container the path may be that of the host and not exist; the container's own group is then the root.
        let mut group: PathBuf = path.trim_start_matches('/').into();
        loop {
            let content = fs::read_to_string(below.join(&group).join(file)).unwrap_or_default();
            // `max` means no limit.
            limits.extend(content.trim().parse::<u64>().ok().filter(|bytes| *bytes > 0));
            if !group.pop() {
                break;
            }
        }
    }
    limits
}

/// Returns the memory of the machine in bytes, from the text of `/proc/meminfo`.
fn parse_memory_total(content: &str) -> Option<u64> {
    let line = content.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let bytes = |text: &str| text.parse::<MemorySize>().map(MemorySize::bytes);
        assert_eq!(bytes("536870912"), Ok(512 << 20));
        assert_eq!(bytes("512M"), Ok(512 << 20));
        assert_eq!(bytes("512MiB"), Ok(512 << 20));
        assert_eq!(bytes(" 2g "), Ok(2 << 30));
        for text in ["", "M", "-1G", "1.5G", "12 M", "5X", "99999999999999999T", "1M", "0"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_limits_of_all_groups_count() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("system.slice/memory.max", "900\n");
        write("system.slice/kontor.service/memory.max", "max\n");
        write("memory/memory.limit_in_bytes", "700\n");
        let limits = |groups: &str| limits_of_groups(groups, folder.path());
        assert_eq!(limits("0::/system.slice/kontor.service\n"), [900]);
        assert_eq!(limits("5:cpu,memory:/docker/1\n3:cpu:/\n"), [700]);
        assert_eq!(limits("0::/elsewhere\n"), [0; 0]);
    }

    #[test]
    fn the_memory_of_the_machine_is_read() {
        assert_eq!(parse_memory_total("MemTotal:        2048 kB\nMemFree: 1 kB\n"), Some(2 << 20));
        assert_eq!(parse_memory_total("MemFree: 1 kB\n"), None);
    }
}
