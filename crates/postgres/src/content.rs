//! Replaces the content of a shop, and writes it to a backup file. Start at [`restore`].
//!
//! A backup has the format of a SQLite shop, so it moves a shop between both storages. Replacing locks the
//! row of the shop until it is done, in one transaction: readers see the old content, then the new one.

use std::{collections::HashMap, path::Path};

use bytes::Bytes;
use deadpool_postgres::Object;
use kontor_storage::{
    BackupReader, BackupWriter, Error, NamedValues, Put, RecordPosition, Result, UniqueKey,
};
use tokio_postgres::{IsolationLevel, Row, Transaction};

use crate::{
    failure::failure,
    group::insert_documents,
    open_shop::OpenShop,
    paths::PathNumbering,
    records,
    rows::decode,
    text::{escape, unescape, value_of},
};

/// Number of documents read at once, and bytes of documents written at once.
const BATCH_DOCUMENTS: usize = 500;
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Removes the timeouts: the shop is locked for long on purpose.
pub(crate) const UNHURRIED: &str =
    "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0";

pub(crate) fn failed(error: tokio_postgres::Error) -> Error {
    failure(&error)
}

/// Starts a transaction that reads one snapshot.
pub(crate) async fn begin_snapshot(
    client: &mut Object,
) -> std::result::Result<deadpool_postgres::Transaction<'_>, tokio_postgres::Error> {
    let transaction = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead);
    transaction.read_only(true).start().await
}

/// Writes a snapshot to a new backup file.
pub(crate) async fn backup(shop: &OpenShop, to: &Path) -> Result<()> {
    let mut writer = BackupWriter::create(to)?;
    let mut client = shop.server.visit_client().await?;
    let paths = shop.server.paths.by_number(&client).await.map_err(failed)?;
    let transaction = begin_snapshot(&mut client).await.map_err(failed)?;
    transaction.batch_execute(UNHURRIED).await.map_err(failed)?;
    let project = shop.project();
    let head = transaction.query_opt("SELECT seq FROM kontor.heads WHERE project = $1", &[&project]).await;
    let newest: i64 = head.map_err(failed)?.ok_or(Error::Closed)?.get(0);
    // In pages by the last name, so that only a batch is in memory.
    let sql = "SELECT kind, id, version, revision, sequence, entries, body FROM kontor.documents
               WHERE project = $1 AND (kind, id) > ($2, $3) ORDER BY kind, id LIMIT $4";
    let statement = transaction.prepare(sql).await.map_err(failed)?;
    let (mut kind, mut id) = (String::new(), String::new());
    loop {
        let limit = i64::try_from(BATCH_DOCUMENTS).unwrap_or(i64::MAX);
        let rows = transaction.query(&statement, &[&project, &kind, &id, &limit]).await.map_err(failed)?;
        for row in &rows {
            let (put, revision) = document(row, &paths)?;
            writer.document(&put, revision)?;
            (kind, id) = (put.kind, put.id);
        }
        if rows.len() < BATCH_DOCUMENTS {
            break;
        }
    }
    let mut behind = RecordPosition::before_time(i64::MIN);
    loop {
        let kept =
            records::read_after(&transaction, project, behind, BATCH_DOCUMENTS).await.map_err(failed)?;
        for record in &kept {
            writer.record(record)?;
            behind = record.place;
        }
        if kept.len() < BATCH_DOCUMENTS {
            break;
        }
    }
    let NamedValues { counters, settings, positions } = rest(&transaction, project).await?;
    for (name, value) in &counters {
        writer.add_counter(name, *value)?;
    }
    for (name, value) in &settings {
        writer.add_setting(name, value)?;
    }
    for (consumer, seq) in &positions {
        writer.position(consumer, *seq)?;
    }
    writer.finish(newest.unsigned_abs())
}

/// Reads counters, settings and positions.
pub(crate) async fn rest(transaction: &Transaction<'_>, project: &str) -> Result<NamedValues> {
    let pairs = async |sql: &str| transaction.query(sql, &[&project]).await.map_err(failed);
    let counters = pairs("SELECT name, value FROM kontor.counters WHERE project = $1").await?;
    let settings = pairs("SELECT name, value FROM kontor.settings WHERE project = $1").await?;
    let positions = pairs("SELECT consumer, seq FROM kontor.positions WHERE project = $1").await?;
    let number = |row: &Row| (unescape(row.get(0)), row.get::<_, i64>(1));
    Ok(NamedValues {
        counters: counters.iter().map(number).collect(),
        settings: settings.iter().map(|row| (unescape(row.get(0)), unescape(row.get(1)))).collect(),
        positions: positions.iter().map(number).map(|(name, seq)| (name, seq.unsigned_abs())).collect(),
    })
}

/// Returns a document with its rows and its revision. Columns: kind, id, version, revision, sequence, entries and body.
pub(crate) fn document(row: &Row, paths: &HashMap<i32, (String, String)>) -> Result<(Put, i64)> {
    let mut put = Put {
        kind: row.get(0),
        id: row.get(1),
        version: row.get(2),
        sequence: row.get(4),
        body: Bytes::copy_from_slice(row.get::<_, &str>(6).as_bytes()),
        ..Put::default()
    };
    for row in decode(row.get(5))?.iter() {
        let (_, path) = paths.get(&row.path).ok_or(Error::Damaged("the rows of a document"))?;
        if row.is_unique {
            put.unique.push(UniqueKey::new(path, unescape(&row.value)));
        } else {
            let value = value_of(&row.value).ok_or(Error::Damaged("the rows of a document"))?;
            put.indexed.push((path.clone(), value));
        }
    }
    Ok((put, row.get(3)))
}

/// Replaces the content with that of a backup file.
pub(crate) async fn restore(shop: &OpenShop, from: &Path) -> Result<()> {
    let backup = BackupReader::open(from)?;
    let mut client = shop.server.visit_client().await?;
    // Outside of the long transaction: other processes may need the same paths.
    let paths = backup.paths()?;
    let paths: Vec<(&str, &str)> = paths.iter().map(|(kind, path)| (&**kind, &**path)).collect();
    shop.server.paths.add(&client, &paths).await.map_err(failed)?;
    let project = shop.project();
    let newest = i64::try_from(backup.last_position()?).unwrap_or(i64::MAX);
    let (transaction, seq) = lock_shop(shop, &mut client).await?;
    let replaced = ["documents", "unique_keys", "index_rows", "counts", "counters", "settings", "records"];
    delete_all(&transaction, project, &replaced).await?;
    write_content(&shop.server.paths, &transaction, project, &backup).await?;
    for (name, value) in backup.counters()? {
        let sql = "INSERT INTO kontor.counters (project, name, value) VALUES ($1, $2, $3)";
        transaction.execute(sql, &[&project, &&*escape(&name), &value]).await.map_err(failed)?;
    }
    for (name, value) in backup.settings()? {
        let sql = "INSERT INTO kontor.settings (project, name, value) VALUES ($1, $2, $3)";
        let row = (escape(&name), escape(&value));
        transaction.execute(sql, &[&project, &&*row.0, &&*row.1]).await.map_err(failed)?;
    }
    new_epoch(shop, transaction, seq.max(newest)).await
}

/// Deletes the rows of a project in these tables.
pub(crate) async fn delete_all(transaction: &Transaction<'_>, project: &str, tables: &[&str]) -> Result<()> {
    for table in tables {
        let sql = format!("DELETE FROM kontor.{table} WHERE project = $1");
        transaction.execute(&sql, &[&project]).await.map_err(failed)?;
    }
    Ok(())
}

/// Writes all documents of a backup, their counts by kind, and all records. The numbers of the paths must be known.
pub(crate) async fn write_content(
    paths: &PathNumbering,
    transaction: &Transaction<'_>,
    project: &str,
    backup: &BackupReader,
) -> Result<()> {
    write_documents(paths, transaction, project, backup).await?;
    write_records(transaction, project, backup).await?;
    let sql = "INSERT INTO kontor.counts (project, kind, documents)
               SELECT project, kind, count(*) FROM kontor.documents WHERE project = $1 GROUP BY project, kind";
    transaction.execute(sql, &[&project]).await.map_err(failed).map(drop)
}

async fn write_documents(
    paths: &PathNumbering,
    transaction: &Transaction<'_>,
    project: &str,
    backup: &BackupReader,
) -> Result<()> {
    let mut place = 0;
    loop {
        let documents = backup.documents(&mut place, BATCH_BYTES)?;
        if documents.is_empty() {
            return Ok(());
        }
        insert_documents(transaction, paths, project, &documents).await?;
    }
}

async fn write_records(transaction: &Transaction<'_>, project: &str, backup: &BackupReader) -> Result<()> {
    let mut place = 0;
    loop {
        let kept = backup.records(&mut place, BATCH_BYTES)?;
        if kept.is_empty() {
            return Ok(());
        }
        records::insert(transaction, project, &kept).await?;
    }
}

/// Deletes all documents except those of some kinds, and all counters.
pub(crate) async fn clear(shop: &OpenShop, keep_kinds: &[&str]) -> Result<()> {
    let mut client = shop.server.visit_client().await?;
    let project = shop.project();
    let (transaction, seq) = lock_shop(shop, &mut client).await?;
    for table in ["documents", "counts"] {
        let sql = format!("DELETE FROM kontor.{table} WHERE project = $1 AND kind <> ALL ($2)");
        transaction.execute(&sql, &[&project, &keep_kinds]).await.map_err(failed)?;
    }
    for table in ["unique_keys", "index_rows"] {
        let sql = format!(
            "DELETE FROM kontor.{table} WHERE project = $1
             AND path NOT IN (SELECT number FROM kontor.paths WHERE kind = ANY ($2))"
        );
        transaction.execute(&sql, &[&project, &keep_kinds]).await.map_err(failed)?;
    }
    delete_all(&transaction, project, &["counters", "records"]).await?;
    new_epoch(shop, transaction, seq).await
}

/// Starts a transaction and locks the row of the shop. Returns the newest position of the log.
async fn lock_shop<'c>(shop: &OpenShop, client: &'c mut Object) -> Result<(Transaction<'c>, i64)> {
    // The pool's transaction caches statements, but these are used once; the client's own does not.
    let client: &mut tokio_postgres::Client = client;
    let transaction = client.transaction().await.map_err(failed)?;
    transaction.batch_execute(UNHURRIED).await.map_err(failed)?;
    let sql = "SELECT seq FROM kontor.heads WHERE project = $1 FOR UPDATE";
    let head = transaction.query_opt(sql, &[&shop.project()]).await.map_err(failed)?;
    Ok((transaction, head.ok_or(Error::Closed)?.get(0)))
}

/// Empties the change log, starts a new epoch, and commits.
async fn new_epoch(shop: &OpenShop, transaction: Transaction<'_>, seq: i64) -> Result<()> {
    let project = shop.project();
    transaction
        .execute("DELETE FROM kontor.changes WHERE project = $1", &[&project])
        .await
        .map_err(failed)?;
    let sql =
        "UPDATE kontor.heads SET epoch = epoch + 1, seq = $2, base = $2 WHERE project = $1 RETURNING epoch";
    let epoch: i64 = transaction.query_one(sql, &[&project, &seq]).await.map_err(failed)?.get(0);
    transaction.commit().await.map_err(failed)?;
    shop.log.cache.invalidate();
    shop.log.reset_epoch(seq.unsigned_abs(), epoch.unsigned_abs());
    shop.server.notices.add(project, seq.unsigned_abs());
    Ok(())
}
