//! Checks a file by its first bytes and its length, without opening it as a database.

use std::{fs::File, io, io::Read as _, path::Path};

use super::schema;
use crate::{Error, Result};

/// The first bytes of every SQLite database, and the length of the header plus the first byte after it.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 101;
/// The offsets of the page size (1 means 65,536) and of the number of pages.
pub(super) const PAGE_BYTES_AT: usize = 16;
const PAGES_AT: usize = 28;
/// Two offsets of the same count, if the number of pages is valid.
const CHANGES_AT: [usize; 2] = [24, 92];
/// After the header: the type of the first page, an interior page or a leaf of the tree of all tables.
const PAGE_KIND_AT: usize = 100;
const PAGE_KINDS: [u8; 2] = [5, 13];
/// The offsets of the format number and of the application id (sqlite.org/fileformat2.html).
const USER_VERSION_AT: usize = 60;
const APPLICATION_ID_AT: usize = 68;

/// The state of a file while it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileState {
    /// The file is as it was written. `changes`: a number that never gets smaller.
    Intact { changes: u32 },
    /// Pages at the end of the file are missing. During a checkpoint this is so for a moment.
    Truncated,
    /// The file is empty, or has other content.
    Foreign,
}

/// Returns the state of an open file. Opens and closes nothing.
#[cfg(unix)]
pub(super) fn read_file_state(file: &File) -> io::Result<FileState> {
    use std::os::unix::fs::FileExt as _;
    let mut header = [0; HEADER_BYTES];
    match file.read_exact_at(&mut header, 0) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(FileState::Foreign),
        read => read?,
    }
    Ok(file_state_of(&header, file.metadata()?.len()))
}

/// Other systems do not let a file that is open be written by others.
#[cfg(not(unix))]
pub(super) fn read_file_state(_file: &File) -> io::Result<FileState> {
    Ok(FileState::Intact { changes: 0 })
}

#[cfg_attr(not(unix), allow(dead_code))]
fn file_state_of(header: &[u8; HEADER_BYTES], length: u64) -> FileState {
    let number = |at: usize| {
        let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        u32::from_be_bytes(bytes.unwrap_or_default())
    };
    // While a new file has all of it in its log, it has neither number.
    let marks = [number(APPLICATION_ID_AT), number(USER_VERSION_AT)].map(i64::from);
    if !header.starts_with(MAGIC) || (marks[0] != schema::APPLICATION_ID && marks != [0, 0]) {
        return FileState::Foreign;
    }
    match damage(header, length) {
        None => FileState::Intact { changes: number(CHANGES_AT[0]) },
        Some(_) if !PAGE_KINDS.contains(&header[PAGE_KIND_AT]) => FileState::Foreign,
        Some(_) => FileState::Truncated,
    }
}

/// Fails for a file that is not a database, belongs to another program, or was written by a later release.
pub fn check_file(path: &Path) -> Result<()> {
    let mut header = [0; HEADER_BYTES];
    let mut file = File::open(path).map_err(|error| Error::io(path, error))?;
    let damaged = |_| Error::Damaged("the beginning of the file");
    file.read_exact(&mut header).map_err(damaged)?;
    if !header.starts_with(MAGIC) {
        return Err(Error::Damaged("the beginning of the file"));
    }
    let number = |at: usize| {
        let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        i64::from(i32::from_be_bytes(bytes.unwrap_or_default()))
    };
    let (found, supported) = (number(USER_VERSION_AT), schema::newest_format(schema::MIGRATIONS));
    // A database that was never written to has neither of the numbers.
    if number(APPLICATION_ID_AT) != schema::APPLICATION_ID && found != 0 {
        return Err(Error::Invalid(format!("{} is a database, but not one of Kontor", path.display())));
    }
    if found > supported {
        return Err(Error::NewerFormat { path: path.to_owned(), found, supported });
    }
    let length = file.metadata().map_err(|error| Error::io(path, error))?.len();
    match damage(&header, length) {
        // The log may contain pages that the file lacks.
        Some(part) if !has_log(path) => Err(Error::Damaged(part)),
        _ => Ok(()),
    }
}

/// Returns what is damaged in a file, by its header and its length in bytes.
fn damage(header: &[u8; HEADER_BYTES], length: u64) -> Option<&'static str> {
    let number = |at: usize| header.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    if !PAGE_KINDS.contains(&header[PAGE_KIND_AT]) {
        return Some("its first page");
    }
    let page_bytes = match u16::from_be_bytes([header[PAGE_BYTES_AT], header[PAGE_BYTES_AT + 1]]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    let is_counted = number(CHANGES_AT[0]) == number(CHANGES_AT[1]);
    let pages = number(PAGES_AT).map_or(0, u64::from);
    (is_counted && length < pages * page_bytes).then_some("its end, where pages are missing,")
}

/// Returns whether there is a write-ahead log next to the file.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Commit, Put, Sqlite, SqliteOptions, Storage as _};

    #[test]
    fn a_file_that_was_cut_or_written_over_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
        let put =
            Put { kind: "state".into(), id: "a".into(), version: 1, body: "{}".into(), ..Put::default() };
        storage.commit_blocking(Commit::new().put(put)).unwrap();
        // While it is open, all may still be in the log.
        check_file(&path).unwrap();
        drop(storage);
        check_file(&path).unwrap();

        let whole = std::fs::read(&path).unwrap();
        let damaged = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            check_file(&path).unwrap_err().to_string()
        };
        assert!(damaged(&whole[..whole.len() / 2]).contains("its end"));
        assert!(damaged(&whole[..whole.len() - 1]).contains("its end"));
        assert!(
            damaged(&[&whole[..100], &vec![b'x'; whole.len() - 100]].concat()).contains("its first page")
        );
        assert!(damaged(b"SQLite format 3").contains("the beginning"));
        assert!(damaged(&vec![b'x'; whole.len()]).contains("the beginning"));
        std::fs::write(&path, &whole).unwrap();
        check_file(&path).unwrap();
    }
}
