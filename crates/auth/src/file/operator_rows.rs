//! Rows about operators in SQLite, and their changes. Start at [`apply`].

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::checksum;
use crate::store::{OperatorRow, OperatorRowKind, OperatorStep, OperatorStepsResult};

const COLUMNS: &str = "kind, key, owner, expires_at, value";

/// Returns all rows.
pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<OperatorRow>> {
    let sql = format!("SELECT {COLUMNS} FROM checked_operator_rows ORDER BY kind, key");
    let rows: Vec<_> = connection.prepare(&sql)?.query_map([], read)?.collect::<rusqlite::Result<_>>()?;
    Ok(rows.into_iter().flatten().collect())
}

/// Returns all rows of a type, by key.
pub(super) fn of_kind(connection: &Connection, kind: OperatorRowKind) -> rusqlite::Result<Vec<OperatorRow>> {
    let sql = format!("SELECT {COLUMNS} FROM checked_operator_rows WHERE kind = ?1 ORDER BY key");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows: Vec<_> = statement.query_map([kind.as_str()], read)?.collect::<rusqlite::Result<_>>()?;
    checksum::check_next_to_key(connection, kind.as_str(), "")?;
    Ok(rows.into_iter().flatten().collect())
}

/// Returns the row of a type with a key.
pub(super) fn find(
    connection: &Connection,
    kind: OperatorRowKind,
    key: &str,
) -> rusqlite::Result<Option<OperatorRow>> {
    let sql = format!("SELECT {COLUMNS} FROM checked_operator_rows WHERE kind = ?1 AND key = ?2");
    let found = connection.prepare_cached(&sql)?.query_row([kind.as_str(), key], read).optional()?;
    if found.is_none() {
        checksum::check_next_to_key(connection, kind.as_str(), key)?;
    }
    Ok(found.flatten())
}

/// Reads a row; `None` if it has a type of a later release.
fn read(row: &Row<'_>) -> rusqlite::Result<Option<OperatorRow>> {
    let kind: String = row.get(0)?;
    let Some(kind) = OperatorRowKind::parse(&kind) else { return Ok(None) };
    Ok(Some(OperatorRow {
        kind,
        key: row.get(1)?,
        owner: row.get(2)?,
        expires_at_ms: row.get(3)?,
        value: row.get(4)?,
    }))
}

/// Applies steps inside the open transaction: all of them, or none if a condition does not hold.
pub(super) fn apply(
    connection: &Connection,
    steps: &[OperatorStep],
) -> rusqlite::Result<OperatorStepsResult> {
    let mut result = OperatorStepsResult::default();
    for step in steps {
        if !is_condition_met(connection, step)? {
            return Ok(result);
        }
    }
    result.is_done = true;
    for step in steps {
        write(connection, step, &mut result)?;
    }
    Ok(result)
}

/// Returns whether the condition of a step holds.
fn is_condition_met(connection: &Connection, step: &OperatorStep) -> rusqlite::Result<bool> {
    if let OperatorStep::MustHaveNone(kind) = step {
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM checked_operator_rows WHERE kind = ?1)";
        return connection.prepare_cached(sql)?.query_row([kind.as_str()], |row| row.get(0));
    }
    let Some((kind, key)) = step.condition_row() else { return Ok(true) };
    Ok(step.holds_for(find(connection, kind, key)?.as_ref()))
}

fn write(
    connection: &Connection,
    step: &OperatorStep,
    result: &mut OperatorStepsResult,
) -> rusqlite::Result<()> {
    match step {
        OperatorStep::Insert(row) | OperatorStep::Put(row) | OperatorStep::Replace { row, .. } => {
            upsert_row(connection, row)?;
        }
        OperatorStep::Take { kind, key, .. } => {
            let sql = "DELETE FROM operator_rows WHERE kind = ?1 AND key = ?2";
            connection.prepare_cached(sql)?.execute([kind.as_str(), key])?;
            result.add_removed(*kind, [key.clone()]);
        }
        OperatorStep::RemoveAll { kind, owner } => {
            let sql = "DELETE FROM operator_rows WHERE kind = ?1 AND (?2 IS NULL OR owner = ?2)
                       RETURNING key";
            let mut statement = connection.prepare_cached(sql)?;
            let keys = statement.query_map(params![kind.as_str(), owner], |row| row.get(0))?;
            result.add_removed(*kind, keys.collect::<rusqlite::Result<Vec<_>>>()?);
        }
        OperatorStep::RemoveExpired { now_ms } => {
            let sql = "DELETE FROM operator_rows WHERE expires_at <= ?1";
            connection.prepare_cached(sql)?.execute([now_ms])?;
        }
        OperatorStep::Check { .. } | OperatorStep::MustHaveNone(_) => {}
    }
    Ok(())
}

/// Adds or replaces a row.
pub(super) fn upsert_row(connection: &Connection, row: &OperatorRow) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO operator_rows (kind, key, owner, expires_at, value) VALUES (?1, ?2, ?3, ?4, ?5)";
    let values = params![row.kind.as_str(), row.key, row.owner, row.expires_at_ms, row.value];
    connection.prepare_cached(sql)?.execute(values).map(drop)
}
