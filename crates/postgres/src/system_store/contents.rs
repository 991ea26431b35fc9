//! All projects, clients and tokens at once: reads them for a backup, and writes them to an empty database.

use std::collections::HashSet;

use deadpool_postgres::Transaction;
use kontor_auth::store::{ClientRow, ProjectRow, SecretHash, StoredRefreshToken, SystemContents, TokenRow};
use kontor_storage::{Error, Result};

use super::{
    operator_rows,
    rows::{self, SystemResult},
};
use crate::{content::begin_snapshot, failure::failure, server::ServerPool, text::escape};

/// Number of rows written at once.
const BATCH_ROWS: usize = 1_000;

/// Reads everything from one snapshot.
pub(super) async fn read(server: &ServerPool) -> Result<SystemContents> {
    let mut client = server.visit_client().await?;
    let read = async {
        let transaction = begin_snapshot(&mut client).await?;
        let rows = async |sql: &str| transaction.query(sql, &[]).await;
        let projects = rows(rows::PROJECTS).await?.iter().map(rows::project).collect::<SystemResult<_>>()?;
        let clients = rows(rows::CLIENTS).await?.iter().map(rows::client).collect::<SystemResult<_>>()?;
        let tokens = rows(
            "SELECT client, scope, issued_at, expires_at, customer_id, anonymous_id, store_key, refresh, hash
             FROM kontor.tokens WHERE client IN (SELECT serial FROM kontor.clients)",
        )
        .await?;
        let tokens = tokens.iter().map(|row| Ok((rows::hash(row.try_get(8)?), rows::token(row)?)));
        let refresh_tokens = rows(
            "SELECT client, scope, expires_at, customer_id, anonymous_id, store_key, hash, issued_at, last_used_at
             FROM kontor.refresh_tokens WHERE client IN (SELECT serial FROM kontor.clients)",
        )
        .await?;
        let refresh_tokens = refresh_tokens.iter().map(|row| {
            Ok(StoredRefreshToken {
                hash: rows::hash(row.try_get(6)?),
                row: rows::refresh_token(row)?,
                issued_at_ms: row.try_get(7)?,
                last_used_at_ms: row.try_get(8)?,
            })
        });
        let operators = rows(operator_rows::ALL).await?;
        Ok(SystemContents {
            operator_rows: operator_rows::read_all(&operators)?,
            projects,
            clients,
            tokens: tokens.collect::<SystemResult<_>>()?,
            refresh_tokens: refresh_tokens.collect::<SystemResult<_>>()?,
        })
    };
    let read: SystemResult<SystemContents> = read.await;
    read.map_err(|error| failure(&error))
}

/// Writes everything into a database without projects.
pub(super) async fn fill(server: &ServerPool, contents: &SystemContents) -> Result<()> {
    let mut client = server.client().await?;
    let transaction = client.transaction().await.map_err(|error| failure(&error))?;
    let taken = async {
        // A concurrent creation of a project and this wait for each other.
        transaction.execute("LOCK TABLE kontor.projects IN SHARE ROW EXCLUSIVE MODE", &[]).await?;
        transaction.query_opt("SELECT key FROM kontor.projects LIMIT 1", &[]).await
    };
    if let Some(row) = taken.await.map_err(|error| failure(&error))? {
        let key: &str = row.get(0);
        return Err(Error::Invalid(format!("the database has projects already, {key} for one")));
    }
    let written = async {
        write(&transaction, contents).await?;
        transaction.execute("UPDATE kontor.system SET revision = revision + 1", &[]).await?;
        transaction.commit().await
    };
    written.await.map_err(|error| failure(&error))
}

/// Updates clients, operators and tokens to the current ones. Only changed tokens are written.
pub(super) async fn follow(server: &ServerPool, before: &SystemContents, now: &SystemContents) -> Result<()> {
    let mut client = server.client().await?;
    let followed = async {
        let transaction = client.transaction().await?;
        transaction.execute("DELETE FROM kontor.clients", &[]).await?;
        transaction.execute("DELETE FROM kontor.operator_rows", &[]).await?;
        let tokens: HashSet<_> = before.tokens.iter().map(|(hash, _)| hash.0).collect();
        let new: Vec<_> = now.tokens.iter().filter(|(hash, _)| !tokens.contains(&hash.0)).cloned().collect();
        let still: HashSet<_> = now.tokens.iter().map(|(hash, _)| hash.0).collect();
        let gone: Vec<&[u8]> = tokens.difference(&still).map(|hash| &hash[..]).collect();
        transaction.execute("DELETE FROM kontor.tokens WHERE hash = ANY ($1)", &[&gone]).await?;
        let used = |kept: &StoredRefreshToken| (kept.hash.0, kept.last_used_at_ms, kept.row.expires_at_ms);
        let refresh_tokens: HashSet<_> = before.refresh_tokens.iter().map(used).collect();
        let still: HashSet<_> = now.refresh_tokens.iter().map(used).collect();
        let gone: Vec<&[u8]> = refresh_tokens.difference(&still).map(|(hash, ..)| &hash[..]).collect();
        transaction.execute("DELETE FROM kontor.refresh_tokens WHERE hash = ANY ($1)", &[&gone]).await?;
        let used_now = now.refresh_tokens.iter().filter(|kept| !refresh_tokens.contains(&used(kept)));
        let contents = SystemContents {
            projects: Vec::new(),
            clients: now.clients.clone(),
            tokens: new,
            refresh_tokens: used_now.cloned().collect(),
            operator_rows: now.operator_rows.clone(),
        };
        write(&transaction, &contents).await?;
        transaction.commit().await
    };
    followed.await.map_err(|error| failure(&error))
}

/// Writes projects, clients and tokens.
pub(crate) async fn write(transaction: &Transaction<'_>, contents: &SystemContents) -> SystemResult<()> {
    for ProjectRow { key, name, created_at_ms } in &contents.projects {
        let sql = "INSERT INTO kontor.projects (key, name, created_at) VALUES ($1, $2, $3)";
        transaction.execute(sql, &[key, &&*escape(name), created_at_ms]).await?;
    }
    for client in &contents.clients {
        write_client(transaction, client).await?;
    }
    let sql =
        "SELECT setval(pg_get_serial_sequence('kontor.clients', 'serial'), max(serial)) FROM kontor.clients
               HAVING max(serial) IS NOT NULL";
    transaction.execute(sql, &[]).await?;
    for tokens in contents.tokens.chunks(BATCH_ROWS) {
        write_tokens(transaction, tokens).await?;
    }
    for tokens in contents.refresh_tokens.chunks(BATCH_ROWS) {
        write_refresh_tokens(transaction, tokens).await?;
    }
    for row in &contents.operator_rows {
        operator_rows::put(transaction, row).await?;
    }
    Ok(())
}

async fn write_client(transaction: &Transaction<'_>, row: &ClientRow) -> SystemResult<()> {
    let ClientRow { serial, client, last_used_day } = row;
    let sql = "
        INSERT INTO kontor.clients (serial, id, project, name, secret_hash, scope, created_at, delete_at,
                                    access_token_validity_s, refresh_token_validity_s, last_used_day)
        OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let written = transaction
        .execute(
            &transaction.prepare_cached(sql).await?,
            &[
                serial,
                &&*escape(&client.id),
                &client.project_key,
                &&*escape(&client.name),
                &&client.secret_hash.0[..],
                &&*escape(&client.scope),
                &client.created_at_ms,
                &client.delete_at_ms,
                &client.access_token_validity_s,
                &client.refresh_token_validity_s,
                last_used_day,
            ],
        )
        .await;
    written.map(drop)
}

async fn write_tokens(transaction: &Transaction<'_>, tokens: &[(SecretHash, TokenRow)]) -> SystemResult<()> {
    let sql = "
        INSERT INTO kontor.tokens (project, hash, client, scope, issued_at, expires_at, customer_id, anonymous_id,
                                   store_key, refresh)
        SELECT c.project, n.* FROM unnest($1::bytea[], $2::int8[], $3::text[], $4::int8[], $5::int8[], $6::text[],
            $7::text[], $8::text[], $9::bytea[]) n (hash, client, scope, issued_at, expires_at, customer_id,
            anonymous_id, store_key, refresh)
        JOIN kontor.clients c ON c.serial = n.client";
    let texts = |of: fn(&TokenRow) -> &Option<String>| -> Vec<Option<String>> {
        tokens.iter().map(|(_, row)| text(of(row))).collect()
    };
    let numbers = |of: fn(&TokenRow) -> i64| -> Vec<i64> { tokens.iter().map(|(_, row)| of(row)).collect() };
    let hashes: Vec<&[u8]> = tokens.iter().map(|(hash, _)| &hash.0[..]).collect();
    let refresh: Vec<Option<&[u8]>> =
        tokens.iter().map(|(_, row)| row.refresh.as_ref().map(|hash| &hash.0[..])).collect();
    let written = transaction
        .execute(
            &transaction.prepare_cached(sql).await?,
            &[
                &hashes,
                &numbers(|row| row.client_serial),
                &texts(|row| &row.scope),
                &numbers(|row| row.issued_at_ms),
                &numbers(|row| row.expires_at_ms),
                &texts(|row| &row.customer_id),
                &texts(|row| &row.anonymous_id),
                &texts(|row| &row.store_key),
                &refresh,
            ],
        )
        .await;
    written.map(drop)
}

async fn write_refresh_tokens(
    transaction: &Transaction<'_>,
    tokens: &[StoredRefreshToken],
) -> SystemResult<()> {
    let sql = "
        INSERT INTO kontor.refresh_tokens (project, hash, client, scope, issued_at, last_used_at, expires_at,
                                           customer_id, anonymous_id, store_key)
        SELECT c.project, n.* FROM unnest($1::bytea[], $2::int8[], $3::text[], $4::int8[], $5::int8[], $6::int8[],
            $7::text[], $8::text[], $9::text[]) n (hash, client, scope, issued_at, last_used_at, expires_at,
            customer_id, anonymous_id, store_key)
        JOIN kontor.clients c ON c.serial = n.client";
    let texts = |of: fn(&StoredRefreshToken) -> &Option<String>| -> Vec<Option<String>> {
        tokens.iter().map(|kept| text(of(kept))).collect()
    };
    let numbers = |of: fn(&StoredRefreshToken) -> i64| -> Vec<i64> { tokens.iter().map(of).collect() };
    let hashes: Vec<&[u8]> = tokens.iter().map(|kept| &kept.hash.0[..]).collect();
    let written = transaction
        .execute(
            &transaction.prepare_cached(sql).await?,
            &[
                &hashes,
                &numbers(|kept| kept.row.client_serial),
                &texts(|kept| &kept.row.scope),
                &numbers(|kept| kept.issued_at_ms),
                &numbers(|kept| kept.last_used_at_ms),
                &numbers(|kept| kept.row.expires_at_ms),
                &texts(|kept| &kept.row.customer_id),
                &texts(|kept| &kept.row.anonymous_id),
                &texts(|kept| &kept.row.store_key),
            ],
        )
        .await;
    written.map(drop)
}

fn text(text: &Option<String>) -> Option<String> {
    text.as_deref().map(|text| escape(text).into_owned())
}
