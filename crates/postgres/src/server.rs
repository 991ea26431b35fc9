//! The connections to a server, and the threads that drive them.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime as PoolRuntime};
use kontor_storage::{Error, Result, Seq};
use parking_lot::Mutex;
use tokio::{
    runtime::{Builder, Handle, Runtime},
    time::timeout,
};
use tokio_postgres::{Row, types::ToSql};
use tokio_postgres_rustls::MakeRustlsConnect;
use uuid::Uuid;

use crate::{
    DatabaseOptions,
    failure::{failure, is_passing, no_connection},
    log_state::LogState,
    notices::Notices,
    paths::Paths,
    wait::wait,
};

/// Threads that drive connections. They move bytes and wake others.
const THREADS: usize = 2;

/// The timeouts for getting a connection, and for one statement.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The share of the connections for long scans of many documents: requests during such a scan need others.
const VISITS_SHARE: usize = 4;

/// The state shared by all shops on a server.
pub(crate) struct Server {
    pub(crate) options: DatabaseOptions,
    /// The name of this process among others.
    pub(crate) process: String,
    pub(crate) paths: Paths,
    pub(crate) notices: Notices,
    /// Of the shops that are open here.
    logs: Mutex<HashMap<String, Weak<LogState>>>,
    pool: Pool,
    visits: Pool,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
}

impl Server {
    /// Connections to be made when they are needed.
    pub(crate) fn new(options: DatabaseOptions, tls: MakeRustlsConnect) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("kontor-postgres")
            .enable_all()
            .build()
            .map_err(|error| Error::Unavailable(format!("no threads for connections: {error}").into()))?;
        let handle = runtime.handle().clone();
        let pool = |connections: usize| {
            // The previous user's transaction of a connection has ended, or the connection is closed.
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
        Ok(Server {
            pool: pool(options.connections.saturating_sub(visits))?,
            visits: pool(visits)?,
            process: Uuid::new_v4().to_string(),
            paths: Paths::default(),
            notices: Notices::default(),
            logs: Mutex::default(),
            handle,
            runtime: Mutex::new(Some(runtime)),
            options,
        })
    }

    /// Holds the thread until the future is done.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        wait(&self.handle, future)
    }

    /// Spawns a background task.
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
                    // Its result may still arrive and would be misread.
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

    /// Returns the rows of one statement. Unlike [`read`](Self::read) for background tasks, which retry
    /// anyway.
    pub(crate) async fn rows(&self, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        let client = self.client().await?;
        let rows = async { client.query(&client.prepare_cached(sql).await?, parameters).await };
        match timeout(ANSWER_TIMEOUT, rows).await {
            Ok(answer) => answer.map_err(|error| failure(&error)),
            Err(_) => {
                drop(Object::take(client));
                Err(Error::Unavailable("it does not answer".into()))
            }
        }
    }

    /// Where the log of a project stands: one for all who opened it here.
    pub(crate) fn log_state(&self, project: &str, newest: Seq) -> Arc<LogState> {
        let mut logs = self.logs.lock();
        if let Some(log) = logs.get(project).and_then(Weak::upgrade) {
            return log;
        }
        let log = Arc::new(LogState::new(project, newest));
        logs.insert(project.to_owned(), Arc::downgrade(&log));
        log
    }

    /// The next opening of the project gets a new log state.
    pub(crate) fn forget_log(&self, project: &str) {
        self.logs.lock().remove(project);
    }

    /// The logs of the shops that are open here.
    pub(crate) fn open_logs(&self) -> Vec<Arc<LogState>> {
        let mut logs = self.logs.lock();
        logs.retain(|_, log| log.strong_count() > 0);
        logs.values().filter_map(Weak::upgrade).collect()
    }

    /// The log of a project that is open here.
    pub(crate) fn open_log(&self, project: &str) -> Option<Arc<LogState>> {
        self.logs.lock().get(project).and_then(Weak::upgrade)
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
