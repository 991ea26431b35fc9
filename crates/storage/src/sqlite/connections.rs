//! The connections to one file: how they are set up, and a pool of them for readers.

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

/// How long a statement waits for a lock of another connection. Readers and the writer do not lock each
/// other out in WAL mode; only the closing of the last connection and truncation do, for moments.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes of the file that are read through a mapping; SQLite takes no more than this.
const MMAP_BYTES: i64 = 0x7fff_0000;

/// Memory that a reader may use for pages, beside the mapping.
const READER_CACHE_KIB: i64 = 512;

/// Memory that the writer may use for pages.
const WRITER_CACHE_KIB: i64 = 8192;

/// Prepared statements that a connection keeps.
const STATEMENTS_MAX: usize = 64;

/// Idle connections that the pool keeps; more are opened in a rush and closed after it.
const IDLE_MAX: usize = 16;

/// How long the end waits for readers that were told to stop. They notice it at their next row.
const CLOSE_WAIT: Duration = Duration::from_millis(400);

/// Between two times that they are told.
const TOLD_EVERY: Duration = Duration::from_millis(5);

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Reads and checkpoints.
    Reader,
    /// Writes: one at a time.
    Writer,
}

/// Opens a file, which is made where there is none.
pub(super) fn open(path: &Path, role: Role, durability: Durability) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // A plan depends on no value that is bound; otherwise SQLite makes it anew at each use of a cached statement.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "mmap_size", MMAP_BYTES)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Also for readers: they checkpoint, and the last one to close does.
    connection.pragma_update(None, "synchronous", durability.pragma())?;
    let cache_kib = match role {
        Role::Reader => READER_CACHE_KIB,
        Role::Writer => WRITER_CACHE_KIB,
    };
    connection.pragma_update(None, "cache_size", -cache_kib)?;
    if role == Role::Writer {
        // Only commits would do so, and they are not to wait for it.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    }
    Ok(connection)
}

/// Opens a file for the first time in this process: sets the page size and WAL mode where they are not yet,
/// and brings it to the format of this release.
pub(super) fn open_first(
    path: &Path,
    durability: Durability,
    migrations: &[schema::Step],
) -> Result<Connection> {
    let mut connection = open(path, Role::Reader, durability)?;
    // Before anything is written: a file that is not ours, or too new, stays as it is.
    if schema::format(&connection, path)? == 0 {
        connection.pragma_update(None, "page_size", schema::PAGE_BYTES)?;
    }
    schema::check_format(&connection, path, migrations)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    schema::migrate(&mut connection, path, migrations)?;
    Ok(connection)
}

/// Bytes of a page of a file: those of earlier releases have larger ones.
pub(super) fn page_bytes(connection: &Connection) -> Result<u64> {
    let bytes: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(bytes.unsigned_abs())
}

/// Connections for readers. Taken for the time of one call, opened when there is none to take.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    durability: Durability,
    watch: Arc<FileWatch>,
    state: Mutex<Connections>,
}

#[derive(Default)]
struct Connections {
    idle: Vec<Idle>,
    /// All that are open, by number, to stop what they do; of those that are about to close there is nothing to stop.
    open: Vec<(u64, Option<InterruptHandle>)>,
    newest: u64,
    is_closed: bool,
}

impl Connections {
    /// Notes a connection that was opened.
    fn opened(&mut self, connection: Connection, watched: OpenConnection) -> Numbered {
        self.newest += 1;
        self.open.push((self.newest, Some(connection.get_interrupt_handle())));
        Numbered { number: self.newest, watched, connection }
    }
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Connections").field("open", &self.open.len()).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Numbered {
    number: u64,
    watched: OpenConnection,
    connection: Connection,
}

#[derive(Debug)]
struct Idle {
    connection: Numbered,
    since: Instant,
}

impl Readers {
    /// A pool with one connection in it.
    pub(super) fn new(
        path: PathBuf,
        durability: Durability,
        first: Connection,
        watch: Arc<FileWatch>,
    ) -> Self {
        let mut state = Connections::default();
        let connection = state.opened(first, watch.opened());
        state.idle.push(Idle { connection, since: Instant::now() });
        Readers { path, durability, watch, state: Mutex::new(state) }
    }

    /// Takes a connection.
    pub(super) fn take(&self) -> Result<Reader<'_>> {
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
                // Another file may have the name by now, or a new one would be made.
                self.watch.check()?;
                let watched = self.watch.opened();
                let connection = open(&self.path, Role::Reader, self.durability)?;
                let mut state = self.state.lock();
                if state.is_closed {
                    drop((state, watched));
                    return Err(Error::Closed);
                }
                state.opened(connection, watched)
            }
        };
        Ok(Reader { readers: self, connection: Some(connection) })
    }

    /// Takes a connection that somebody else has opened.
    pub(super) fn adopt(&self, connection: Connection) {
        let mut state = self.state.lock();
        let connection = state.opened(connection, self.watch.opened());
        state.idle.push(Idle { connection, since: Instant::now() });
    }

    /// Closes what nobody has used for so long.
    pub(super) fn close_idle(&self, at_least: Duration) {
        let mut closed = Vec::new();
        let mut state = self.state.lock();
        // The last used stand at the end.
        let old = state.idle.partition_point(|idle| idle.since.elapsed() >= at_least);
        closed.extend(state.idle.drain(..old));
        drop(state);
        for idle in closed {
            self.close_one(idle.connection);
        }
    }

    /// Closing may checkpoint, which is not to hold up others who look for a connection.
    fn close_one(&self, Numbered { number, watched, connection }: Numbered) {
        let must_not_stop = {
            let mut state = self.state.lock();
            state.open.iter_mut().filter(|(open, _)| *open == number).for_each(|(_, read)| *read = None);
            state.is_closed
        };
        if must_not_stop {
            // Told to stop, it would also leave out the checkpoint. The beginning of a statement makes it forget.
            let _ = connection.execute_batch("SELECT 1");
        }
        // In this sequence: the log may go with the connection.
        drop(watched);
        drop(connection);
        // Only now: who waits for the end waits for the checkpoint.
        self.state.lock().open.retain(|(open, _)| *open != number);
    }

    /// Closes all, stops those that are in use, and waits for them for a moment: the last one that closes moves the log into
    /// the file. Whoever reads from now on is refused. False where some went on.
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
                // Each time: it stops the statement that runs, and not the next one.
                state.open.iter().filter_map(|(_, read)| read.as_ref()).for_each(InterruptHandle::interrupt);
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(TOLD_EVERY);
        }
    }
}

/// A connection that goes back to the pool when dropped.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    readers: &'a Readers,
    connection: Option<Numbered>,
}

impl Deref for Reader<'_> {
    type Target = Connection;

    #[allow(clippy::expect_used)] // Only dropping takes it away.
    fn deref(&self) -> &Connection {
        &self.connection.as_ref().expect("a reader has its connection until it is dropped").connection
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        // A transaction left open by a failure would pin an old state.
        let is_clean = connection.connection.is_autocommit();
        let mut state = self.readers.state.lock();
        if is_clean && !state.is_closed && state.idle.len() < IDLE_MAX {
            state.idle.push(Idle { connection, since: Instant::now() });
        } else {
            drop(state);
            self.readers.close_one(connection);
        }
    }
}

/// Reads more than once from one state. A failure of the database leaves the transaction open, and the pool then
/// drops the connection.
pub(super) fn one_state<T>(
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
