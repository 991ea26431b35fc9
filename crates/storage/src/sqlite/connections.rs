//! The connections to one file: their configuration, and the pool of connections for readers ([`ConnectionPool`]).

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rusqlite::{Connection, InterruptHandle, config::DbConfig};

use super::{
    Durability,
    file_watch::{FileWatch, OpenConnection},
    schema,
};
use crate::{Error, Result};

/// How long a statement waits for a lock of another connection. In WAL mode readers and the writer do not block each
/// other; only closing the last connection and truncating the log block, for moments.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of the file that are memory-mapped; SQLite's maximum.
const MMAP_BYTES: i64 = 0x7fff_0000;

/// Page cache of a reader in KiB, in addition to the mapping.
const READER_CACHE_KIB: i64 = 512;

/// Page cache of the writer in KiB.
const WRITER_CACHE_KIB: i64 = 8192;

/// Maximum number of prepared statements cached by a connection.
const STATEMENTS_MAX: usize = 64;

/// Maximum number of idle connections in the pool; under load more are opened, and closed afterwards.
const IDLE_MAX: usize = 16;

/// How long closing waits for interrupted readers. They notice it at their next row.
const CLOSE_WAIT: Duration = Duration::from_millis(400);

/// Interval of the interruptions.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(5);

/// The purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Reads and checkpoints.
    Reader,
    /// Writes. There is one writer at a time.
    Writer,
}

/// Opens a file; creates it if it does not exist.
pub(super) fn open(path: &Path, role: Role, durability: Durability) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // Plans must not depend on bound values; otherwise SQLite plans a cached statement again at each use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "mmap_size", MMAP_BYTES)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Readers need it, too: they checkpoint, and so does the last connection when it closes.
    connection.pragma_update(None, "synchronous", durability.pragma())?;
    let cache_kib = match role {
        Role::Reader => READER_CACHE_KIB,
        Role::Writer => WRITER_CACHE_KIB,
    };
    connection.pragma_update(None, "cache_size", -cache_kib)?;
    if role == Role::Writer {
        // Automatic checkpoints would run during commits, and delay them.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    }
    Ok(connection)
}

/// Opens a file for the first time in this process: sets page size and WAL mode if necessary, and migrates it to the
/// format of this release.
pub(super) fn open_first(
    path: &Path,
    durability: Durability,
    migrations: &[schema::SchemaMigration],
) -> Result<Connection> {
    let mut connection = open(path, Role::Reader, durability)?;
    // Before anything is written: a file of another program, or of a later release, must stay unchanged.
    if schema::format(&connection, path)? == 0 {
        connection.pragma_update(None, "page_size", schema::PAGE_BYTES)?;
    }
    schema::check_format(&connection, path, migrations)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    schema::migrate(&mut connection, path, migrations)?;
    Ok(connection)
}

/// Returns the page size of a file in bytes. Files of earlier releases have larger pages.
pub(super) fn page_bytes(connection: &Connection) -> Result<u64> {
    let bytes: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(bytes.unsigned_abs())
}

/// The pool of connections for readers. A reader takes one for a call; a new one is opened if none is idle.
#[derive(Debug)]
pub(super) struct ConnectionPool {
    path: PathBuf,
    durability: Durability,
    watch: Arc<FileWatch>,
    state: Mutex<PoolState>,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<IdleConnection>,
    /// All open connections by number, with a handle to interrupt them; `None`: it is being closed.
    open: Vec<(u64, Option<InterruptHandle>)>,
    last_number: u64,
    is_closed: bool,
}

impl PoolState {
    /// Registers an opened connection.
    fn opened(&mut self, connection: Connection, watched: OpenConnection) -> NumberedConnection {
        self.last_number += 1;
        self.open.push((self.last_number, Some(connection.get_interrupt_handle())));
        NumberedConnection { number: self.last_number, watched, connection }
    }
}

impl std::fmt::Debug for PoolState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Connections").field("open", &self.open.len()).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct NumberedConnection {
    number: u64,
    watched: OpenConnection,
    connection: Connection,
}

#[derive(Debug)]
struct IdleConnection {
    connection: NumberedConnection,
    since: Instant,
}

impl ConnectionPool {
    /// Creates a pool with one connection.
    pub(super) fn new(
        path: PathBuf,
        durability: Durability,
        first: Connection,
        watch: Arc<FileWatch>,
    ) -> Self {
        let mut state = PoolState::default();
        let connection = state.opened(first, watch.register_connection());
        state.idle.push(IdleConnection { connection, since: Instant::now() });
        ConnectionPool { path, durability, watch, state: Mutex::new(state) }
    }

    /// Takes a connection. Fails with [`Error::Closed`] after [`close`](Self::close).
    pub(super) fn acquire(&self) -> Result<PooledConnection<'_>> {
        let idle = {
            let mut state = self.state.lock();
            if state.is_closed {
                return Err(Error::Closed);
            }
            state.idle.pop()
        };
        let connection = match idle {
            Some(idle) => idle.connection,
            None => {
                // The name may belong to another file by now, or SQLite would create a new file.
                self.watch.check()?;
                let watched = self.watch.register_connection();
                let connection = open(&self.path, Role::Reader, self.durability)?;
                let mut state = self.state.lock();
                if state.is_closed {
                    drop((state, watched));
                    return Err(Error::Closed);
                }
                state.opened(connection, watched)
            }
        };
        Ok(PooledConnection { readers: self, connection: Some(connection) })
    }

    /// Adds a connection that was opened elsewhere.
    pub(super) fn add_connection(&self, connection: Connection) {
        let mut state = self.state.lock();
        let connection = state.opened(connection, self.watch.register_connection());
        state.idle.push(IdleConnection { connection, since: Instant::now() });
    }

    /// Closes connections that were idle for at least this time.
    pub(super) fn close_idle(&self, at_least: Duration) {
        let mut closed = Vec::new();
        let mut state = self.state.lock();
        // The last used ones are at the end.
        let old = state.idle.partition_point(|idle| idle.since.elapsed() >= at_least);
        closed.extend(state.idle.drain(..old));
        drop(state);
        for idle in closed {
            self.close_one(idle.connection);
        }
    }

    /// Closes a connection without holding the lock: closing may checkpoint, and other callers must not wait for it.
    fn close_one(&self, NumberedConnection { number, watched, connection }: NumberedConnection) {
        let must_not_stop = {
            let mut state = self.state.lock();
            state.open.iter_mut().filter(|(open, _)| *open == number).for_each(|(_, read)| *read = None);
            state.is_closed
        };
        if must_not_stop {
            // An interrupted connection would skip the checkpoint. Starting a statement clears the interruption.
            let _ = connection.execute_batch("SELECT 1");
        }
        // In this order: the log file may be deleted together with the connection.
        drop(watched);
        drop(connection);
        // Only now: the thread that closes the pool also waits for this checkpoint.
        self.state.lock().open.retain(|(open, _)| *open != number);
    }

    /// Closes all connections: interrupts those in use, and waits for them briefly. The last one that closes moves the
    /// log into the file. Later readers get [`Error::Closed`]. Returns false if some connections are still in use.
    pub(super) fn close(&self) -> bool {
        self.state.lock().is_closed = true;
        self.close_idle(Duration::ZERO);
        let until = Instant::now() + CLOSE_WAIT;
        loop {
            {
                let state = self.state.lock();
                if state.open.is_empty() {
                    return true;
                }
                // Repeated, since an interruption stops only the current statement.
                state.open.iter().filter_map(|(_, read)| read.as_ref()).for_each(InterruptHandle::interrupt);
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(INTERRUPT_INTERVAL);
        }
    }
}

/// A connection that returns to the pool when dropped.
#[derive(Debug)]
pub(super) struct PooledConnection<'a> {
    readers: &'a ConnectionPool,
    connection: Option<NumberedConnection>,
}

impl Deref for PooledConnection<'_> {
    type Target = Connection;

    #[allow(clippy::expect_used)] // Only dropping takes it away.
    fn deref(&self) -> &Connection {
        &self.connection.as_ref().expect("a reader has its connection until it is dropped").connection
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        // A transaction left open by a failure would keep an old snapshot alive.
        let is_clean = connection.connection.is_autocommit();
        let mut state = self.readers.state.lock();
        if is_clean && !state.is_closed && state.idle.len() < IDLE_MAX {
            state.idle.push(IdleConnection { connection, since: Instant::now() });
        } else {
            drop(state);
            self.readers.close_one(connection);
        }
    }
}

/// Runs several reads on one snapshot. A database failure leaves the transaction open; the pool then drops the
/// connection.
pub(super) fn read_snapshot<T>(
    connection: &Connection,
    read: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    connection.prepare_cached("BEGIN")?.execute([])?;
    let result = read(connection);
    if !matches!(result, Err(Error::Database(_))) {
        connection.prepare_cached("COMMIT")?.execute([])?;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::StatementStatus;

    #[test]
    fn a_statement_that_is_used_again_is_not_prepared_again() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("shop.sqlite");
        let connection = open_first(&path, Durability::Off, schema::MIGRATIONS).unwrap();
        let sql = "SELECT body FROM documents WHERE kind = ?1 ORDER BY id LIMIT ?2";
        for kind in 1..=3 {
            let mut statement = connection.prepare_cached(sql).unwrap();
            assert!(!statement.exists((kind, 20 * kind)).unwrap());
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
        }
    }
}
