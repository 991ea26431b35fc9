//! The projects, clients and tokens of a server, for all processes that use the database.
//!
//! Each change is a transaction. Changes of data that other processes keep in memory (projects, clients,
//! tokens revoked before their expiry) raise a revision, which every process reads before it responds from
//! memory.

mod changes;
mod contents;
mod operator_rows;
mod rows;

pub(crate) use contents::write;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use kontor_auth::{
    Error, Result,
    store::{
        ClientRow, OperatorRow, OperatorRowKind, ProjectRow, PublishHook, RefreshRow, RevisionFuture,
        SecretHash, SystemChange, SystemChangeFuture, SystemContents, SystemStore, TokenRow,
    },
};
use tokio::{sync::oneshot, task::spawn_blocking};
use tokio_postgres::{Row, types::ToSql};

use crate::{
    server::ServerPool,
    text::{escape, is_plain},
};

/// The store of projects, clients and tokens in a database.
pub struct PostgresSystem {
    server: Arc<ServerPool>,
    /// The maximum number of refresh tokens of a project, as of the last change.
    refresh_tokens_max: Arc<AtomicU64>,
}

/// Converts a storage failure to one of the auth store.
fn failed(error: kontor_storage::Error) -> Error {
    match error {
        kontor_storage::Error::Full => Error::Full,
        kontor_storage::Error::Busy => Error::Busy,
        kontor_storage::Error::Closed => Error::Closed,
        kontor_storage::Error::Moved(place) => Error::Moved(place),
        kontor_storage::Error::Unavailable(text) => Error::Unavailable(text),
        other => Error::Server(other.to_string().into()),
    }
}

fn damaged(error: tokio_postgres::Error) -> Error {
    failed(crate::failure::failure(&error))
}

impl PostgresSystem {
    /// Creates the store on a server.
    pub(crate) fn new(server: Arc<ServerPool>) -> Self {
        PostgresSystem { server, refresh_tokens_max: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    /// Updates clients and tokens from the previously written state to the current one, for a copy that
    /// follows. Projects stay unchanged. Fails if the server cannot be reached or refuses a statement.
    pub fn follow(&self, before: &SystemContents, now: &SystemContents) -> Result<()> {
        self.server.wait(contents::follow(&self.server, before, now)).map_err(failed)
    }

    /// Writes everything into a database. Fails if it has a project.
    pub fn fill(&self, contents: &SystemContents) -> Result<()> {
        self.server.wait(contents::fill(&self.server, contents)).map_err(failed)
    }

    fn rows(&self, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        let read = async |client: &deadpool_postgres::Object| {
            client.query(&client.prepare_cached(sql).await?, parameters).await
        };
        self.server.wait(self.server.read(read)).map_err(failed)
    }
}

impl SystemStore for PostgresSystem {
    fn all(&self) -> Result<(Vec<ProjectRow>, Vec<ClientRow>)> {
        let projects = self.rows(rows::PROJECTS, &[])?;
        let clients = self.rows(rows::CLIENTS, &[])?;
        let projects = projects.iter().map(rows::project).collect::<std::result::Result<_, _>>();
        let clients = clients.iter().map(rows::client).collect::<std::result::Result<_, _>>();
        Ok((projects.map_err(damaged)?, clients.map_err(damaged)?))
    }

    fn last_used_days(&self, project_key: &str) -> Result<Vec<(i64, i64)>> {
        let sql = "SELECT serial, last_used_day FROM kontor.clients WHERE project = $1 AND last_used_day IS NOT NULL";
        let rows = self.rows(sql, &[&project_key])?;
        let days = rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
        days.collect::<std::result::Result<_, _>>().map_err(damaged)
    }

    fn token(&self, hash: &SecretHash) -> Result<Option<TokenRow>> {
        let rows = self.rows(rows::TOKEN, &[&&hash.0[..]])?;
        rows.first().map(rows::token).transpose().map_err(damaged)
    }

    fn refresh_token(&self, hash: &SecretHash) -> Result<Option<RefreshRow>> {
        let rows = self.rows(rows::REFRESH_TOKEN, &[&&hash.0[..]])?;
        rows.first().map(rows::refresh_token).transpose().map_err(damaged)
    }

    fn is_session(&self, project_key: &str, anonymous_id: &str, now_ms: i64) -> Result<bool> {
        if !is_plain(project_key) {
            return Ok(false);
        }
        let sql = "SELECT FROM kontor.refresh_tokens
                   WHERE project = $1 AND anonymous_id = $2 AND expires_at > $3";
        Ok(!self.rows(sql, &[&project_key, &&*escape(anonymous_id), &now_ms])?.is_empty())
    }

    fn refresh_tokens(&self, project_key: &str) -> Result<u64> {
        let rows =
            self.rows("SELECT count(*) FROM kontor.refresh_tokens WHERE project = $1", &[&project_key])?;
        Ok(rows.first().map_or(0, |row| row.get::<_, i64>(0).unsigned_abs()))
    }

    fn operator_rows(&self, kind: OperatorRowKind) -> Result<Vec<OperatorRow>> {
        let rows = self.rows(operator_rows::OF_KIND, &[&kind.as_str()])?;
        operator_rows::read_all(&rows).map_err(damaged)
    }

    fn operator_row(&self, kind: OperatorRowKind, key: &str) -> Result<Option<OperatorRow>> {
        if !is_plain(key) {
            return Ok(None);
        }
        let rows = self.rows(operator_rows::ONE, &[&kind.as_str(), &key])?;
        Ok(operator_rows::read_all(&rows).map_err(damaged)?.pop())
    }

    fn change(&self, change: SystemChange, publish: PublishHook) -> SystemChangeFuture {
        let (response, receiver) = oneshot::channel();
        let server = Arc::clone(&self.server);
        if let SystemChange::Issue(new) = &change {
            self.refresh_tokens_max.store(new.refresh_tokens_max, Ordering::Relaxed);
        }
        let refresh_tokens_max = self.refresh_tokens_max.load(Ordering::Relaxed);
        self.server.spawn(async move {
            let changed = match changes::commit_change(&server, &change, refresh_tokens_max).await {
                // Not on a thread that drives connections: a lock that `publish` needs may be held by a
                // thread that waits for a result.
                Ok(changed) => spawn_blocking(move || {
                    publish(&changed);
                    changed
                })
                .await
                .map_err(|_| Error::Closed),
                Err(error) => Err(failed(error)),
            };
            // The caller may have gone; the change is valid all the same.
            let _ = response.send(changed);
        });
        Box::pin(async move { receiver.await.unwrap_or(Err(Error::Closed)) })
    }

    fn revision(&self) -> Option<RevisionFuture<'_>> {
        let server = Arc::clone(&self.server);
        let (response, receiver) = oneshot::channel();
        Some(Box::pin(async move {
            // Runs on the threads of the connections: the caller may drop its future at any time.
            let asking = Arc::clone(&server);
            server.spawn(async move {
                let _ = response.send(changes::revision(&asking).await.map_err(failed));
            });
            receiver.await.unwrap_or(Err(Error::Closed))
        }))
    }

    fn backup(&self, to: &Path) -> Result<()> {
        self.server.wait(contents::read(&self.server)).map_err(failed)?.write_file(to)
    }
}
