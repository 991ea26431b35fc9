//! Reads single facts from a closed file, without opening it as a shop.

use crate::Result;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use std::path::Path;

/// Returns whether a file has documents of a kind. Reads two rows. Fails if the file is missing, damaged or not a file
/// of Kontor.
pub fn has_documents(path: &Path, kind: &str) -> Result<bool> {
    let connection = open(path)?;
    let mut statement = connection
        .prepare("SELECT documents FROM counts WHERE kind = (SELECT number FROM names WHERE name = ?1)")?;
    let count: Option<i64> = statement.query_row((kind,), |row| row.get(0)).optional()?;
    Ok(count.is_some_and(|count| count > 0))
}

/// Returns a setting of a file; `None` if it is not set. Fails if the file is missing, damaged or not a file of Kontor.
pub fn read_setting(path: &Path, name: &str) -> Result<Option<String>> {
    let connection = open(path)?;
    let mut statement = connection.prepare("SELECT value FROM settings WHERE name = ?1")?;
    Ok(statement.query_row((name,), |row| row.get(0)).optional()?)
}

fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::{Sqlite, SqliteOptions};
    use crate::{Commit, Put, Storage as _};

    #[test]
    fn reads_a_closed_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        let storage = Sqlite::open(&path, SqliteOptions::default()).unwrap();
        let put = Put { kind: "zone".into(), id: "a".into(), body: "{}".into(), ..Put::default() };
        storage.commit_blocking(Commit::new().put(put)).unwrap();
        storage.set_setting("title", Some("Books")).unwrap();
        drop(storage);
        assert!(has_documents(&path, "zone").unwrap());
        assert!(!has_documents(&path, "state").unwrap());
        assert_eq!(read_setting(&path, "title").unwrap().as_deref(), Some("Books"));
        assert_eq!(read_setting(&path, "other").unwrap(), None);
    }
}
