//! Checks the preconditions of a commit: those on the former documents before its writes, all others after them.

use rusqlite::{Connection, OptionalExtension};

use super::{
    document_counts::DocumentCounts, entries::index_value, name_number::NameNumber,
    name_table::WriterNameTable, provisional_revisions::ProvisionalRevisions, reads,
};
use crate::{CommitError, CommitRefusal, DocumentState, IndexValue, Precondition, Result};

type CheckResult = std::result::Result<(), CommitError>;

/// Checks the preconditions on documents before the writes. `found` looks up a document.
pub(super) fn check_before<'c>(
    names: &WriterNameTable,
    provisional: &ProvisionalRevisions,
    preconditions: &'c [Precondition],
    found: &mut dyn FnMut(NameNumber, &'c str) -> Result<Option<DocumentState>>,
) -> CheckResult {
    for (which, precondition) in preconditions.iter().enumerate() {
        let (kind, id, wanted) = match precondition {
            Precondition::Absent { kind, id } => (kind, id, None),
            Precondition::Revision { kind, id, revision } => (kind, id, Some(*revision)),
            _ => continue,
        };
        let found = match names.get(kind) {
            Some(kind) => found(kind, id)?,
            None => None,
        };
        let is_so = match (found, wanted) {
            (Some(found), Some(wanted)) => provisional.matches(found.revision, wanted),
            (found, wanted) => found.is_none() && wanted.is_none(),
        };
        if !is_so {
            return refuse(which, found, None);
        }
    }
    Ok(())
}

/// Checks the preconditions on the result of the writes. The index rows that they need must not be deferred.
pub(super) fn check_after(
    connection: &Connection,
    names: &WriterNameTable,
    preconditions: &[Precondition],
    counted: &DocumentCounts,
) -> CheckResult {
    for (which, precondition) in preconditions.iter().enumerate() {
        match precondition {
            Precondition::Absent { .. } | Precondition::Revision { .. } => {}
            Precondition::Exists { kind, id } => {
                let found = match names.get(kind) {
                    Some(kind) => document_state(connection, kind, id)?,
                    None => None,
                };
                if found.is_none() {
                    return refuse(which, None, None);
                }
            }
            Precondition::ExistsUnique { kind, path, value } => {
                let holder = match (names.get(kind), names.get(path)) {
                    (Some(kind), Some(path)) => reads::unique_holder_id(connection, kind, path, value)?,
                    _ => None,
                };
                if holder.is_none() {
                    return refuse(which, None, None);
                }
            }
            Precondition::NotReferenced { kind, path, value } => {
                indexed_at_most(connection, names, which, (kind, path, value), 0)?;
            }
            Precondition::IndexedAtMost { kind, path, value, limit } => {
                indexed_at_most(connection, names, which, (kind, path, value), *limit)?;
            }
            Precondition::CountAtMost { kind, limit } => {
                let count = match names.get(kind) {
                    Some(kind) => {
                        reads::count(connection, kind)?.saturating_add_signed(counted.added_of(kind))
                    }
                    None => 0,
                };
                if count > *limit {
                    return refuse(which, None, None);
                }
            }
        }
    }
    Ok(())
}

/// Refuses the commit if more than `limit` documents have the value, and names the first one beyond the limit.
fn indexed_at_most(
    connection: &Connection,
    names: &WriterNameTable,
    which: usize,
    (kind, path, value): (&str, &str, &IndexValue),
    limit: u64,
) -> CheckResult {
    let (Some(kind), Some(path)) = (names.get(kind), names.get(path)) else { return Ok(()) };
    match nth_holder(connection, kind, path, value, limit)? {
        Some(holder) => refuse(which, None, Some(holder)),
        None => Ok(()),
    }
}

fn nth_holder(
    connection: &Connection,
    kind: NameNumber,
    path: NameNumber,
    value: &IndexValue,
    n: u64,
) -> Result<Option<String>> {
    let Some(value) = index_value(value) else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT id FROM indexed WHERE kind = ?1 AND path = ?2 AND value = ?3
         ORDER BY id LIMIT 1 OFFSET ?4",
    )?;
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    Ok(statement.query_row((kind, path, value, n), |row| row.get(0)).optional()?)
}

fn refuse(index: usize, current_state: Option<DocumentState>, holder: Option<String>) -> CheckResult {
    Err(CommitRefusal::Precondition { index, current_state, holder }.into())
}

/// Returns version and revision of a document, if it exists.
fn document_state(connection: &Connection, kind: NameNumber, id: &str) -> Result<Option<DocumentState>> {
    let mut statement =
        connection.prepare_cached("SELECT version, revision FROM documents WHERE kind = ?1 AND id = ?2")?;
    Ok(statement
        .query_row((kind, id), |row| Ok(DocumentState { version: row.get(0)?, revision: row.get(1)? }))
        .optional()?)
}
