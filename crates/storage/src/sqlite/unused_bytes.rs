//! Overwrites the bytes that SQLite leaves in a file when it deletes, moves or replaces values. Start at
//! [`overwrite_unused_bytes`].
//!
//! SQLite marks the space of a deleted value as free, and its bytes stay until something else is written there. `PRAGMA
//! secure_delete` overwrites deleted values, at a cost for every update, and still leaves copies of values that were
//! moved within their page or to another one. So this module reads all pages, finds the bytes that SQLite does not use
//! (free pages, gaps between values, the end of the last page of a long value), and writes zeros over them. Bytes that
//! SQLite uses stay unchanged, so a crash at any moment leaves the same database.
//!
//! **Invariant:** while this runs, nothing else writes to the file itself. Commits go to the write-ahead log;
//! checkpoints, which move them into the file, must wait.

use std::{collections::HashSet, fs::File, ops::Range, os::unix::fs::FileExt as _};

use rusqlite::Connection;

use super::{
    header::PAGE_BYTES_AT,
    page::{PageNumber, TreePage, damaged_page, read_u16, read_u32},
};
use crate::{Error, Result};

/// The offsets of the number of reserved bytes at the end of each page, and of the first page of the free list.
const RESERVED_BYTES_AT: usize = 20;
const FREE_LIST_AT: usize = 32;
const HEADER_BYTES: usize = 100;
/// Offsets in a trunk page of the free list, which has the next trunk, the number of leaves, and the numbers of the
/// leaves.
const LEAVES_COUNT_AT: usize = 4;
const LEAVES_AT: usize = 8;
/// The bytes of the next page's number, at the beginning of an overflow page.
const OVERFLOW_BEGIN_BYTES: usize = 4;
/// Maximum height of a tree; none is higher even in the largest file.
const LEVELS_MAX: usize = 40;

/// The result of [`overwrite_unused_bytes`].
#[derive(Debug, Default)]
pub(super) struct OverwriteResult {
    /// The number of overwritten bytes, without those that were zero already.
    pub(super) bytes: u64,
    /// The requested pages that belong to no table, index or free list that was read.
    pub(super) unreferenced_pages: HashSet<PageNumber>,
}

/// Returns the root pages of all tables and indexes.
pub(super) fn root_pages(connection: &Connection) -> Result<Vec<PageNumber>> {
    let mut select = connection.prepare("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")?;
    let found = select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<PageNumber>>>()?;
    Ok([vec![1], found].concat())
}

/// Overwrites the unused bytes of all pages, or of the pages in `only`. Calls `pace` with the bytes of each page before
/// it is read, and stops if that fails.
///
/// For some pages it is much faster: leaves that are not in `only` are not read.
///
/// # Errors [`Error::Damaged`] if the file is not a valid database; [`Error::Io`] if it cannot be read or written.
pub(super) fn overwrite_unused_bytes(
    file: &File,
    roots: &[PageNumber],
    only: Option<&HashSet<PageNumber>>,
    pace: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<OverwriteResult> {
    let mut header = [0; HEADER_BYTES];
    file.read_exact_at(&mut header, 0).map_err(failed)?;
    let page_bytes = match read_u16(&header, PAGE_BYTES_AT)? {
        1 => 65_536,
        bytes @ 512.. => usize::from(bytes),
        _ => return Err(damaged_page()),
    };
    let pages = file.metadata().map_err(failed)?.len() / page_bytes as u64;
    let pages = PageNumber::try_from(pages).map_err(|_| damaged_page())?;
    let mut walk = PageWalk {
        file,
        only,
        pace,
        page_bytes,
        usable: page_bytes - usize::from(header[RESERVED_BYTES_AT]),
        seen: vec![false; pages as usize + 1],
        page: vec![0; page_bytes],
        bytes: 0,
    };
    for root in roots {
        walk.tree(*root)?;
    }
    walk.free_list(read_u32(&header, FREE_LIST_AT)?)?;
    let is_left = |page: &&PageNumber| walk.seen.get(**page as usize).is_some_and(|seen| !seen);
    let unreferenced_pages = only.into_iter().flatten().filter(is_left).copied().collect();
    Ok(OverwriteResult { bytes: walk.bytes, unreferenced_pages })
}

struct PageWalk<'w> {
    file: &'w File,
    only: Option<&'w HashSet<PageNumber>>,
    pace: &'w mut dyn FnMut(usize) -> Result<()>,
    page_bytes: usize,
    /// Bytes of a page that hold content.
    usable: usize,
    /// By page number: whether the page was read.
    seen: Vec<bool>,
    /// The last page that was read.
    page: Vec<u8>,
    bytes: u64,
}

impl PageWalk<'_> {
    fn is_wanted(&self, number: PageNumber) -> bool {
        self.only.is_none_or(|only| only.contains(&number))
    }

    fn tree(&mut self, root: PageNumber) -> Result<()> {
        // All leaves have the same distance from the root.
        let height = self.height(root)?;
        let mut tree_page = TreePage::default();
        let mut to_do = vec![(root, height)];
        while let Some((number, height)) = to_do.pop() {
            let is_wanted = self.is_wanted(number);
            if height == 0 && !is_wanted {
                continue;
            }
            self.read_new(number)?;
            tree_page.read(&self.page, number, self.usable)?;
            if tree_page.children.is_empty() != (height == 0) {
                return Err(damaged_page());
            }
            to_do.extend(tree_page.children.iter().map(|child| (*child, height - 1)));
            if is_wanted {
                self.overwrite_except(number, &tree_page.used)?;
                for (first, bytes) in &tree_page.overflows {
                    self.overflow(*first, *bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the number of levels above the leaves of a tree.
    fn height(&mut self, root: PageNumber) -> Result<usize> {
        let mut tree_page = TreePage::default();
        let mut number = root;
        for height in 0..LEVELS_MAX {
            self.read(number)?;
            tree_page.read(&self.page, number, self.usable)?;
            match tree_page.children.first() {
                Some(child) => number = *child,
                None => return Ok(height),
            }
        }
        Err(damaged_page())
    }

    /// Overwrites the overflow pages of a value, which has this many bytes in them.
    fn overflow(&mut self, first: PageNumber, bytes: usize) -> Result<()> {
        let (mut number, mut left) = (first, bytes);
        while left > 0 {
            self.read_new(number)?;
            let next = read_u32(&self.page, 0)?;
            let here = left.min(self.usable - OVERFLOW_BEGIN_BYTES);
            left -= here;
            if self.is_wanted(number) {
                self.overwrite_except(number, std::slice::from_ref(&(0..OVERFLOW_BEGIN_BYTES + here)))?;
            }
            number = next;
        }
        Ok(())
    }

    fn free_list(&mut self, first: PageNumber) -> Result<()> {
        let mut trunk = first;
        while trunk != 0 {
            self.read_new(trunk)?;
            let (next, count) = (read_u32(&self.page, 0)?, read_u32(&self.page, LEAVES_COUNT_AT)? as usize);
            let end = LEAVES_AT + OVERFLOW_BEGIN_BYTES * count;
            if end > self.usable {
                return Err(damaged_page());
            }
            let leaves: Vec<PageNumber> = (LEAVES_AT..end)
                .step_by(OVERFLOW_BEGIN_BYTES)
                .map(|place| read_u32(&self.page, place))
                .collect::<Result<_>>()?;
            if self.is_wanted(trunk) {
                self.overwrite_except(trunk, std::slice::from_ref(&(0..end)))?;
            }
            for leaf in leaves {
                if self.is_wanted(leaf) {
                    self.read_new(leaf)?;
                    self.overwrite_except(leaf, &[])?;
                }
            }
            trunk = next;
        }
        Ok(())
    }

    /// Reads a page for the first time. Fails for a second time: in a valid file a page belongs to one thing only.
    fn read_new(&mut self, number: PageNumber) -> Result<()> {
        self.read(number)?;
        let seen = self.seen.get_mut(number as usize).ok_or_else(damaged_page)?;
        if std::mem::replace(seen, true) { Err(damaged_page()) } else { Ok(()) }
    }

    fn read(&mut self, number: PageNumber) -> Result<()> {
        if number == 0 || number as usize >= self.seen.len() {
            return Err(damaged_page());
        }
        (self.pace)(self.page_bytes)?;
        let place = self.file_offset(number, 0);
        self.file.read_exact_at(&mut self.page, place).map_err(failed)
    }

    /// Overwrites all of the last read page except these ranges, which are in order.
    fn overwrite_except(&mut self, number: PageNumber, used: &[Range<usize>]) -> Result<()> {
        let mut free_from = 0;
        for range in used.iter().chain(std::iter::once(&(self.usable..self.usable))) {
            let free = free_from..range.start.max(free_from);
            if self.page[free.clone()].iter().any(|byte| *byte != 0) {
                self.page[free.clone()].fill(0);
                let place = self.file_offset(number, free.start);
                self.file.write_all_at(&self.page[free.clone()], place).map_err(failed)?;
                self.bytes += free.len() as u64;
            }
            free_from = range.end.max(free_from);
        }
        Ok(())
    }

    /// Returns the position of a page's byte in the file.
    fn file_offset(&self, number: PageNumber, byte: usize) -> u64 {
        (u64::from(number) - 1) * self.page_bytes as u64 + byte as u64
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::io("the file of a project", error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;

    /// A text in all deleted rows, and in no other.
    const DELETED: &str = "Erased-Person";

    fn finds(path: &Path, text: &str) -> usize {
        let bytes = std::fs::read(path).unwrap();
        bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
    }

    fn overwrite_all(path: &Path) -> OverwriteResult {
        let connection = Connection::open(path).unwrap();
        let roots = root_pages(&connection).unwrap();
        connection.close().unwrap();
        let file = File::options().read(true).write(true).open(path).unwrap();
        overwrite_unused_bytes(&file, &roots, None, &mut |_| Ok(())).unwrap()
    }

    /// Returns all rows, and the result of SQLite's check of the file.
    fn content(path: &Path) -> (Vec<(i64, String)>, Vec<String>, String) {
        let connection = Connection::open(path).unwrap();
        let mut rows = connection.prepare("SELECT number, text FROM of_number ORDER BY number").unwrap();
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(|row| row.unwrap());
        let mut texts = connection.prepare("SELECT text FROM of_text ORDER BY text").unwrap();
        let texts = texts.query_map([], |row| row.get(0)).unwrap().map(|text| text.unwrap());
        let sound = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        (rows.collect(), texts.collect(), sound)
    }

    /// Rows: number, length of the text, and whether the row is deleted at the end.
    fn rows() -> impl Strategy<Value = Vec<(i64, usize, bool)>> {
        let length = prop_oneof![8 => 0..300_usize, 3 => 300..6_000_usize, 1 => 6_000..30_000_usize];
        prop::collection::vec((0..400_i64, length, any::<bool>()), 1..250)
    }

    fn write(path: &Path, page_bytes: u32, rows: &[(i64, usize, bool)]) {
        let connection = Connection::open(path).unwrap();
        connection.pragma_update(None, "page_size", page_bytes).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE of_number (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
                 CREATE INDEX by_text ON of_number (text);
                 CREATE TABLE of_text (text TEXT PRIMARY KEY) WITHOUT ROWID;
                 BEGIN",
            )
            .unwrap();
        for (number, length, is_deleted) in rows {
            let name = if *is_deleted { DELETED } else { "Somebody-Else" };
            let text = format!("{name} {number} ").repeat(length / 16 + 1);
            connection.execute("INSERT OR REPLACE INTO of_number VALUES (?1, ?2)", (number, &text)).unwrap();
            connection.execute("INSERT OR REPLACE INTO of_text VALUES (?1)", (&text,)).unwrap();
        }
        for table in ["of_number", "of_text"] {
            connection.execute(&format!("DELETE FROM {table} WHERE text LIKE '{DELETED}%'"), []).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn overwrites_all_deleted_rows_and_no_others(
            rows in rows(),
            page_bytes in prop_oneof![Just(512), Just(4096), Just(65_536)],
        ) {
            let folder = tempfile::TempDir::new().unwrap();
            let path = folder.path().join("shop.db");
            write(&path, page_bytes, &rows);
            let before = content(&path);
            overwrite_all(&path);
            prop_assert_eq!(content(&path), before.clone());
            prop_assert_eq!(&before.2, "ok");
            prop_assert_eq!(finds(&path, DELETED), 0);
            prop_assert_eq!(overwrite_all(&path).bytes, 0, "the second time nothing is left to do");
        }
    }

    #[test]
    fn some_pages_alone_are_overwritten() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("shop.db");
        write(&path, 4096, &(0..400).map(|number| (number, 200, number % 2 == 0)).collect::<Vec<_>>());
        let found = finds(&path, DELETED);
        assert!(found > 0, "SQLite leaves what was deleted");
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let roots = root_pages(&Connection::open(&path).unwrap()).unwrap();
        let pages = u32::try_from(file.metadata().unwrap().len() / 4096).unwrap();
        let some: HashSet<PageNumber> = (1..=pages / 2).collect();
        let done = overwrite_unused_bytes(&file, &roots, Some(&some), &mut |_| Ok(())).unwrap();
        assert!(done.bytes > 0 && done.unreferenced_pages.is_empty(), "{done:?}");
        let left = finds(&path, DELETED);
        assert!(0 < left && left < found, "{left} of {found}");
        let others = (pages / 2 + 1..=pages + 1).collect();
        let done = overwrite_unused_bytes(&file, &roots, Some(&others), &mut |_| Ok(())).unwrap();
        assert!(done.unreferenced_pages.is_empty(), "{done:?}");
        assert_eq!(finds(&path, DELETED), 0);
    }

    #[test]
    fn leaves_other_files_unchanged() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("shop.db");
        let bytes = vec![7; 3 * 4096];
        std::fs::write(&path, &bytes).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        assert!(overwrite_unused_bytes(&file, &[1], None, &mut |_| Ok(())).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}
