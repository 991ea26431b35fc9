//! The tables, and the migrations of files from earlier releases. Start at [`MIGRATIONS`] and [`migrate`].

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::{checksum, log, records};
use crate::{Error, Result};

/// Identifies our files (`PRAGMA application_id`): the letters `KNTR`.
pub(super) const APPLICATION_ID: i64 = 0x4B4E_5452;

/// Page size of a new file in bytes. A change is written in whole pages, twice: to the log and later to the file. Most
/// documents fit into one page, since large ones are compressed.
pub(super) const PAGE_BYTES: i64 = 4096;

/// The migrations from an empty file to the format of this release. The format of a file (`PRAGMA user_version`)
/// is the number of migrations it has had. A released one is never changed; a new format is a new migration.
pub(super) const MIGRATIONS: &[SchemaMigration] = &[
    SchemaMigration::Sql(FORMAT_1),
    SchemaMigration::Rust(format_2),
    SchemaMigration::Sql(FORMAT_3),
    SchemaMigration::Sql(FORMAT_4),
    SchemaMigration::Sql(FORMAT_5),
    SchemaMigration::Rust(format_6),
    SchemaMigration::Sql(FORMAT_7),
    SchemaMigration::Sql(FORMAT_8),
    SchemaMigration::Rust(checksum::add_all_columns),
];

/// A migration from one format to the next.
#[derive(Clone, Copy)]
pub(super) enum SchemaMigration {
    Sql(&'static str),
    /// For migrations that SQL alone cannot do.
    Rust(fn(&Transaction<'_>) -> Result<()>),
}

/// The first format.
///
/// Kinds and paths are numbers, assigned in `names` for ever, because every row contains them.
/// `documents.entries` repeats the rows of a document in `unique_keys` and `indexed`, so that a write
/// changes only differing rows. In `indexed` the value comes before the id: matches of one value are
/// contiguous, ordered by id.
const FORMAT_1: &str = "
CREATE TABLE names (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    entries BLOB NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX documents_by_id ON documents (kind, id);
CREATE TABLE unique_keys (
    kind INTEGER NOT NULL,
    path INTEGER NOT NULL,
    value TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (kind, path, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE indexed (
    kind INTEGER NOT NULL,
    path INTEGER NOT NULL,
    value ANY NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (kind, path, value, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE counts (
    kind INTEGER PRIMARY KEY,
    documents INTEGER NOT NULL
) STRICT;
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE changes (
    seq INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    operation INTEGER NOT NULL
) STRICT;
CREATE TABLE positions (
    consumer TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE log_state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    epoch INTEGER NOT NULL,
    base INTEGER NOT NULL
) STRICT;
INSERT INTO log_state VALUES (1, 1, 0);
";

/// The change log has a row for a transaction instead of one for each entry.
fn format_2(transaction: &Transaction<'_>) -> Result<()> {
    transaction.execute_batch(
        "ALTER TABLE changes RENAME TO changes_1;
         CREATE TABLE changes (
             last INTEGER PRIMARY KEY,
             entries BLOB NOT NULL
         ) STRICT;",
    )?;
    // Rows written by this release have checksums, also those of a migration.
    checksum::add_columns(transaction, &["changes"])?;
    log::migrate_format_1(transaction)?;
    transaction.execute_batch("DROP TABLE changes_1")?;
    Ok(())
}

/// Index rows may be deferred. `indexed` is the position in the change log up to which none are.
const FORMAT_3: &str = "
ALTER TABLE log_state ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
UPDATE log_state SET indexed = max(base, (SELECT coalesce(max(last), 0) FROM changes));
";

/// Work items may name derivations. The tables do not change, and items with positions are still valid; but an
/// earlier release would discard items with names.
const FORMAT_4: &str = "";

/// Rows of new documents may be deferred, too. `documents.entries` has marks for them that an earlier release cannot
/// read.
const FORMAT_5: &str = "";

/// Records have their own table, and are not documents any more.
///
/// `documents.record` is the number of a document's newest record; `record_ends` has those of deleted documents.
fn format_6(transaction: &Transaction<'_>) -> Result<()> {
    transaction.execute_batch(
        "CREATE TABLE records (
             number INTEGER PRIMARY KEY,
             previous INTEGER NOT NULL,
             kind INTEGER NOT NULL,
             id TEXT NOT NULL,
             body BLOB NOT NULL
         ) STRICT;
         CREATE TABLE record_ends (
             kind INTEGER NOT NULL,
             id TEXT NOT NULL,
             record INTEGER NOT NULL,
             PRIMARY KEY (kind, id)
         ) STRICT, WITHOUT ROWID;
         ALTER TABLE documents ADD COLUMN record INTEGER NOT NULL DEFAULT 0;",
    )?;
    checksum::add_columns(transaction, &["documents", "records", "record_ends", "names"])?;
    records::migrate_documents(transaction)
}

/// Bodies of documents, and their lists of rows, may be compressed. Others are still valid, and compressed when they
/// change. An earlier release could not read compressed ones.
const FORMAT_7: &str = "";

/// Bodies of documents may be compressed with a dictionary, which an earlier release does not have.
const FORMAT_8: &str = "";

// The ninth format: rows have checksums, see `checksum`. An earlier release would change rows without their checksums.

/// Migrates a file to the format of `migrations`, in one transaction.
pub(super) fn migrate(
    connection: &mut Connection,
    path: &Path,
    migrations: &[SchemaMigration],
) -> Result<()> {
    let supported = newest_format(migrations);
    if check_format(connection, path, migrations)? == supported {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again: another connection may have been first.
    let found = check_format(&transaction, path, migrations)?;
    for (number, step) in (1..).zip(migrations) {
        if number > found {
            match step {
                SchemaMigration::Sql(sql) => transaction.execute_batch(sql)?,
                SchemaMigration::Rust(step) => step(&transaction)?,
            }
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", supported)?;
    transaction.commit()?;
    if found > 0 {
        tracing::info!(path = %path.display(), from = found, to = supported, "migrated a database");
    }
    Ok(())
}

/// Returns the format of a file. Fails with [`Error::NewerFormat`] if it is newer than that of `migrations`.
pub(super) fn check_format(
    connection: &Connection,
    path: &Path,
    migrations: &[SchemaMigration],
) -> Result<i64> {
    let (found, supported) = (format(connection, path)?, newest_format(migrations));
    if found > supported {
        return Err(Error::NewerFormat { path: path.to_owned(), found, supported });
    }
    Ok(found)
}

/// Returns the format after all migrations.
pub(super) fn newest_format(migrations: &[SchemaMigration]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

/// Returns the format of a file; 0 for an empty one. Fails if the file belongs to another program.
pub(super) fn format(connection: &Connection, path: &Path) -> Result<i64> {
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let format: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let is_empty = || -> rusqlite::Result<bool> {
        connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
    };
    if application == APPLICATION_ID || (application == 0 && format == 0 && is_empty()?) {
        return Ok(format);
    }
    Err(Error::Invalid(format!("{} is a database, but not one of Kontor", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: SchemaMigration = SchemaMigration::Sql(FORMAT_1);
    const NEXT: SchemaMigration = SchemaMigration::Sql(
        "
        ALTER TABLE documents ADD COLUMN note TEXT;
        INSERT INTO settings VALUES ('migrated', (SELECT count(*) FROM documents));",
    );

    fn file() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("shop.sqlite");
        (folder, path)
    }

    #[test]
    fn runs_missing_migrations_once() {
        let (_folder, path) = file();
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &[FIRST]).unwrap();
        connection.execute("INSERT INTO documents VALUES (1, 1, 'a', 1, 1, 0, x'', x'7b7d')", []).unwrap();
        for _ in 0..2 {
            migrate(&mut connection, &path, &[FIRST, NEXT]).unwrap();
            assert_eq!(format(&connection, &path).unwrap(), 2);
        }
        let sql = "SELECT value FROM settings WHERE name = 'migrated'";
        let migrated: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(migrated, "1");
        let refused = migrate(&mut connection, &path, &[FIRST]).unwrap_err();
        assert!(matches!(refused, Error::NewerFormat { found: 2, supported: 1, .. }), "{refused}");
    }

    #[test]
    fn failed_migration_changes_nothing() {
        let (_folder, path) = file();
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &[FIRST]).unwrap();
        let broken = SchemaMigration::Sql("DELETE FROM log_state; INSERT INTO nowhere VALUES (1);");
        assert!(migrate(&mut connection, &path, &[FIRST, NEXT, broken]).is_err());
        assert_eq!(format(&connection, &path).unwrap(), 1);
        let sql = "SELECT count(*) FROM log_state";
        let kept: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 1);
    }
}
