//! The writer's statements. Each is looked up once in a transaction: finding a prepared statement by its text for each
//! document costs about as much as running it.

use rusqlite::{CachedStatement, Connection};

use crate::{Error, Result};

/// A statement of the writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sql {
    FindDocument,
    InsertDocument,
    UpdateDocument,
    DeleteDocument,
    InsertChanges,
    InsertUnique,
    DeleteUnique,
    InsertIndexed,
    DeleteIndexed,
    FindCount,
    SetCount,
    InsertRecord,
}

/// The number of statements.
const STATEMENTS: usize = Sql::InsertRecord as usize + 1;

impl Sql {
    /// Returns the SQL text.
    pub(super) fn text(self) -> &'static str {
        match self {
            Sql::FindDocument => {
                "SELECT number, version, revision, entries, record, sum FROM documents
                 WHERE kind = ?1 AND id = ?2"
            }
            Sql::InsertDocument => {
                "INSERT INTO documents (kind, id, version, revision, sequence, entries, body, record, sum)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
            }
            Sql::UpdateDocument => {
                "UPDATE documents
                 SET version = ?2, revision = ?3, sequence = ?4, entries = ?5, body = ?6, record = ?7, sum = ?8
                 WHERE number = ?1"
            }
            Sql::DeleteDocument => "DELETE FROM documents WHERE number = ?1",
            Sql::InsertChanges => "INSERT INTO changes (last, entries, sum) VALUES (?1, ?2, ?3)",
            Sql::InsertUnique => {
                "INSERT INTO unique_keys (kind, path, value, id) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO NOTHING"
            }
            Sql::DeleteUnique => {
                "DELETE FROM unique_keys WHERE kind = ?1 AND path = ?2 AND value = ?3 AND id = ?4"
            }
            Sql::InsertIndexed => "INSERT INTO indexed (kind, path, value, id) VALUES (?1, ?2, ?3, ?4)",
            Sql::DeleteIndexed => {
                "DELETE FROM indexed WHERE kind = ?1 AND path = ?2 AND value = ?3 AND id = ?4"
            }
            Sql::FindCount => "SELECT documents, sum FROM counts WHERE kind = ?1",
            Sql::SetCount => {
                "INSERT INTO counts (kind, documents, sum) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET documents = excluded.documents, sum = excluded.sum"
            }
            Sql::InsertRecord => {
                "INSERT INTO records (number, previous, kind, id, body, sum)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO NOTHING"
            }
        }
    }
}

/// The prepared statements of one transaction.
pub(super) struct Statements<'t> {
    connection: &'t Connection,
    found: [Option<CachedStatement<'t>>; STATEMENTS],
}

impl<'t> Statements<'t> {
    /// Starts without prepared statements.
    pub(super) fn new(connection: &'t Connection) -> Self {
        Statements { connection, found: [const { None }; STATEMENTS] }
    }

    /// Returns a statement, prepared at the first call.
    pub(super) fn get(&mut self, sql: Sql) -> Result<&mut CachedStatement<'t>> {
        let place = &mut self.found[sql as usize];
        if place.is_none() {
            *place = Some(self.connection.prepare_cached(sql.text())?);
        }
        place.as_mut().ok_or(Error::Closed)
    }
}
