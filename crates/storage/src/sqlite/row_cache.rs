//! The writer's cache of document rows, without bodies: a document that changed is likely to change again soon, and
//! then its row need not be looked up.
//!
//! **Invariant:** a cached row equals the one in the open transaction, or on disk without one. There is only one
//! writer, so it is enough to clear the cache whenever it reverts a commit.

use std::collections::HashMap;

use quick_cache::DefaultHashBuilder;
use rusqlite::{Connection, Row, Statement};

use super::{
    checksum::{self, DocumentRow},
    compression,
    name_number::NameNumber,
    statements::{Sql, Statements},
};
use crate::Result;

/// Maximum bytes of the cache; then it is cleared, which costs a lookup for each row.
const BYTES_MAX: usize = 4 * 1024 * 1024;

/// The cost of a row in addition to its id and entries: slot of the table, headers of allocations.
const ROW_OVERHEAD_BYTES: usize = 128;

/// The columns of a document's row that a write needs to replace it.
#[derive(Debug)]
pub(super) struct RowState {
    /// The row number.
    pub(super) number: i64,
    pub(super) version: i64,
    pub(super) revision: i64,
    /// The list of the document's rows in `unique_keys` and `indexed`, see `entries`.
    pub(super) entries: Vec<u8>,
    /// The number of the document's newest record.
    pub(super) record: i64,
}

impl RowState {
    /// Reads the current row of a document.
    pub(super) fn read(statements: &mut Statements<'_>, kind: NameNumber, id: &str) -> Result<Option<Self>> {
        Self::read_with(statements.get(Sql::FindDocument)?, kind, id)
    }

    /// Reads the current row of a document, on a connection without prepared statements of the writer.
    pub(super) fn find(connection: &Connection, kind: NameNumber, id: &str) -> Result<Option<Self>> {
        let mut find = connection.prepare_cached(Sql::FindDocument.text())?;
        Self::read_with(&mut find, kind, id)
    }

    fn read_with(find: &mut Statement<'_>, kind: NameNumber, id: &str) -> Result<Option<Self>> {
        let mut rows = find.query((kind, id))?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let head = Self::from_row(row, kind, id).map_err(|_| checksum::damaged_row("document", kind, id))?;
        head.map(Some).ok_or_else(|| checksum::damaged_row("document", kind, id))
    }

    /// Reads the columns number, version, revision, entries, record and sum; `None` if the checksum is wrong.
    pub(super) fn from_row(row: &Row<'_>, kind: NameNumber, id: &str) -> Result<Option<Self>> {
        let (version, revision, record) = (row.get(1)?, row.get(2)?, row.get(4)?);
        let entries = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
        if !(DocumentRow { kind, id, version, revision }).has_entries(row.get(5)?, entries, record) {
            return Ok(None);
        }
        let entries = compression::decompress(entries)?.into_owned();
        Ok(Some(RowState { number: row.get(0)?, version, revision, entries, record }))
    }
}

/// The cached rows.
#[derive(Debug, Default)]
pub(super) struct RowCache {
    kinds: HashMap<NameNumber, HashMap<Box<str>, RowState, DefaultHashBuilder>, DefaultHashBuilder>,
    bytes: usize,
}

impl RowCache {
    /// Returns the cached row of a document.
    pub(super) fn get(&self, kind: NameNumber, id: &str) -> Option<&RowState> {
        self.kinds.get(&kind)?.get(id)
    }

    /// Removes the row of a document that is about to be written, and returns it with the id.
    pub(super) fn remove(&mut self, kind: NameNumber, id: &str) -> Option<(Box<str>, RowState)> {
        let (id, head) = self.kinds.get_mut(&kind)?.remove_entry(id)?;
        self.bytes = self.bytes.saturating_sub(weight(&id, &head));
        Some((id, head))
    }

    /// Caches the current row.
    pub(super) fn insert(&mut self, kind: NameNumber, id: Box<str>, head: RowState) {
        let (id_bytes, bytes) = (id.len(), weight(&id, &head));
        if self.bytes + bytes > BYTES_MAX {
            self.clear();
        }
        self.bytes += bytes;
        if let Some(before) = self.kinds.entry(kind).or_default().insert(id, head) {
            self.bytes = self.bytes.saturating_sub(id_bytes + before.entries.len() + ROW_OVERHEAD_BYTES);
        }
    }

    /// Clears the cache.
    pub(super) fn clear(&mut self) {
        self.kinds.clear();
        self.bytes = 0;
    }
}

fn weight(id: &str, head: &RowState) -> usize {
    id.len() + head.entries.len() + ROW_OVERHEAD_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(number: i64, bytes: usize) -> RowState {
        RowState { number, version: 1, revision: number, entries: vec![0; bytes], record: 0 }
    }

    #[test]
    fn forgets_taken_rows() {
        let mut heads = RowCache::default();
        heads.insert(1, "a".into(), head(1, 10));
        heads.insert(2, "a".into(), head(2, 10));
        assert_eq!(heads.get(1, "a").unwrap().number, 1);
        assert_eq!(heads.remove(1, "a").unwrap().1.number, 1);
        assert!(heads.get(1, "a").is_none());
        assert_eq!(heads.get(2, "a").unwrap().number, 2);
    }

    #[test]
    fn clears_when_full() {
        let mut heads = RowCache::default();
        for number in 0..10_000 {
            heads.insert(1, format!("document-{number}").into(), head(number, 1024));
            assert!(heads.bytes <= BYTES_MAX);
        }
        assert!(heads.kinds[&1].len() < 4096);
        assert!(heads.get(1, "document-9999").is_some());
    }

    #[test]
    fn weighs_a_row_once() {
        let mut heads = RowCache::default();
        heads.insert(1, "a".into(), head(1, 10));
        let once = heads.bytes;
        heads.insert(1, "a".into(), head(1, 10));
        assert_eq!(heads.bytes, once);
        heads.remove(1, "a").unwrap();
        assert_eq!(heads.bytes, 0);
    }
}
