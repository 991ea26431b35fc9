//! Rows about operators in PostgreSQL, and their changes. Start at [`apply`].

use deadpool_postgres::Transaction;
use kontor_auth::store::{OperatorRow, OperatorRowKind, OperatorStep, OperatorStepsResult};
use tokio_postgres::Row;

use super::rows::{SystemResult, run_statement};

/// Selects all rows.
pub(super) const ALL: &str =
    "SELECT kind, key, owner, expires_at, value FROM kontor.operator_rows ORDER BY kind, key";
/// Selects the rows of a type.
pub(super) const OF_KIND: &str =
    "SELECT kind, key, owner, expires_at, value FROM kontor.operator_rows WHERE kind = $1 ORDER BY key";
/// Selects the row of a type with a key.
pub(super) const ONE: &str =
    "SELECT kind, key, owner, expires_at, value FROM kontor.operator_rows WHERE kind = $1 AND key = $2";

/// Reads rows; those with a type of a later release are left out.
pub(super) fn read_all(rows: &[Row]) -> SystemResult<Vec<OperatorRow>> {
    let read = |row: &Row| {
        let Some(kind) = OperatorRowKind::parse(row.try_get(0)?) else { return Ok(None) };
        Ok(Some(OperatorRow {
            kind,
            key: row.try_get(1)?,
            owner: row.try_get(2)?,
            expires_at_ms: row.try_get(3)?,
            value: row.try_get(4)?,
        }))
    };
    rows.iter().filter_map(|row| read(row).transpose()).collect()
}

/// Applies steps in a transaction: all of them, or none if a condition does not hold.
pub(super) async fn apply(
    transaction: &Transaction<'_>,
    steps: &[OperatorStep],
) -> SystemResult<OperatorStepsResult> {
    // Such changes are rare: one after the other, so that conditions still hold when the rows are written.
    let lock = "LOCK TABLE kontor.operator_rows IN SHARE ROW EXCLUSIVE MODE";
    transaction.batch_execute(lock).await?;
    let mut result = OperatorStepsResult::default();
    for step in steps {
        if !is_condition_met(transaction, step).await? {
            return Ok(result);
        }
    }
    result.is_done = true;
    for step in steps {
        write(transaction, step, &mut result).await?;
    }
    Ok(result)
}

async fn find(
    transaction: &Transaction<'_>,
    kind: OperatorRowKind,
    key: &str,
) -> SystemResult<Option<OperatorRow>> {
    let statement = transaction.prepare_cached(ONE).await?;
    Ok(read_all(&transaction.query(&statement, &[&kind.as_str(), &key]).await?)?.pop())
}

/// Returns whether the condition of a step holds.
async fn is_condition_met(transaction: &Transaction<'_>, step: &OperatorStep) -> SystemResult<bool> {
    if let OperatorStep::MustHaveNone(kind) = step {
        let statement = transaction.prepare_cached(OF_KIND).await?;
        return Ok(transaction.query(&statement, &[&kind.as_str()]).await?.is_empty());
    }
    let Some((kind, key)) = step.condition_row() else { return Ok(true) };
    Ok(step.holds_for(find(transaction, kind, key).await?.as_ref()))
}

async fn write(
    transaction: &Transaction<'_>,
    step: &OperatorStep,
    result: &mut OperatorStepsResult,
) -> SystemResult<()> {
    match step {
        OperatorStep::Insert(row) | OperatorStep::Put(row) | OperatorStep::Replace { row, .. } => {
            put(transaction, row).await?;
        }
        OperatorStep::Take { kind, key, .. } => {
            let sql = "DELETE FROM kontor.operator_rows WHERE kind = $1 AND key = $2";
            run_statement(transaction, sql, &[&kind.as_str(), key]).await?;
            result.add_removed(*kind, [key.clone()]);
        }
        OperatorStep::RemoveAll { kind, owner } => {
            let sql = "DELETE FROM kontor.operator_rows WHERE kind = $1 AND ($2::text IS NULL OR owner = $2)
                       RETURNING key";
            let statement = transaction.prepare_cached(sql).await?;
            let rows = transaction.query(&statement, &[&kind.as_str(), owner]).await?;
            let keys = rows.iter().map(|row| row.try_get(0)).collect::<SystemResult<Vec<String>>>()?;
            result.add_removed(*kind, keys);
        }
        OperatorStep::RemoveExpired { now_ms } => {
            let sql = "DELETE FROM kontor.operator_rows WHERE expires_at <= $1";
            run_statement(transaction, sql, &[now_ms]).await?;
        }
        OperatorStep::Check { .. } | OperatorStep::MustHaveNone(_) => {}
    }
    Ok(())
}

/// Adds or replaces a row.
pub(super) async fn put(transaction: &Transaction<'_>, row: &OperatorRow) -> SystemResult<()> {
    let sql =
        "INSERT INTO kontor.operator_rows (kind, key, owner, expires_at, value) VALUES ($1, $2, $3, $4, $5)
               ON CONFLICT (kind, key) DO UPDATE SET owner = $3, expires_at = $4, value = $5";
    run_statement(
        transaction,
        sql,
        &[&row.kind.as_str(), &row.key, &row.owner, &row.expires_at_ms, &row.value],
    )
    .await?;
    Ok(())
}
