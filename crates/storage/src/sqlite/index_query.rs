//! Index queries of the SQLite storage: chooses between the cache and the file, and handles deferred rows.

use std::ops::ControlFlow;

use rusqlite::Connection;

use super::{
    Sqlite, cached_index_visit,
    index_reads::{self, NumberedPath},
    position::to_sqlite_integer,
    reads,
};
use crate::{IndexPage, IndexRange, Result, StoredDocumentRef};

/// An index query: a path and a range of values.
pub(super) struct IndexQuery<'q> {
    pub(super) sqlite: &'q Sqlite,
    pub(super) place: NumberedPath,
    /// Whether rows of the path may be deferred.
    pub(super) is_deferrable: bool,
    pub(super) range: &'q IndexRange,
}

impl IndexQuery<'_> {
    /// Returns the ids of the matches.
    pub(super) fn find(&self, page: &IndexPage) -> Result<Vec<String>> {
        let mut ids = Vec::new();
        let find = |connection: &Connection| {
            index_reads::visit_ids(connection, self.place, self.range, page, &mut |id| {
                ids.push(id.to_owned());
                Ok(ControlFlow::Continue(()))
            })
        };
        match self.range {
            _ if self.is_deferrable => self.sqlite.read_with_rows(self.place, find)?,
            IndexRange::In(values) if values.len() > 1 => self.sqlite.read_snapshot(find)?,
            // A single statement sees one snapshot by itself.
            _ => self.sqlite.read(find)?,
        }
        Ok(ids)
    }

    /// Visits the matching documents.
    pub(super) fn visit(
        &self,
        page: &IndexPage,
        visit: &mut dyn FnMut(StoredDocumentRef<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let Self { sqlite, place, is_deferrable, range } = *self;
        if !is_deferrable && cached_index_visit::visit(sqlite, place, range, page, visit)? {
            return Ok(());
        }
        // Read before the snapshot opens, which therefore contains at least this change.
        let seq = to_sqlite_integer(*sqlite.shared.newest.borrow());
        let in_memory = |id: &str| sqlite.shared.cache.document_of_snapshot(place.kind, id, seq);
        let read = |connection: &Connection| {
            index_reads::visit_ids(connection, place, range, page, &mut |id| match in_memory(id) {
                Some(document) => Ok(visit(document.borrowed(id))),
                None => reads::visit_document(connection, place, id, visit),
            })
        };
        match is_deferrable {
            true => sqlite.read_with_rows(place, read),
            false => sqlite.read_snapshot(read),
        }
    }

    /// Counts the matches up to `cap`.
    pub(super) fn count(&self, cap: u64) -> Result<u64> {
        let count = |connection: &Connection| index_reads::count(connection, self.place, self.range, cap);
        match self.is_deferrable {
            true => self.sqlite.read_with_rows(self.place, count),
            false => self.sqlite.read(count),
        }
    }
}
