//! The database: opens, creates and removes shops on a PostgreSQL server. Start at [`Database::open`].

use std::sync::Arc;

use kontor_storage::{Error, Result};

use crate::{
    DatabaseOptions, failure::failure, keeper_lease::renew_leases, listen_notify, open_shop::OpenShop,
    records, schema, server::ServerPool, storage::Postgres, system_store::PostgresSystem,
};

/// A database on a server. Clones share its connections.
#[derive(Clone)]
pub struct Database {
    server: Arc<ServerPool>,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Database")
            .field("server", &self.server.options.server())
            .finish_non_exhaustive()
    }
}

impl Database {
    /// Connects, and creates or migrates the tables if necessary. Blocks the thread.
    ///
    /// Fails if the server cannot be reached, and with [`Error::Invalid`] if a later release migrated the tables.
    pub fn open(options: DatabaseOptions) -> Result<Self> {
        let tls = options.tls().map_err(|error| Error::Invalid(error.to_string()))?;
        let server = Arc::new(ServerPool::new(options, tls.clone())?);
        server.wait(async {
            let mut client = server.client().await?;
            schema::prepare(&mut client).await
        })?;
        listen_notify::listen(&server, tls);
        Ok(Database { server })
    }

    /// Opens the shop of a project. Fails with [`Error::Invalid`] if it does not exist.
    pub fn storage(&self, project: &str) -> Result<Postgres> {
        let found = self.server.wait(self.server.read(async |client| {
            let sql = "SELECT seq FROM kontor.heads WHERE project = $1";
            client.query_opt(&client.prepare_cached(sql).await?, &[&project]).await
        }))?;
        let newest: i64 =
            found.ok_or_else(|| Error::Invalid(format!("there is no project {project}")))?.get(0);
        // Without the statement timeout: there may be millions of records to migrate, once.
        self.server.wait(async {
            let client = self.server.client().await?;
            records::migrate_documents(&client, project).await.map_err(|error| failure(&error))
        })?;
        let log = self.server.log_state(project, newest.unsigned_abs());
        self.server.wait(renew_leases(&self.server, std::slice::from_ref(&log)))?;
        Ok(Postgres { shop: Arc::new(OpenShop::new(Arc::clone(&self.server), log)) })
    }

    /// Opens the shop of a project; creates it if it does not exist. Fails if the server cannot be reached or refuses a
    /// statement.
    pub fn open_or_create(&self, project: &str) -> Result<Postgres> {
        self.server.wait(self.server.read(async |client| {
            // The epoch differs from that of earlier shops with this key, which other processes may still have open.
            let sql = "INSERT INTO kontor.heads (project, epoch)
                       VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) ON CONFLICT DO NOTHING";
            client.execute(sql, &[&project]).await
        }))?;
        self.storage(project)
    }

    /// Returns whether the shop of a project exists. Fails if the server cannot be reached.
    pub fn has_project(&self, project: &str) -> Result<bool> {
        let found = self.server.wait(self.server.read(async |client| {
            client.query_opt("SELECT FROM kontor.heads WHERE project = $1", &[&project]).await
        }))?;
        Ok(found.is_some())
    }

    /// Removes all data of a project. Fails if the server cannot be reached or refuses a statement; then nothing was
    /// removed.
    pub fn remove(&self, project: &str) -> Result<()> {
        self.server.forget_log(project);
        self.server.wait(async {
            let mut client = self.server.client().await?;
            let transaction = client.transaction().await.map_err(|error| failure(&error))?;
            let run = async |sql: String| {
                let done = transaction.execute(sql.as_str(), &[&project]).await;
                done.map_err(|error| failure(&error))
            };
            // The first statement, so that no process can write any more.
            run("DELETE FROM kontor.heads WHERE project = $1".to_owned()).await?;
            for table in schema::TABLES {
                run(format!("DELETE FROM kontor.{table} WHERE project = $1")).await?;
            }
            transaction.commit().await.map_err(|error| failure(&error))
        })
    }

    /// Fails if the server does not respond.
    pub fn check(&self) -> Result<()> {
        let response =
            self.server.wait(self.server.read(async |client| client.simple_query("SELECT 1").await));
        response.map(drop)
    }

    /// Returns the store of projects, clients and tokens.
    pub fn system_store(&self) -> PostgresSystem {
        PostgresSystem::new(Arc::clone(&self.server))
    }

    pub(crate) fn server(&self) -> &Arc<ServerPool> {
        &self.server
    }

    /// Returns the server and the database for messages, without the password.
    pub fn name(&self) -> String {
        self.server.options.server()
    }
}
