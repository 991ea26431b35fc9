//! The pool of connections to a server, and the threads that drive them.

use std::{
    collections::HashMap,
    pin::{Pin, pin},
    sync::{Arc, Weak},
    time::Duration,
};

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime as PoolRuntime};
use kontor_storage::{Error, Result, Seq};
use parking_lot::Mutex;
use tokio::{
    runtime::{Builder, Handle, Runtime, RuntimeFlavor},
    time::timeout,
};
use tokio_postgres::{Row, types::ToSql};
use tokio_postgres_rustls::MakeRustlsConnect;
use uuid::Uuid;

use crate::{
    DatabaseOptions,
    failure::{failure, is_transient, no_connection},
    notices::Notices,
    paths::PathNumbering,
    shop_log::ShopLog,
};

/// Number of threads that drive connections. They only move bytes and wake other threads.
const THREADS: usize = 2;

/// The timeouts for getting a connection, and for one statement.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// One in this many connections may be used for long scans: requests during a scan need others.
const VISITS_SHARE: usize = 4;

/// The state shared by all shops on a server.
pub(crate) struct ServerPool {
    pub(crate) options: DatabaseOptions,
    /// The name of this process, for leases.
    pub(crate) process: String,
    pub(crate) paths: PathNumbering,
    pub(crate) notices: Notices,
    /// The log states of the open shops, by project.
    logs: Mutex<HashMap<String, Weak<ShopLog>>>,
    pool: Pool,
    visits: Pool,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
}

impl ServerPool {
    /// Creates the pool. Connections are opened when they are needed.
    pub(crate) fn new(options: DatabaseOptions, tls: MakeRustlsConnect) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("kontor-postgres")
            .enable_all()
            .build()
            .map_err(|error| Error::Unavailable(format!("no threads for connections: {error}").into()))?;
        let handle = runtime.handle().clone();
        let pool = |connections: usize| {
            // Checks nothing: the previous user's transaction has ended, or the connection is closed.
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
        Ok(ServerPool {
            pool: pool(options.connections.saturating_sub(visits))?,
            visits: pool(visits)?,
            process: Uuid::new_v4().to_string(),
            paths: PathNumbering::default(),
            notices: Notices::default(),
            logs: Mutex::default(),
            handle,
            runtime: Mutex::new(Some(runtime)),
            options,
        })
    }

    /// Blocks the thread until the future is done.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        wait(&self.handle, future)
    }

    /// Spawns a background task.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.handle.spawn(task);
    }

    /// Returns a connection.
    pub(crate) async fn client(&self) -> Result<Object> {
        self.pool.get().await.map_err(|error| no_connection(&error))
    }

    /// Returns a connection for a scan of many documents.
    pub(crate) async fn visit_client(&self) -> Result<Object> {
        self.visits.get().await.map_err(|error| no_connection(&error))
    }

    /// Runs a read, and retries it on another connection if the first one is closed: after a restart of the server all
    /// are.
    pub(crate) async fn read<T>(
        &self,
        read: impl AsyncFn(&Object) -> std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        let mut tried = 0;
        loop {
            let client = self.client().await?;
            let response = timeout(ANSWER_TIMEOUT, read(&client)).await;
            let failed = match response {
                Ok(Ok(found)) => return Ok(found),
                Ok(Err(error)) => failure(&error),
                Err(_) => {
                    // A late result would be misread as that of the next statement.
                    drop(Object::take(client));
                    return Err(Error::Unavailable("it does not respond".into()));
                }
            };
            tried += 1;
            // As many retries as connections that may have been closed together.
            if !is_transient(&failed) || !client.is_closed() || tried > self.options.connections {
                return Err(failed);
            }
        }
    }

    /// Returns the rows of one statement. Without the retries of [`read`](Self::read): for background tasks, which
    /// retry anyway.
    pub(crate) async fn rows(&self, sql: &str, parameters: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        let client = self.client().await?;
        let rows = async { client.query(&client.prepare_cached(sql).await?, parameters).await };
        match timeout(ANSWER_TIMEOUT, rows).await {
            Ok(response) => response.map_err(|error| failure(&error)),
            Err(_) => {
                drop(Object::take(client));
                Err(Error::Unavailable("it does not respond".into()))
            }
        }
    }

    /// Returns the log state of a project, which all users of the shop in this process share.
    pub(crate) fn log_state(&self, project: &str, newest: Seq) -> Arc<ShopLog> {
        let mut logs = self.logs.lock();
        if let Some(log) = logs.get(project).and_then(Weak::upgrade) {
            return log;
        }
        let log = Arc::new(ShopLog::new(project, newest));
        logs.insert(project.to_owned(), Arc::downgrade(&log));
        log
    }

    /// Drops the log state of a project: the next user of the shop gets a new one.
    pub(crate) fn forget_log(&self, project: &str) {
        self.logs.lock().remove(project);
    }

    /// Returns the log states of the open shops.
    pub(crate) fn open_logs(&self) -> Vec<Arc<ShopLog>> {
        let mut logs = self.logs.lock();
        logs.retain(|_, log| log.strong_count() > 0);
        logs.values().filter_map(Weak::upgrade).collect()
    }

    /// Returns the log state of a project, if its shop is open.
    pub(crate) fn open_log(&self, project: &str) -> Option<Arc<ShopLog>> {
        self.logs.lock().get(project).and_then(Weak::upgrade)
    }
}

impl Drop for ServerPool {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.lock().take() {
            // In the background: this thread may be one of the runtime's own.
            runtime.shutdown_background();
        }
    }
}

/// Blocks the thread until the future is done: the threads of the pool drive the connections, so the blocked thread only
/// has to be woken. Its timers and connections belong to `runtime`. On a multi-threaded
/// runtime, other tasks of the thread move to another thread meanwhile.
fn wait<T>(runtime: &Handle, future: impl Future<Output = T>) -> T {
    wait_for(runtime, pin!(future))
}

/// The same without generics over futures: compiled once for each result type, of which there are fewer.
fn wait_for<T>(runtime: &Handle, future: Pin<&mut dyn Future<Output = T>>) -> T {
    let block = || {
        let _inside = runtime.enter();
        pollster::block_on(future)
    };
    match Handle::try_current().map(|current| current.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(block),
        _ => block(),
    }
}
