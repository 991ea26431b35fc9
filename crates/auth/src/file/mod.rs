//! The system file: projects, API Clients and tokens in one SQLite database.
//!
//! One thread writes and commits in groups; acknowledged changes are on disk. Readers are separate
//! connections from a small pool. [`rows`] and [`refresh_row`] convert rows; this module does not interpret
//! them.

mod change;
mod checksum;
mod contents;
mod operator_rows;
mod refresh_row;
mod rows;
mod schema;
mod verify;
mod watch;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use kontor_storage::DamageLog;
use parking_lot::{Mutex, RwLock};
use rusqlite::{Connection, OpenFlags};

pub use verify::verify_system_file;
pub(crate) use writer::SystemFileWriter;

use watch::SystemWatch;

use crate::{
    Error, Result,
    store::{
        ClientRow, OperatorRow, OperatorRowKind, ProjectRow, PublishHook, RefreshRow, RefuseChangesFuture,
        RevisionFuture, SecretHash, SystemChange, SystemChangeFuture, SystemStore, TokenRow,
    },
};

/// When a change counts as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SystemDurability {
    /// Once it is on disk. Survives a power failure.
    #[default]
    OnDisk,
    /// Once the operating system has it. For servers with `--in-memory`, and for tests.
    InMemory,
}

/// How long a connection waits for the file, in milliseconds. Only a backup or a foreign tool ever holds it.
const BUSY_TIMEOUT_MS: u64 = 5_000;

/// Maximum number of idle read connections.
const IDLE_READERS_MAX: usize = 8;

/// The name of the file in metrics.
const SYSTEM_FILE: &str = "system.db";

/// The open file.
pub(crate) struct SystemFile {
    // Closed first: the last connection moves the log into the file and removes it, which readers may not.
    readers: SystemFileReaders,
    writer: SystemFileWriter,
    /// The storage that everything is moving to; changes are refused while it is set. Locked while a change is queued.
    moves_to: RwLock<Option<Arc<str>>>,
    /// `None` for a server that keeps nothing.
    watch: Option<SystemWatch>,
    path: PathBuf,
    damage: Arc<DamageLog>,
}

impl SystemFile {
    /// Opens the file, creates it where there is none, and brings an older one to the current format.
    pub(crate) fn open(path: &Path, durability: SystemDurability) -> Result<Self> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_millis(BUSY_TIMEOUT_MS))?;
        schema::prepare(&mut connection, path)?;
        checksum::add_views(&connection)?;
        checksum::add_triggers(&connection)?;
        let synchronous = match durability {
            SystemDurability::OnDisk => "FULL",
            SystemDurability::InMemory => "OFF",
        };
        connection.pragma_update(None, "synchronous", synchronous)?;
        let readers = SystemFileReaders { path: path.to_owned(), idle: Mutex::default() };
        let watch = (durability == SystemDurability::OnDisk).then(|| SystemWatch::new(path));
        Ok(SystemFile {
            writer: SystemFileWriter::start(connection)?,
            readers,
            moves_to: RwLock::default(),
            watch,
            path: path.to_owned(),
            damage: Arc::default(),
        })
    }

    /// The writer.
    #[cfg(test)]
    pub(crate) fn writer(&self) -> &SystemFileWriter {
        &self.writer
    }

    /// Reads from the newest committed state. Damage is recorded.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let connection = self.readers.take()?;
        let result = read(&connection).map_err(checksum::convert_error);
        self.readers.check_in(connection);
        result.inspect_err(|error| record_damage(&self.damage, &self.path, error))
    }
}

impl SystemStore for SystemFile {
    fn all(&self) -> Result<(Vec<ProjectRow>, Vec<ClientRow>)> {
        self.read(|connection| Ok((ProjectRow::all(connection)?, ClientRow::all(connection)?)))
    }

    fn token(&self, hash: &SecretHash) -> Result<Option<TokenRow>> {
        self.read(|connection| TokenRow::find(connection, hash))
    }

    fn refresh_token(&self, hash: &SecretHash) -> Result<Option<RefreshRow>> {
        self.read(|connection| RefreshRow::find(connection, hash))
    }

    fn is_session(&self, project_key: &str, anonymous_id: &str, now_ms: i64) -> Result<bool> {
        self.read(|connection| RefreshRow::is_session(connection, project_key, anonymous_id, now_ms))
    }

    fn refresh_tokens(&self, project_key: &str) -> Result<u64> {
        self.read(|connection| RefreshRow::count(connection, project_key))
    }

    fn operator_rows(&self, kind: OperatorRowKind) -> Result<Vec<OperatorRow>> {
        self.read(|connection| operator_rows::of_kind(connection, kind))
    }

    fn operator_row(&self, kind: OperatorRowKind, key: &str) -> Result<Option<OperatorRow>> {
        self.read(|connection| operator_rows::find(connection, kind, key))
    }

    fn change(&self, change: SystemChange, publish: PublishHook) -> SystemChangeFuture {
        let moves_to = self.moves_to.read();
        if let Some(place) = &*moves_to {
            return Box::pin(std::future::ready(Err(Error::Moved(Arc::clone(place)))));
        }
        if let Some(gone) = self.gone() {
            return Box::pin(std::future::ready(Err(Error::Gone(gone))));
        }
        let changed = self.writer.write(move |connection| change::apply(change, connection), publish);
        let (damage, path) = (Arc::clone(&self.damage), self.path.clone());
        Box::pin(async move { changed.await.inspect_err(|error| record_damage(&damage, &path, error)) })
    }

    fn gone(&self) -> Option<Arc<str>> {
        self.watch.as_ref().and_then(SystemWatch::missing_file)
    }

    fn damage(&self) -> Option<Arc<str>> {
        self.damage.first_damage()
    }

    fn revision(&self) -> Option<RevisionFuture<'_>> {
        let place = self.moves_to.read().clone()?;
        Some(Box::pin(std::future::ready(Err(Error::Moved(place)))))
    }

    fn refuse_changes(&self, moves_to: Option<Arc<str>>) -> RefuseChangesFuture<'_> {
        *self.moves_to.write() = moves_to;
        // This empty change is queued after all changes that were submitted before.
        Box::pin(self.writer.write(|_| Ok(()), |()| ()))
    }

    fn backup(&self, to: &Path) -> Result<()> {
        let path = to.to_string_lossy();
        self.read(|connection| connection.execute("VACUUM INTO ?1", [&path]).map(drop))
    }
}

fn record_damage(log: &DamageLog, path: &Path, error: &Error) {
    let damage = match error {
        Error::Damaged(row) => kontor_storage::Error::DamagedRow(row.clone()),
        Error::Database(cause) => kontor_storage::Error::Database(Arc::clone(cause)),
        _ => return,
    };
    if damage.is_damage() {
        log.record(SYSTEM_FILE, path, &damage);
    }
}

struct SystemFileReaders {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl SystemFileReaders {
    fn take(&self) -> Result<Connection> {
        let idle = self.idle.lock().pop();
        if let Some(connection) = idle {
            return Ok(connection);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(std::time::Duration::from_millis(BUSY_TIMEOUT_MS))?;
        checksum::add_views(&connection)?;
        Ok(connection)
    }

    fn check_in(&self, connection: Connection) {
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_READERS_MAX {
            idle.push(connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{IssueResult, NewToken, RefreshChange, SystemChangeResult};

    #[test]
    fn syncs_to_disk_if_configured() {
        for (durability, expected) in [(SystemDurability::OnDisk, 2), (SystemDurability::InMemory, 0)] {
            let folder = tempfile::tempdir().unwrap();
            let file = SystemFile::open(&folder.path().join("system.db"), durability).unwrap();
            let settings = file.writer().write(
                |connection| {
                    let synchronous: i64 =
                        connection.pragma_query_value(None, "synchronous", |row| row.get(0))?;
                    let journal: String =
                        connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
                    Ok((synchronous, journal))
                },
                |_| (),
            );
            assert_eq!(pollster::block_on(settings).unwrap(), (expected, "wal".to_owned()));
        }
    }

    #[test]
    fn leaves_one_file_when_closed() {
        let folder = tempfile::tempdir().unwrap();
        let file = SystemFile::open(&folder.path().join("system.db"), SystemDurability::OnDisk).unwrap();
        let project = ProjectRow { key: "demo".into(), name: "Demo".into(), created_at_ms: 0 };
        let written = file.change(SystemChange::AddProject(project), Box::new(|_| ()));
        assert_eq!(pollster::block_on(written).unwrap(), SystemChangeResult::Done(true));
        assert_eq!(file.all().unwrap().0.len(), 1);
        drop(file);
        let files = std::fs::read_dir(folder.path()).unwrap();
        let names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        assert_eq!(names, ["system.db"]);
    }

    #[test]
    fn a_file_that_is_removed_or_emptied_is_noticed_before_anything_is_acknowledged() {
        for name in ["system.db", "system.db-wal"] {
            let folder = tempfile::tempdir().unwrap();
            let file = SystemFile::open(&folder.path().join("system.db"), SystemDurability::OnDisk).unwrap();
            let add = |key: &str| {
                let project = ProjectRow { key: key.into(), name: key.into(), created_at_ms: 0 };
                pollster::block_on(file.change(SystemChange::AddProject(project), Box::new(|_| ())))
            };
            add("first").unwrap();
            assert!(file.gone().is_none());
            std::fs::remove_file(folder.path().join(name)).unwrap();
            assert!(matches!(add("second"), Err(Error::Gone(_))), "{name}");
            assert!(file.gone().unwrap().contains(name));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("system.db");
        let file = SystemFile::open(&path, SystemDurability::OnDisk).unwrap();
        std::fs::File::create(&path).unwrap();
        assert!(file.gone().is_some());
    }

    #[test]
    fn a_token_is_written_for_a_client_that_is_there_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = SystemFile::open(&folder.path().join("system.db"), SystemDurability::InMemory).unwrap();
        let (_, hash) = crate::secret::random_token();
        let token = TokenRow {
            client_serial: 1,
            scope: None,
            issued_at_ms: 0,
            expires_at_ms: 1,
            customer_id: None,
            anonymous_id: None,
            store_key: None,
            refresh: None,
        };
        let new = NewToken {
            hash,
            token,
            refresh: RefreshChange::None,
            project_key: "demo".into(),
            now_ms: 0,
            refresh_tokens_max: 1,
            used_day: None,
        };
        let written = file.change(SystemChange::Issue(Box::new(new)), Box::new(|_| ()));
        assert_eq!(pollster::block_on(written).unwrap(), SystemChangeResult::Issued(IssueResult::ClientGone));
        assert!(file.token(&hash).unwrap().is_none());
    }
}
