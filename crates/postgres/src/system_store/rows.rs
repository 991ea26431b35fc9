//! Reads rows of projects, clients and tokens.

use deadpool_postgres::Transaction;
use kontor_auth::store::{ClientRow, NewClient, ProjectRow, RefreshRow, SecretHash, TokenRow};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use crate::text::unescape;

/// The result of a statement or a transaction.
pub(super) type SystemResult<T> = Result<T, Error>;

/// Selects all projects.
pub(super) const PROJECTS: &str = "SELECT key, name, created_at FROM kontor.projects ORDER BY key";
/// Selects all clients.
pub(super) const CLIENTS: &str = "
    SELECT serial, last_used_day, id, project, name, secret_hash, scope, created_at, delete_at,
           access_token_validity_s, refresh_token_validity_s
    FROM kontor.clients ORDER BY serial";
/// Selects the access token with a hash.
pub(super) const TOKEN: &str = "
    SELECT client, scope, issued_at, expires_at, customer_id, anonymous_id, store_key, refresh
    FROM kontor.tokens WHERE hash = $1";
/// Selects the refresh token with a hash.
pub(super) const REFRESH_TOKEN: &str = "
    SELECT client, scope, expires_at, customer_id, anonymous_id, store_key
    FROM kontor.refresh_tokens WHERE hash = $1";

pub(super) fn project(row: &Row) -> Result<ProjectRow, Error> {
    let name = unescape(row.try_get(1)?);
    Ok(ProjectRow { key: row.try_get(0)?, name, created_at_ms: row.try_get(2)? })
}

pub(super) fn client(row: &Row) -> Result<ClientRow, Error> {
    Ok(ClientRow {
        serial: row.try_get(0)?,
        last_used_day: row.try_get(1)?,
        client: NewClient {
            id: unescape(row.try_get(2)?),
            project_key: row.try_get(3)?,
            name: unescape(row.try_get(4)?),
            secret_hash: hash(row.try_get(5)?),
            scope: unescape(row.try_get(6)?),
            created_at_ms: row.try_get(7)?,
            delete_at_ms: row.try_get(8)?,
            access_token_validity_s: row.try_get(9)?,
            refresh_token_validity_s: row.try_get(10)?,
        },
    })
}

pub(super) fn token(row: &Row) -> Result<TokenRow, Error> {
    Ok(TokenRow {
        client_serial: row.try_get(0)?,
        scope: text(row, 1)?,
        issued_at_ms: row.try_get(2)?,
        expires_at_ms: row.try_get(3)?,
        customer_id: text(row, 4)?,
        anonymous_id: text(row, 5)?,
        store_key: text(row, 6)?,
        refresh: row.try_get::<_, Option<&[u8]>>(7)?.map(hash),
    })
}

pub(super) fn refresh_token(row: &Row) -> Result<RefreshRow, Error> {
    Ok(RefreshRow {
        client_serial: row.try_get(0)?,
        scope: text(row, 1)?,
        expires_at_ms: row.try_get(2)?,
        customer_id: text(row, 3)?,
        anonymous_id: text(row, 4)?,
        store_key: text(row, 5)?,
    })
}

/// Converts a hash. One of a wrong length becomes a hash that no secret has.
pub(super) fn hash(bytes: &[u8]) -> SecretHash {
    SecretHash(bytes.try_into().unwrap_or_default())
}

fn text(row: &Row, column: usize) -> Result<Option<String>, Error> {
    Ok(row.try_get::<_, Option<&str>>(column)?.map(unescape))
}

/// Runs a statement and returns how many rows it changed.
pub(super) async fn run_statement(
    transaction: &Transaction<'_>,
    sql: &str,
    row: &[&(dyn ToSql + Sync)],
) -> SystemResult<u64> {
    let statement = transaction.prepare_cached(sql).await?;
    transaction.execute(&statement, row).await
}
