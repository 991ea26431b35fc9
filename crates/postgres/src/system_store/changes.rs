//! Changes of projects, clients and tokens, each in one transaction. Start at `make`.

use deadpool_postgres::{Object, Transaction};
use futures_util::future::try_join;
use kontor_auth::store::{
    IssueResult, NewClient, NewToken, RefreshChange, RefreshRow, SecretHash, SystemChange, SystemChangeResult,
};
use kontor_storage::{Error, Result};
use tokio::time::timeout;
use tokio_postgres::types::ToSql;

use super::{
    operator_rows,
    rows::{SystemResult, hash, run_statement},
};
use crate::{
    failure::failure,
    server::{ANSWER_TIMEOUT, ServerPool},
    text::escape,
};

/// The timeouts for a stalled process and for waiting on other transactions.
const LIMITS: &str = "SET LOCAL idle_in_transaction_session_timeout = '5s'; SET LOCAL lock_timeout = '10s'";

/// Raises the revision of data that processes keep in memory.
const RAISE: &str = "UPDATE kontor.system SET revision = revision + 1";

/// Returns the revision that [`RAISE`] raises.
pub(super) async fn revision(server: &ServerPool) -> Result<u64> {
    let client = server.client().await?;
    let read = async {
        let statement = client.prepare_cached("SELECT revision, moved_to FROM kontor.system").await?;
        let row = client.query_one(&statement, &[]).await?;
        Ok((row.try_get::<_, i64>(0)?, row.try_get::<_, Option<String>>(1)?))
    };
    match timeout(ANSWER_TIMEOUT, read).await {
        Ok(Ok((revision, None))) => Ok(revision.unsigned_abs()),
        Ok(Ok((_, Some(place)))) => Err(Error::Moved(place.into())),
        Ok(Err(error)) => Err(failure(&error)),
        Err(_) => {
            drop(Object::take(client));
            Err(Error::Unavailable("it does not respond".into()))
        }
    }
}

/// Makes a change in a transaction, and returns its result.
pub(super) async fn commit_change(
    server: &ServerPool,
    change: &SystemChange,
    refresh_tokens_max: u64,
) -> Result<SystemChangeResult> {
    let mut client = server.client().await?;
    let made = async {
        let transaction = client.transaction().await?;
        // Sent together with the first statement.
        let limited = transaction.batch_execute(LIMITS);
        let ((), changed) = try_join(limited, apply(&transaction, change, refresh_tokens_max)).await?;
        if affects_caches(change, &changed) {
            transaction.execute(RAISE, &[]).await?;
        }
        transaction.commit().await?;
        Ok(changed)
    };
    let made: std::result::Result<SystemResult<SystemChangeResult>, _> = timeout(ANSWER_TIMEOUT, made).await;
    match made {
        Ok(made) => made.map_err(|error| failure(&error)),
        Err(_) => {
            drop(Object::take(client));
            Err(Error::Unavailable("it does not respond".into()))
        }
    }
}

/// Returns whether the change affects data that other processes cache.
fn affects_caches(change: &SystemChange, changed: &SystemChangeResult) -> bool {
    match (change, changed) {
        (SystemChange::Issue(_) | SystemChange::Sweep { .. }, _) => false,
        (_, SystemChangeResult::Done(done)) => *done,
        (_, SystemChangeResult::Ended(ended)) => !ended.is_empty(),
        // Only tokens are kept in memory.
        (_, SystemChangeResult::Operators(result)) => !result.ended.is_empty(),
        _ => true,
    }
}

async fn apply(
    transaction: &Transaction<'_>,
    change: &SystemChange,
    refresh_tokens_max: u64,
) -> SystemResult<SystemChangeResult> {
    Ok(match change {
        SystemChange::AddProject(row) => {
            let sql = "INSERT INTO kontor.projects (key, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
            let row: &[&(dyn ToSql + Sync)] = &[&row.key, &&*escape(&row.name), &row.created_at_ms];
            SystemChangeResult::Done(run_statement(transaction, sql, row).await? > 0)
        }
        SystemChange::RemoveProject(key) => {
            let sql = "INSERT INTO kontor.ended_clients SELECT serial FROM kontor.clients WHERE project = $1";
            run_statement(transaction, sql, &[key]).await?;
            run_statement(transaction, "DELETE FROM kontor.clients WHERE project = $1", &[key]).await?;
            let sql = "DELETE FROM kontor.projects WHERE key = $1";
            SystemChangeResult::Done(run_statement(transaction, sql, &[key]).await? > 0)
        }
        SystemChange::AddClient(row) => SystemChangeResult::Added(add_client(transaction, row).await?),
        SystemChange::RemoveClient(serial) => {
            let is_there =
                run_statement(transaction, "DELETE FROM kontor.clients WHERE serial = $1", &[serial]).await?
                    > 0;
            if is_there {
                run_statement(transaction, "INSERT INTO kontor.ended_clients VALUES ($1)", &[serial]).await?;
            }
            SystemChangeResult::Done(is_there)
        }
        SystemChange::SetSecret { client, hash } => {
            let sql = "UPDATE kontor.clients SET secret_hash = $2 WHERE serial = $1";
            SystemChangeResult::Done(run_statement(transaction, sql, &[client, &bytes(hash)]).await? > 0)
        }
        SystemChange::Issue(new) => SystemChangeResult::Issued(issue(transaction, new).await?),
        SystemChange::Revoke { hash, client } => {
            SystemChangeResult::Ended(revoke(transaction, hash, *client).await?)
        }
        SystemChange::EndCustomer { project_key, customer_id } => {
            let customer = escape(customer_id);
            lock_customer(transaction, project_key, &customer).await?;
            let sql = "DELETE FROM kontor.refresh_tokens WHERE project = $1 AND customer_id = $2";
            run_statement(transaction, sql, &[project_key, &&*customer]).await?;
            let sql = "DELETE FROM kontor.tokens WHERE project = $1 AND customer_id = $2 RETURNING hash";
            SystemChangeResult::Ended(hashes(transaction, sql, &[project_key, &&*customer]).await?)
        }
        SystemChange::Operators(steps) => {
            SystemChangeResult::Operators(operator_rows::apply(transaction, steps).await?)
        }
        SystemChange::Sweep { project_key, now_ms, limit } => SystemChangeResult::Swept(
            sweep(transaction, project_key, *now_ms, *limit, refresh_tokens_max).await?,
        ),
    })
}

/// Adds a client. Returns `None` if the id is taken or the project was removed.
async fn add_client(transaction: &Transaction<'_>, row: &NewClient) -> SystemResult<Option<i64>> {
    let sql = "
        INSERT INTO kontor.clients (id, project, name, secret_hash, scope, created_at, delete_at,
                                    access_token_validity_s, refresh_token_validity_s)
        SELECT $1, p.key, $3, $4, $5, $6, $7, $8, $9 FROM kontor.projects p WHERE p.key = $2 FOR KEY SHARE
        ON CONFLICT DO NOTHING RETURNING serial";
    let statement = transaction.prepare_cached(sql).await?;
    let found = transaction
        .query_opt(
            &statement,
            &[
                &&*escape(&row.id),
                &row.project_key,
                &&*escape(&row.name),
                &bytes(&row.secret_hash),
                &&*escape(&row.scope),
                &row.created_at_ms,
                &row.delete_at_ms,
                &row.access_token_validity_s,
                &row.refresh_token_validity_s,
            ],
        )
        .await?;
    found.map(|row| row.try_get(0)).transpose()
}

async fn issue(transaction: &Transaction<'_>, new: &NewToken) -> SystemResult<IssueResult> {
    if let Some(customer) = &new.token.customer_id {
        // Revocations of the Customer's tokens run before or after this.
        lock_customer(transaction, &new.project_key, &escape(customer)).await?;
    }
    match &new.refresh {
        RefreshChange::None => {}
        RefreshChange::Used(hash, expires_at_ms) => {
            let sql = "UPDATE kontor.refresh_tokens SET last_used_at = $2, expires_at = $3 WHERE hash = $1";
            if run_statement(transaction, sql, &[&bytes(hash), &new.now_ms, expires_at_ms]).await? == 0 {
                return Ok(IssueResult::SessionGone);
            }
        }
        RefreshChange::New(hash, row) => {
            if let Some(issued) = begin_session(transaction, new, hash, row).await? {
                return Ok(issued);
            }
        }
    }
    let token = &new.token;
    let sql = "
        INSERT INTO kontor.tokens (hash, project, client, scope, issued_at, expires_at,
                                   customer_id, anonymous_id, store_key, refresh)
        SELECT $1, c.project, c.serial, $3, $4, $5, $6, $7, $8, $9 FROM kontor.clients c
        WHERE c.serial = $2 FOR KEY SHARE";
    let written = run_statement(
        transaction,
        sql,
        &[
            &bytes(&new.hash),
            &token.client_serial,
            &text(&token.scope),
            &token.issued_at_ms,
            &token.expires_at_ms,
            &text(&token.customer_id),
            &text(&token.anonymous_id),
            &text(&token.store_key),
            &token.refresh.as_ref().map(bytes),
        ],
    )
    .await?;
    if written == 0 {
        return Ok(IssueResult::ClientGone);
    }
    if let Some(day) = new.used_day {
        let sql = "UPDATE kontor.clients SET last_used_day = $2
                   WHERE serial = $1 AND (last_used_day IS NULL OR last_used_day < $2)";
        run_statement(transaction, sql, &[&token.client_serial, &day]).await?;
    }
    Ok(IssueResult::Written)
}

/// Writes a new refresh token. Returns why, if that is impossible.
async fn begin_session(
    transaction: &Transaction<'_>,
    new: &NewToken,
    hash: &SecretHash,
    row: &RefreshRow,
) -> SystemResult<Option<IssueResult>> {
    if row.anonymous_id.is_some() {
        let sql =
            "DELETE FROM kontor.refresh_tokens WHERE project = $1 AND anonymous_id = $2 AND expires_at <= $3";
        run_statement(transaction, sql, &[&new.project_key, &text(&row.anonymous_id), &new.now_ms]).await?;
    }
    let sql = "SELECT FROM kontor.clients WHERE serial = $1 FOR KEY SHARE";
    if run_statement(transaction, sql, &[&row.client_serial]).await? == 0 {
        return Ok(Some(IssueResult::ClientGone));
    }
    // Another process may begin a session with the same id now: the unique index lets only one succeed.
    let sql = "
        INSERT INTO kontor.refresh_tokens (hash, project, client, scope, issued_at, last_used_at, expires_at,
                                           customer_id, anonymous_id, store_key)
        VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING";
    let written = run_statement(
        transaction,
        sql,
        &[
            &bytes(hash),
            &new.project_key,
            &row.client_serial,
            &text(&row.scope),
            &new.now_ms,
            &row.expires_at_ms,
            &text(&row.customer_id),
            &text(&row.anonymous_id),
            &text(&row.store_key),
        ],
    )
    .await?;
    Ok((written == 0).then_some(IssueResult::AnonymousIdInUse))
}

async fn revoke(
    transaction: &Transaction<'_>,
    token: &SecretHash,
    client: i64,
) -> SystemResult<Vec<SecretHash>> {
    let token_bytes = bytes(token);
    let sql = "DELETE FROM kontor.tokens WHERE hash = $1 AND client = $2";
    if run_statement(transaction, sql, &[&token_bytes, &client]).await? > 0 {
        return Ok(vec![*token]);
    }
    let sql = "DELETE FROM kontor.refresh_tokens WHERE hash = $1 AND client = $2";
    if run_statement(transaction, sql, &[&token_bytes, &client]).await? > 0 {
        let sql = "DELETE FROM kontor.tokens WHERE refresh = $1 RETURNING hash";
        return hashes(transaction, sql, &[&token_bytes]).await;
    }
    Ok(Vec::new())
}

/// Deletes expired tokens, and the least recently used refresh tokens beyond the maximum of a project.
async fn sweep(
    transaction: &Transaction<'_>,
    project: &str,
    now_ms: i64,
    limit: usize,
    refresh_tokens_max: u64,
) -> SystemResult<[usize; 4]> {
    let rows = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut removed = [0; 4];
    for (place, table) in ["tokens", "refresh_tokens"].into_iter().enumerate() {
        let expired = format!(
            "DELETE FROM kontor.{table} WHERE hash IN (
                 SELECT hash FROM kontor.{table} WHERE project = $1 AND expires_at <= $2
                 LIMIT $3 FOR UPDATE SKIP LOCKED)"
        );
        removed[place] = count(run_statement(transaction, &expired, &[&project, &now_ms, &rows]).await?);
        let ended = format!(
            "DELETE FROM kontor.{table} WHERE hash IN (
                 SELECT t.hash FROM kontor.ended_clients e JOIN kontor.{table} t ON t.client = e.serial
                 LIMIT $1 FOR UPDATE OF t SKIP LOCKED)"
        );
        removed[place + 2] = count(run_statement(transaction, &ended, &[&rows]).await?);
    }
    if removed.iter().skip(2).all(|ended| *ended == 0) {
        let sql = "DELETE FROM kontor.ended_clients e
                   WHERE NOT EXISTS (SELECT FROM kontor.tokens t WHERE t.client = e.serial)
                   AND NOT EXISTS (SELECT FROM kontor.refresh_tokens t WHERE t.client = e.serial)";
        run_statement(transaction, sql, &[]).await?;
    }
    if let Ok(most) = i64::try_from(refresh_tokens_max) {
        let sql = "DELETE FROM kontor.refresh_tokens WHERE hash IN (
                       SELECT hash FROM kontor.refresh_tokens WHERE project = $1 ORDER BY last_used_at LIMIT greatest(0,
                           (SELECT count(*) FROM kontor.refresh_tokens WHERE project = $1) - $2))";
        run_statement(transaction, sql, &[&project, &most]).await?;
    }
    Ok(removed)
}

/// Locks the tokens of a Customer for this transaction.
async fn lock_customer(transaction: &Transaction<'_>, project: &str, customer: &str) -> SystemResult<()> {
    let name = format!("{project}/{customer}");
    run_statement(transaction, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", &[&name]).await?;
    Ok(())
}

async fn hashes(
    transaction: &Transaction<'_>,
    sql: &str,
    row: &[&(dyn ToSql + Sync)],
) -> SystemResult<Vec<SecretHash>> {
    let statement = transaction.prepare_cached(sql).await?;
    let rows = transaction.query(&statement, row).await?;
    rows.iter().map(|row| row.try_get(0).map(hash)).collect()
}

fn bytes(hash: &SecretHash) -> Vec<u8> {
    hash.0.to_vec()
}

fn text(text: &Option<String>) -> Option<String> {
    text.as_deref().map(|text| escape(text).into_owned())
}

fn count(rows: u64) -> usize {
    usize::try_from(rows).unwrap_or(usize::MAX)
}
