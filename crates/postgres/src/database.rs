//! A server that is spoken to: its connections, and the threads that drive them.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime as PoolRuntime};
use kontor_storage::{Error, Result};
use parking_lot::Mutex;
use tokio::{
    runtime::{Builder, Handle, Runtime},
    time::timeout,
};

use crate::{
    DatabaseOptions, Postgres,
    failure::{failure, is_passing, no_connection},
    heard::{self, Notices},
    paths::Paths,
    schema,
    storage::Shop,
    wait::wait,
};

/// Threads that drive connections. They move bytes and wake others.
const THREADS: usize = 2;

/// How long a caller waits for a connection, and for the answer to one statement.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The share of the connections that long visits of many documents may take: the documents that are asked for in between need
/// others.
const VISITS_SHARE: usize = 4;

/// A database on a server. Cloning it is sharing it.
#[derive(Clone)]
pub struct Database {
    pub(crate) server: Arc<Server>,
}

/// What all shops on a server share.
pub(crate) struct Server {
    pub(crate) options: DatabaseOptions,
    pub(crate) paths: Paths,
    pub(crate) notices: Notices,
    /// The shops that are open here.
    shops: Mutex<HashMap<String, Weak<Shop>>>,
    pool: Pool,
    visits: Pool,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
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
    /// Connects, and makes the tables where they are not there or of an earlier release. Holds the thread meanwhile.
    ///
    /// Fails where the server cannot be reached, and with [`Error::Invalid`] where the tables are of a later release.
    pub fn open(options: DatabaseOptions) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("kontor-postgres")
            .enable_all()
            .build()
            .map_err(|error| Error::Unavailable(format!("no threads for connections: {error}").into()))?;
        let handle = runtime.handle().clone();
        let tls = options.tls().map_err(|error| Error::Invalid(error.to_string()))?;
        let pool = |connections: usize| {
            // The transaction of whoever had a connection before has ended, or the connection is gone.
            let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
            let manager = Manager::from_config(options.config(), tls.clone(), manager);
            Pool::builder(manager)
                .max_size(connections.max(1))
                .runtime(PoolRuntime::Tokio1)
                .wait_timeout(Some(CONNECTION_TIMEOUT))
                .create_timeout(Some(CONNECTION_TIMEOUT))
                .build()
                .map_err(|error| Error::Invalid(error.to_string()))
        };
        let visits = (options.connections / VISITS_SHARE).max(1);
        let server = Arc::new(Server {
            pool: pool(options.connections.saturating_sub(visits))?,
            visits: pool(visits)?,
            paths: Paths::default(),
            notices: Notices::default(),
            shops: Mutex::default(),
            handle,
            runtime: Mutex::new(Some(runtime)),
            options,
        });
        server.wait(async {
            let mut client = server.client().await?;
            schema::prepare(&mut client).await
        })?;
        heard::listen(&server, tls);
        Ok(Database { server })
    }

    /// The shop of a project, which must be there.
    pub fn storage(&self, project: &str) -> Result<Postgres> {
        let found = self.server.wait(self.server.read(async |client| {
            let sql = "SELECT seq FROM kontor.heads WHERE project = $1";
            client.query_opt(&client.prepare_cached(sql).await?, &[&project]).await
        }))?;
        let newest = found.ok_or_else(|| Error::Invalid(format!("there is no project {project}")))?.get(0);
        Ok(Postgres { shop: self.server.shop(project, newest) })
    }

    /// The shop of a project, made where it is not there yet.
    pub fn make(&self, project: &str) -> Result<Postgres> {
        self.server.wait(self.server.read(async |client| {
            let sql = "INSERT INTO kontor.heads (project) VALUES ($1) ON CONFLICT DO NOTHING";
            client.execute(sql, &[&project]).await
        }))?;
        self.storage(project)
    }

    /// Whether the shop of a project is there.
    pub fn has(&self, project: &str) -> Result<bool> {
        let found = self.server.wait(self.server.read(async |client| {
            client.query_opt("SELECT FROM kontor.heads WHERE project = $1", &[&project]).await
        }))?;
        Ok(found.is_some())
    }

    /// Removes everything of a project.
    pub fn remove(&self, project: &str) -> Result<()> {
        self.server.shops.lock().remove(project);
        self.server.wait(async {
            let mut client = self.server.client().await?;
            let transaction = client.transaction().await.map_err(|error| failure(&error))?;
            let run = async |sql: String| {
                let done = transaction.execute(sql.as_str(), &[&project]).await;
                done.map_err(|error| failure(&error))
            };
            // First, so that nobody writes any more.
            run("DELETE FROM kontor.heads WHERE project = $1".to_owned()).await?;
            for table in schema::TABLES {
                run(format!("DELETE FROM kontor.{table} WHERE project = $1")).await?;
            }
            transaction.commit().await.map_err(|error| failure(&error))
        })
    }

    /// Whether the server answers.
    pub fn check(&self) -> Result<()> {
        let answered =
            self.server.wait(self.server.read(async |client| client.simple_query("SELECT 1").await));
        answered.map(drop)
    }

    /// The server and the database, for people.
    pub fn name(&self) -> String {
        self.server.options.server()
    }
}

impl Server {
    /// Holds the thread until the future is done.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        wait(&self.handle, future)
    }

    /// Lets something go on beside the callers.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.handle.spawn(task);
    }

    /// A connection.
    pub(crate) async fn client(&self) -> Result<Object> {
        self.pool.get().await.map_err(|error| no_connection(&error))
    }

    /// A connection for a visit of many documents.
    pub(crate) async fn visit_client(&self) -> Result<Object> {
        self.visits.get().await.map_err(|error| no_connection(&error))
    }

    /// Reads by one connection, and by another one where the first is gone: a server that was started again has closed all.
    pub(crate) async fn read<T>(
        &self,
        read: impl AsyncFn(&Object) -> std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        let mut tried = 0;
        loop {
            let client = self.client().await?;
            let answer = timeout(ANSWER_TIMEOUT, read(&client)).await;
            let failed = match answer {
                Ok(Ok(found)) => return Ok(found),
                Ok(Err(error)) => failure(&error),
                Err(_) => {
                    // Its answer may still come, and is nobody's.
                    drop(Object::take(client));
                    return Err(Error::Unavailable("it does not answer".into()));
                }
            };
            tried += 1;
            // As many as may have been closed together.
            if !is_passing(&failed) || !client.is_closed() || tried > self.options.connections {
                return Err(failed);
            }
        }
    }

    /// The shop of a project: one for all who opened it here.
    fn shop(self: &Arc<Self>, project: &str, newest: i64) -> Arc<Shop> {
        let mut shops = self.shops.lock();
        if let Some(shop) = shops.get(project).and_then(Weak::upgrade) {
            return shop;
        }
        let shop = Arc::new(Shop::new(Arc::clone(self), project, newest.unsigned_abs()));
        shops.insert(project.to_owned(), Arc::downgrade(&shop));
        shop
    }

    /// The shops that are open here.
    pub(crate) fn open_shops(&self) -> Vec<Arc<Shop>> {
        let mut shops = self.shops.lock();
        shops.retain(|_, shop| shop.strong_count() > 0);
        shops.values().filter_map(Weak::upgrade).collect()
    }

    /// The shop of a project that is open here.
    pub(crate) fn open_shop(&self, project: &str) -> Option<Arc<Shop>> {
        self.shops.lock().get(project).and_then(Weak::upgrade)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.lock().take() {
            // Not waited for: it may be one of its own threads that comes here.
            runtime.shutdown_background();
        }
    }
}
