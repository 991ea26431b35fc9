//! The tables of the system file, and the migration of files of older releases.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::{Error, Result};

/// Marks the file as ours ("KNTA"), so that another program's database is refused.
const APPLICATION_ID: i64 = 0x4b4e_5441;

/// The migrations. Step *n* migrates a file of format *n* to format *n* + 1; released steps never change.
const STEPS: &[&str] = &[
    // `serial` is never used twice, so the tokens of a deleted client can never come back to life under a new
    // client with the same id. Such tokens are dead at once, and their rows are removed later, in chunks, by way
    // of `ended_clients`. A token without `scope` has that of its client, which never changes.
    "CREATE TABLE projects (
        key TEXT PRIMARY KEY NOT NULL,
        name TEXT NOT NULL,
        created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE clients (
        serial INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        project TEXT NOT NULL REFERENCES projects (key),
        name TEXT NOT NULL,
        secret_hash BLOB NOT NULL,
        scope TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        delete_at INTEGER,
        access_token_validity_s INTEGER,
        refresh_token_validity_s INTEGER,
        last_used_day INTEGER
    ) STRICT;
    CREATE INDEX clients_by_project ON clients (project);
    CREATE TABLE ended_clients (
        serial INTEGER PRIMARY KEY NOT NULL
    ) STRICT;
    CREATE TABLE tokens (
        hash BLOB PRIMARY KEY NOT NULL,
        kind INTEGER NOT NULL,
        client INTEGER NOT NULL,
        scope TEXT,
        issued_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        customer_id TEXT,
        anonymous_id TEXT,
        store_key TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tokens_by_expiry ON tokens (client, expires_at);",
    // Refresh tokens have a table of their own, sorted by last use: at the limit the first row is deleted, at a cost
    // that does not depend on their number. For the same reason they are counted as they come and go. An access
    // token names the refresh token that it came with, so that both can be revoked together. `tokens.kind` is 0 in
    // every row from here on.
    "ALTER TABLE tokens ADD COLUMN refresh BLOB;
    CREATE INDEX tokens_by_refresh ON tokens (refresh) WHERE refresh IS NOT NULL;
    CREATE TABLE refresh_tokens (
        hash BLOB PRIMARY KEY NOT NULL,
        project TEXT NOT NULL,
        client INTEGER NOT NULL,
        scope TEXT,
        issued_at INTEGER NOT NULL,
        last_used_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        customer_id TEXT,
        anonymous_id TEXT,
        store_key TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX refresh_tokens_by_use ON refresh_tokens (project, last_used_at);
    CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (client, expires_at);
    CREATE UNIQUE INDEX refresh_tokens_by_anonymous_id ON refresh_tokens (project, anonymous_id)
        WHERE anonymous_id IS NOT NULL;
    CREATE TABLE refresh_token_counts (
        project TEXT PRIMARY KEY NOT NULL,
        tokens INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER refresh_token_comes AFTER INSERT ON refresh_tokens BEGIN
        INSERT INTO refresh_token_counts VALUES (new.project, 1)
        ON CONFLICT DO UPDATE SET tokens = tokens + 1;
    END;
    CREATE TRIGGER refresh_token_goes AFTER DELETE ON refresh_tokens BEGIN
        UPDATE refresh_token_counts SET tokens = tokens - 1 WHERE project = old.project;
    END;",
    // All tokens of a Customer end together, when the password is reset.
    "CREATE INDEX tokens_by_customer ON tokens (customer_id) WHERE customer_id IS NOT NULL;
    CREATE INDEX refresh_tokens_by_customer ON refresh_tokens (customer_id) WHERE customer_id IS NOT NULL;",
    // Operators of the console with their roles, sessions, links and tokens.
    "CREATE TABLE operator_rows (
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        owner TEXT,
        expires_at INTEGER,
        value TEXT NOT NULL,
        PRIMARY KEY (kind, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX operator_rows_by_owner ON operator_rows (kind, owner) WHERE owner IS NOT NULL;
    CREATE INDEX operator_rows_by_expiry ON operator_rows (expires_at) WHERE expires_at IS NOT NULL;",
    // Rows have checksums, see `checksum`. A release without them would change rows and leave their checksums.
    "ALTER TABLE projects ADD COLUMN sum INTEGER;
    ALTER TABLE clients ADD COLUMN sum INTEGER;
    ALTER TABLE ended_clients ADD COLUMN sum INTEGER;
    ALTER TABLE tokens ADD COLUMN sum INTEGER;
    ALTER TABLE refresh_tokens ADD COLUMN sum INTEGER;
    ALTER TABLE refresh_token_counts ADD COLUMN sum INTEGER;
    ALTER TABLE operator_rows ADD COLUMN sum INTEGER;
    DROP TRIGGER refresh_token_comes;
    CREATE TRIGGER refresh_token_comes AFTER INSERT ON refresh_tokens BEGIN
        INSERT INTO refresh_token_counts (project, tokens) VALUES (new.project, 1)
        ON CONFLICT DO UPDATE SET tokens = tokens + 1;
    END;",
];

/// The first format whose rows have checksums.
pub(super) const FORMAT_WITH_CHECKSUMS: i64 = 5;

/// Returns the format of a file; 0 if it is empty. Fails for files of other programs and of later releases.
pub(super) fn format(connection: &Connection, path: &Path) -> Result<i64> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (found, application_id) = (number("user_version")?, number("application_id")?);
    let is_new = found == 0
        && application_id == 0
        && connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))? == 0;
    if !is_new && application_id != APPLICATION_ID {
        return Err(Error::ForeignFile { path: path.to_owned() });
    }
    let supported = STEPS.len() as i64;
    if found > supported {
        return Err(Error::NewerFormat { path: path.to_owned(), found, supported });
    }
    Ok(found)
}

/// Migrates the tables from any older format to the current one.
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<()> {
    let found = format(connection, path)?;
    // SQLite changes the journal mode only outside of a transaction.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    for (format, step) in STEPS.iter().enumerate().skip(usize::try_from(found).unwrap_or(0)) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", format as i64 + 1)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        SystemDurability,
        file::SystemFile,
        secret::SecretHash,
        store::{SystemChange, SystemChangeResult, SystemStore as _},
        verify_system_file,
    };

    fn open(path: &Path) -> Result<()> {
        prepare(&mut Connection::open(path)?, path)
    }

    #[test]
    fn a_file_is_prepared_once_and_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("system.db");
        open(&path).unwrap();
        open(&path).unwrap();
    }

    #[test]
    fn a_file_of_the_first_format_keeps_its_tokens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("system.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(STEPS[0]).unwrap();
        connection
            .execute_batch(
                "INSERT INTO tokens (hash, kind, client, issued_at, expires_at) VALUES (x'00', 0, 1, 2, 3);",
            )
            .unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        open(&path).unwrap();
        let tokens: i64 = connection
            .query_row("SELECT count(*) FROM tokens WHERE refresh IS NULL", [], |row| row.get(0))
            .unwrap();
        assert_eq!(tokens, 1);
    }

    #[test]
    fn rows_of_earlier_releases_get_a_checksum_when_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("system.db");
        let connection = Connection::open(&path).unwrap();
        for step in &STEPS[..4] {
            connection.execute_batch(step).unwrap();
        }
        connection
            .execute_batch(
                "INSERT INTO projects VALUES ('demo', 'Demo', 0);
                 INSERT INTO clients VALUES (1, 'c', 'demo', 'C', zeroblob(32), 'manage_project:demo', 0, NULL, NULL, NULL, NULL);
                 INSERT INTO refresh_tokens VALUES (zeroblob(32), 'demo', 1, NULL, 0, 0, 9, NULL, 'visitor', NULL);",
            )
            .unwrap();
        connection.pragma_update(None, "user_version", 4).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        drop(connection);
        assert_eq!(verify_system_file(&path).unwrap().findings, []);
        let file = SystemFile::open(&path, SystemDurability::InMemory).unwrap();
        assert_eq!(file.all().unwrap().1.len(), 1);
        let rows =
            || verify_system_file(&path).map(|verified| (verified.documents, verified.without_checksum));
        assert_eq!(rows().unwrap(), (4, 4));
        let hash = SecretHash([1; 32]);
        let changed = file.change(SystemChange::SetSecret { client: 1, hash }, Box::new(|_| ()));
        assert_eq!(pollster::block_on(changed).unwrap(), SystemChangeResult::Done(true));
        assert_eq!(rows().unwrap(), (4, 3));
        let changed =
            file.change(SystemChange::Revoke { hash: SecretHash([0; 32]), client: 1 }, Box::new(|_| ()));
        pollster::block_on(changed).unwrap();
        assert_eq!(rows().unwrap(), (3, 1), "the count of refresh tokens was written");
        assert_eq!(verify_system_file(&path).unwrap().findings, []);
    }

    #[test]
    fn a_file_of_a_later_release_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("system.db");
        open(&path).unwrap();
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let error = open(&path).unwrap_err();
        assert!(matches!(error, Error::NewerFormat { found: 99, .. }), "{error}");
    }

    #[test]
    fn a_database_of_another_program_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
        assert!(matches!(open(&path).unwrap_err(), Error::ForeignFile { .. }));
    }
}
