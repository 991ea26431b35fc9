//! Inserts documents of another storage with their revisions into a shop that lacks them, many at once.

use kontor_storage::{Put, Result};
use tokio_postgres::Transaction;

use super::{
    group_reads::StoredState,
    required_rows::rows,
    write::{INSERT_DOCUMENTS, INSERT_INDEXED, bodies},
    writes::{DocumentColumns, GroupWrites},
};
use crate::{failure::failure, paths::PathNumbering};

/// If two documents seem to have a key, the later one has it: the earlier one has lost it, and will be written again.
const INSERT_UNIQUE: &str = "
    INSERT INTO kontor.unique_keys AS u (project, path, value, id)
    SELECT $1, n.* FROM unnest($2::int4[], $3::text[], $4::text[]) n
    ON CONFLICT (project, path, value) DO UPDATE SET id = excluded.id";

/// Writes documents with their revisions, and their rows. The numbers of the paths must be known.
pub(crate) async fn insert_documents(
    transaction: &Transaction<'_>,
    paths: &PathNumbering,
    project: &str,
    documents: &[(Put, i64)],
) -> Result<()> {
    let mut writes = GroupWrites::default();
    for (put, revision) in documents {
        let stored = StoredState { version: put.version, revision: *revision, rows: rows(paths, put)? };
        writes.document((&put.kind, &put.id), None, Some((&stored, put)));
    }
    let bodies = bodies(&writes.inserted)?;
    let DocumentColumns { kinds, ids, versions, revisions, sequences, entries, .. } = &writes.inserted;
    let written = transaction
        .execute(INSERT_DOCUMENTS, &[&project, kinds, ids, versions, revisions, sequences, entries, &bodies])
        .await;
    written.map_err(|error| failure(&error))?;
    for (sql, rows) in [(INSERT_UNIQUE, &writes.unique_added), (INSERT_INDEXED, &writes.indexed_added)] {
        let values: Vec<&str> = rows.values.iter().map(|value| &**value).collect();
        let written = transaction.execute(sql, &[&project, &rows.paths, &values, &rows.ids]).await;
        written.map_err(|error| failure(&error))?;
    }
    Ok(())
}
