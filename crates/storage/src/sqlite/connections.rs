//! The connections to one file: how they are set up, and a pool of them for readers.

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rusqlite::{Connection, config::DbConfig};

use super::{Durability, schema};
use crate::Result;

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
    idle: Mutex<Vec<Idle>>,
}

#[derive(Debug)]
struct Idle {
    connection: Connection,
    since: Instant,
}

impl Readers {
    /// A pool with one connection in it.
    pub(super) fn new(path: PathBuf, durability: Durability, first: Connection) -> Self {
        let idle = Mutex::new(vec![Idle { connection: first, since: Instant::now() }]);
        Readers { path, durability, idle }
    }

    /// Takes a connection.
    pub(super) fn take(&self) -> Result<Reader<'_>> {
        let idle = self.idle.lock().pop();
        let connection = match idle {
            Some(idle) => idle.connection,
            None => open(&self.path, Role::Reader, self.durability)?,
        };
        Ok(Reader { readers: self, connection: Some(connection) })
    }

    /// Closes what nobody has used for so long.
    pub(super) fn close_idle(&self, at_least: Duration) {
        let mut closed = Vec::new();
        let mut idle = self.idle.lock();
        // The last used stand at the end.
        let old = idle.partition_point(|idle| idle.since.elapsed() >= at_least);
        closed.extend(idle.drain(..old));
        drop(idle);
        // Closing may checkpoint, which is not to hold up others who look for a connection.
        drop(closed);
    }

    /// Closes all that are not in use.
    pub(super) fn close(&self) {
        self.close_idle(Duration::ZERO);
    }
}

/// A connection that goes back to the pool when dropped.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
}

impl Deref for Reader<'_> {
    type Target = Connection;

    #[allow(clippy::expect_used)] // Only dropping takes it away.
    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a reader has its connection until it is dropped")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        // A transaction left open by a failure would pin an old state.
        if !connection.is_autocommit() {
            return;
        }
        let mut idle = self.readers.idle.lock();
        if idle.len() < IDLE_MAX {
            idle.push(Idle { connection, since: Instant::now() });
        } else {
            drop(idle);
            drop(connection);
        }
    }
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
