//! Replaces the content of a shop as a whole (clear, restore), and writes backups. Start at [`replace`].
//!
//! Both replacements start a new epoch of the change log. Its positions continue to rise, so that no revision
//! occurs twice.

use std::{
    collections::HashMap,
    fs::{self, File},
    path::{Path, PathBuf},
    sync::mpsc::SyncSender,
};

use rusqlite::Connection;

use tempfile::TempPath;

use super::{
    Durability,
    checksum::{self, DocumentRow},
    compression, connections, deferred_index,
    delta::CheckedRow,
    document_counts, entries,
    name_number::NameNumber,
    name_table::WriterNameTable,
    position::to_sqlite_integer,
    reads::{self, LogState},
    records,
    row_cache::RowCache,
    schema,
    statements::{Sql, Statements},
    unused_bytes,
    verify::verify_file,
};
use crate::{Error, Result, Seq};

/// The tables whose rows contain kinds.
const OF_KINDS: [&str; 6] = ["documents", "unique_keys", "indexed", "counts", "records", "record_ends"];

/// A replacement for the writer to do, and the channel for its result.
pub(super) struct ContentJob {
    pub(super) replacement: Replacement,
    pub(super) reply: SyncSender<Result<()>>,
}

/// The new content.
pub(super) enum Replacement {
    /// Only the documents of these kinds.
    Clear { keep_kinds: Vec<String> },
    /// The content of a backup in the format of this release.
    Restore { from: PathBuf },
}

/// Returns a backup in the format of this release: the file itself, or a migrated copy if an earlier release wrote it.
/// The copy is in `folder`, and deleted when dropped.
pub(super) fn migrate_backup(from: &Path, folder: &Path) -> Result<(PathBuf, Option<TempPath>)> {
    if !from.is_file() {
        return Err(Error::Invalid(format!("there is no backup {}", from.display())));
    }
    let format = schema::check_format(&Connection::open(from)?, from, schema::MIGRATIONS)?;
    if format == 0 {
        return Err(Error::Invalid(format!("{} is an empty database and no backup", from.display())));
    }
    if format == schema::newest_format(schema::MIGRATIONS) {
        let LogState { indexed, newest, .. } = reads::log_state(&Connection::open(from)?)?;
        if indexed == newest {
            return Ok((from.to_owned(), None));
        }
    }
    let copy = tempfile::Builder::new()
        .prefix("restore-")
        .tempfile_in(folder)
        .map_err(|error| Error::io(folder, error))?
        .into_temp_path();
    fs::copy(from, &copy).map_err(|error| Error::io(from, error))?;
    let mut connection = Connection::open(&copy)?;
    schema::migrate(&mut connection, from, schema::MIGRATIONS)?;
    write_rows(&connection)?;
    drop(connection);
    Ok((copy.to_path_buf(), Some(copy)))
}

/// Replaces the content in one transaction. Returns the new state of the change log.
pub(super) fn replace(
    connection: &Connection,
    names: &mut WriterNameTable,
    replacement: &Replacement,
    seq: Seq,
    indexed: Seq,
) -> Result<LogState> {
    match replacement {
        Replacement::Clear { keep_kinds } => {
            connection.execute_batch("BEGIN IMMEDIATE")?;
            // The change log, which names documents with deferred rows, will be deleted.
            deferred_index::write_up_to(connection, &RowCache::default(), indexed, seq)?;
            clear(connection, names, keep_kinds, seq)
        }
        Replacement::Restore { from } => {
            connection.execute("ATTACH DATABASE ?1 AS source", [path_text(from)?])?;
            let result = restore(connection, names, seq);
            if !connection.is_autocommit() {
                connection.execute_batch("ROLLBACK")?;
            }
            connection.execute_batch("DETACH DATABASE source")?;
            result
        }
    }
}

fn clear(
    connection: &Connection,
    names: &WriterNameTable,
    keep_kinds: &[String],
    seq: Seq,
) -> Result<LogState> {
    let keep: Vec<String> =
        keep_kinds.iter().filter_map(|kind| names.get(kind)).map(|kind| kind.to_string()).collect();
    for table in ["documents", "unique_keys", "indexed", "counts"] {
        // Without a condition SQLite frees whole pages instead of deleting rows.
        let condition = match keep.as_slice() {
            [] => String::new(),
            keep => format!("WHERE kind NOT IN ({})", keep.join(", ")),
        };
        connection.execute(&format!("DELETE FROM {table} {condition}"), [])?;
    }
    for table in ["counters", "records", "record_ends"] {
        connection.execute(&format!("DELETE FROM {table}"), [])?;
    }
    let with_records: Vec<(NameNumber, String)> = connection
        .prepare("SELECT kind, id FROM documents WHERE record != ?1")?
        .query_map([records::NONE], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (kind, id) in with_records {
        checksum::set_record(connection, kind, &id, records::NONE)?;
    }
    new_epoch(connection, seq)
}

fn restore(connection: &Connection, names: &mut WriterNameTable, seq: Seq) -> Result<LogState> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for table in OF_KINDS.iter().chain(&["counters", "settings"]) {
        connection.execute(&format!("DELETE FROM main.{table}"), [])?;
    }
    let numbering = numbering(connection, names)?;
    if numbering.iter().all(|(theirs, ours)| theirs == ours) {
        for table in OF_KINDS {
            // SQLite copies tables of the same shape page by page.
            connection.execute(&format!("INSERT INTO main.{table} SELECT * FROM source.{table}"), [])?;
        }
    } else {
        copy_renumbered(connection, &numbering)?;
    }
    for table in ["counters", "settings"] {
        connection.execute(&format!("INSERT INTO main.{table} SELECT * FROM source.{table}"), [])?;
    }
    let newest: i64 = connection.query_row(
        "SELECT max(base, (SELECT coalesce(max(last), 0) FROM source.changes)) FROM source.log_state",
        [],
        |row| row.get(0),
    )?;
    new_epoch(connection, seq.max(newest.unsigned_abs()))
}

/// Returns our number for each number of the backup. Existing names keep their number here, because readers cache
/// numbers.
fn numbering(
    connection: &Connection,
    names: &mut WriterNameTable,
) -> Result<HashMap<NameNumber, NameNumber>> {
    let theirs: Vec<(NameNumber, String)> = connection
        .prepare("SELECT number, name FROM source.names ORDER BY number")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    theirs.into_iter().map(|(number, name)| Ok((number, names.get_or_add(connection, &name)?))).collect()
}

/// Copies the content of a backup whose kinds and paths have other numbers.
fn copy_renumbered(connection: &Connection, numbering: &HashMap<NameNumber, NameNumber>) -> Result<()> {
    connection.execute_batch("CREATE TEMP TABLE numbering (theirs INTEGER PRIMARY KEY, ours INTEGER)")?;
    for (theirs, ours) in numbering {
        connection.prepare_cached("INSERT INTO temp.numbering VALUES (?1, ?2)")?.execute((theirs, ours))?;
    }
    let ours = |theirs: NameNumber| {
        numbering.get(&theirs).copied().ok_or(Error::Damaged("the entries of a document"))
    };
    // Tables of the backup are qualified by its schema, `source`; unqualified tables are ours.
    let mut statements = Statements::new(connection);
    let mut documents = connection.prepare(
        "SELECT kind, id, version, revision, sequence, entries, body, record, sum
         FROM source.documents ORDER BY number",
    )?;
    let mut rows = documents.query([])?;
    while let Some(row) = rows.next()? {
        let CheckedRow { row: of, sequence, entries, body } = CheckedRow::read(row)?;
        let kind = ours(of.kind)?;
        let entries = entries::renumber(&compression::decompress(entries)?, ours)?;
        let (entries, record) = (compression::compress_value(&entries), row.get::<_, i64>(7)?);
        let sum = DocumentRow { kind, ..of }.sum(sequence, body, &entries, record);
        let insert = (kind, of.id, of.version, of.revision, sequence, entries, body, record, sum);
        statements.get(Sql::InsertDocument)?.execute(insert)?;
    }
    drop(rows);
    connection.execute_batch(
        "INSERT INTO main.unique_keys SELECT k.ours, p.ours, r.value, r.id
         FROM source.unique_keys r JOIN temp.numbering k ON k.theirs = r.kind
         JOIN temp.numbering p ON p.theirs = r.path;
         INSERT INTO main.indexed SELECT k.ours, p.ours, r.value, r.id
         FROM source.indexed r JOIN temp.numbering k ON k.theirs = r.kind
         JOIN temp.numbering p ON p.theirs = r.path;
         DROP TABLE temp.numbering;",
    )?;
    let mut counts = connection.prepare("SELECT kind, documents FROM source.counts")?;
    let mut rows = counts.query([])?;
    while let Some(row) = rows.next()? {
        document_counts::set_in_file(&mut statements, ours(row.get(0)?)?, row.get(1)?)?;
    }
    records::copy_renumbered(connection, &mut statements, ours)
}

/// Empties the change log, starts a new epoch, and commits.
fn new_epoch(connection: &Connection, seq: Seq) -> Result<LogState> {
    connection.execute("DELETE FROM main.changes", [])?;
    connection.execute(
        "UPDATE main.log_state SET epoch = epoch + 1, base = ?1, indexed = ?1",
        [to_sqlite_integer(seq)],
    )?;
    reads::update_log_state_checksum(connection)?;
    let state = reads::log_state(connection)?;
    connection.execute_batch("COMMIT")?;
    Ok(state)
}

/// Writes a snapshot to a new file. The reader's transaction holds the snapshot while commits continue.
pub(super) fn backup(connection: &Connection, to: &Path, durability: Durability) -> Result<()> {
    if to.exists() {
        return Err(Error::Invalid(format!("{} already exists", to.display())));
    }
    let partial = partial_name(to);
    remove_if_there(&partial)?;
    let result = write_backup(connection, &partial, durability).and_then(|()| {
        // Damaged pages are copied as they are.
        let source = connection.path().map_or(to, Path::new);
        verify_file(&partial)?.ensure_undamaged(source)?;
        give_name(&partial, to, durability)
    });
    if result.is_err() {
        // The incomplete file is useless, and the caller gets the first error.
        let _ = fs::remove_file(&partial);
    }
    result
}

/// Returns the name of an incomplete backup.
pub(super) fn partial_name(to: &Path) -> PathBuf {
    let mut partial = to.as_os_str().to_owned();
    partial.push(".partial");
    PathBuf::from(partial)
}

/// Renames a complete backup to its final name.
pub(super) fn give_name(partial: &Path, to: &Path, durability: Durability) -> Result<()> {
    fs::rename(partial, to).map_err(|error| Error::io(to, error))?;
    if durability == Durability::Full
        && let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty())
    {
        // The name is on disk when the folder is synced.
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| Error::io(folder, error))?;
    }
    Ok(())
}

fn write_backup(connection: &Connection, to: &Path, durability: Durability) -> Result<()> {
    // Row by row: a copy of the pages would contain unused ones, with deleted data.
    connection.execute("VACUUM INTO ?1", [path_text(to)?])?;
    let copy = connections::open(to, connections::Role::Reader, durability)?;
    write_rows(&copy)?;
    // A single file without a log.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    let roots = unused_bytes::root_pages(&copy)?;
    copy.close().map_err(|(_, error)| Error::from(error))?;
    let file = File::options().read(true).write(true).open(to).map_err(|error| Error::io(to, error))?;
    // Writing the deferred index rows replaced others, whose bytes are still in the pages.
    unused_bytes::overwrite_unused_bytes(&file, &roots, None, &mut |_| Ok(()))?;
    match durability {
        Durability::Full => file.sync_all().map_err(|error| Error::io(to, error)),
        Durability::Off => Ok(()),
    }
}

/// Writes the deferred index rows of a copy.
fn write_rows(copy: &Connection) -> Result<()> {
    let LogState { indexed, newest, .. } = reads::log_state(copy)?;
    if indexed < newest { deferred_index::write_all(copy, indexed, newest) } else { Ok(()) }
}

pub(super) fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path, error)),
        _ => Ok(()),
    }
}

fn path_text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::Invalid(format!("{} is no Unicode path", path.display())))
}
