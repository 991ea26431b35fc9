//! Freezes all writes to a database while its last changes are copied elsewhere; and marks it as moved, or as
//! the target of a move.
//!
//! Writers wait for a lock on the tables that each change touches first, in whatever process; readers do not.
//! The lock is held by one transaction: if its process dies, writers continue. Otherwise that transaction
//! marks the projects as moved, and creates triggers that refuse every later write.

use std::{sync::Arc, time::Duration};

use deadpool_postgres::Object;
use kontor_auth::store::{ProjectRow, SystemContents};
use kontor_storage::{Error, Result};
use tokio::time::sleep;

use crate::{content::failed, database::Database, failure::is_transient, schema, server::ServerPool};

/// Number of attempts to lock, their timeout (in milliseconds: writers wait meanwhile), and the pause between
/// them.
const HOLD_TRIES_MAX: usize = 20;
const HOLD_WAIT_MS: u64 = 300;
const HOLD_AFTER: Duration = Duration::from_millis(100);

/// Tables of which every change writes one first.
const LOCKED_TABLES: &str = "kontor.heads, kontor.tokens, kontor.refresh_tokens, kontor.clients, kontor.operator_rows, kontor.projects, kontor.system";
/// Tables that refuse writes after a move.
const MOVED: [&str; 11] = [
    "heads",
    "documents",
    "records",
    "counters",
    "positions",
    "settings",
    "tokens",
    "refresh_tokens",
    "clients",
    "operator_rows",
    "projects",
];

/// A frozen database. Dropping it lets writers continue.
pub struct WriteFreeze {
    server: Arc<ServerPool>,
    client: Option<Object>,
}

impl std::fmt::Debug for WriteFreeze {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Hold").finish_non_exhaustive()
    }
}

impl WriteFreeze {
    /// Marks the projects as moved to a place, and releases the lock. From now on each change, and each read of the
    /// system's revision, fails with [`Error::Moved`].
    ///
    /// After [`Error::Unavailable`] the result is unknown: see [`Database::moved_to`].
    pub fn finish_moved(mut self, place: &str) -> Result<()> {
        let Some(client) = self.client.take() else { return Err(Error::Closed) };
        self.server.wait(async {
            let said = async {
                let sql = "UPDATE kontor.system SET moved_to = $1, revision = revision + 1";
                client.execute(sql, &[&place]).await?;
                for table in MOVED {
                    let sql = format!(
                        "CREATE TRIGGER has_moved BEFORE INSERT OR UPDATE OR DELETE ON kontor.{table}
                         FOR EACH STATEMENT EXECUTE FUNCTION kontor.refuse_what_moved()"
                    );
                    client.batch_execute(&sql).await?;
                }
                client.batch_execute("COMMIT").await
            };
            let said = said.await.map_err(failed);
            if said.is_err() {
                drop(Object::take(client));
            }
            said
        })
    }
}

impl Drop for WriteFreeze {
    fn drop(&mut self) {
        // The transaction ends with its connection.
        drop(self.client.take().map(Object::take));
    }
}

impl Database {
    /// Freezes writers. Fails if a running change takes long.
    pub fn freeze_writes(&self) -> Result<WriteFreeze> {
        let server = Arc::clone(self.server());
        let client = self.server().wait(async {
            let mut tried = 0;
            loop {
                tried += 1;
                match try_freeze(&server).await {
                    Err(error) if is_transient(&error) && tried < HOLD_TRIES_MAX => sleep(HOLD_AFTER).await,
                    other => return other,
                }
            }
        })?;
        Ok(WriteFreeze { server, client: Some(client) })
    }

    /// Returns where the projects of this database have moved to, if they have. Fails if the server cannot be reached.
    pub fn moved_to(&self) -> Result<Option<String>> {
        self.server().wait(self.server().read(async |client| {
            client.query_one("SELECT moved_to FROM kontor.system", &[]).await?.try_get(0)
        }))
    }

    /// Returns the id of the move to this database that has begun, as passed to [`begin_move`](Self::begin_move). Fails
    /// if the server cannot be reached.
    pub fn pending_move(&self) -> Result<Option<String>> {
        self.server().wait(self.server().read(async |client| {
            client.query_one("SELECT arriving FROM kontor.system", &[]).await?.try_get(0)
        }))
    }

    /// Begins a move to this database. Removes the remains of an earlier one. Fails with [`Error::Invalid`] if the
    /// database has projects, or had some that moved elsewhere.
    pub fn begin_move(&self, id: &str) -> Result<()> {
        self.server().wait(async {
            let mut client = self.server().client().await?;
            let transaction = client.transaction().await.map_err(failed)?;
            let sql = "LOCK TABLE kontor.projects IN SHARE ROW EXCLUSIVE MODE";
            transaction.batch_execute(sql).await.map_err(failed)?;
            let sql = "SELECT moved_to, (SELECT min(key) FROM kontor.projects) FROM kontor.system";
            let found = transaction.query_one(sql, &[]).await.map_err(failed)?;
            if let Some(place) = found.get::<_, Option<&str>>(0) {
                return Err(Error::Invalid(format!(
                    "the projects of the database {} have moved to {place}: take an empty one, or drop its schema kontor",
                    self.name()
                )));
            }
            if let Some(key) = found.get::<_, Option<&str>>(1) {
                let what = format!("the database {} has projects already, '{key}' for one", self.name());
                return Err(Error::Invalid(what));
            }
            let tables = schema::TABLES.iter().chain(&["heads", "clients", "tokens", "refresh_tokens", "operator_rows"]);
            for table in tables {
                let sql = format!("DELETE FROM kontor.{table}");
                transaction.batch_execute(&sql).await.map_err(failed)?;
            }
            let sql = "UPDATE kontor.system SET arriving = $1";
            transaction.execute(sql, &[&id]).await.map_err(failed)?;
            transaction.commit().await.map_err(failed)
        })
    }

    /// Ends a move to this database: from now on its projects are served. Returns true also if that has happened
    /// before, and false for another move. Fails if the server cannot be reached or refuses a statement.
    pub fn finish_move(&self, id: &str, projects: &[ProjectRow]) -> Result<bool> {
        self.server().wait(async {
            let mut client = self.server().client().await?;
            let transaction = client.transaction().await.map_err(failed)?;
            let sql = "UPDATE kontor.system SET arriving = NULL, revision = revision + 1 WHERE arriving = $1";
            if transaction.execute(sql, &[&id]).await.map_err(failed)? == 0 {
                let there =
                    transaction.query("SELECT key FROM kontor.projects", &[]).await.map_err(failed)?;
                return Ok(projects
                    .iter()
                    .all(|row| there.iter().any(|key| key.get::<_, &str>(0) == row.key)));
            }
            let contents = SystemContents { projects: projects.to_vec(), ..SystemContents::default() };
            crate::system_store::write(&transaction, &contents).await.map_err(failed)?;
            transaction.commit().await.map_err(failed)?;
            Ok(true)
        })
    }
}

async fn try_freeze(server: &ServerPool) -> Result<Object> {
    let client = server.visit_client().await?;
    let sql = format!(
        "BEGIN; SET LOCAL lock_timeout = {HOLD_WAIT_MS}; SET LOCAL statement_timeout = 0;
         SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE {LOCKED_TABLES} IN EXCLUSIVE MODE"
    );
    match client.batch_execute(&sql).await {
        Ok(()) => Ok(client),
        Err(error) => {
            drop(Object::take(client));
            Err(failed(error))
        }
    }
}
