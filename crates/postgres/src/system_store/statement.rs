//! Runs a prepared statement in a transaction.

use deadpool_postgres::Transaction;
use tokio_postgres::types::ToSql;

use super::rows::SystemResult;

/// Runs a statement and returns how many rows it changed.
pub(super) async fn run(
    transaction: &Transaction<'_>,
    sql: &str,
    row: &[&(dyn ToSql + Sync)],
) -> SystemResult<u64> {
    let statement = transaction.prepare_cached(sql).await?;
    transaction.execute(&statement, row).await
}
