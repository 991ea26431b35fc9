//! A bare SQLite loop: one thread that commits writes in groups as large as the callers could form.
//!
//! One version check and one row a document; no keys, no index, no change log, no messages, no HTTP.

use super::outcome::{Outcome, Watch};
use crate::machine::Cores;
use anyhow::ensure;
use clap::Args;
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};

/// Bytes of a page, as Kontor has them.
const PAGE_BYTES: i64 = 8192;

#[derive(Debug, Args)]
pub(crate) struct GroupCommitArguments {
    /// The database to make.
    #[arg(long)]
    file: PathBuf,
    /// One JSON document a line.
    #[arg(long)]
    documents: PathBuf,
    #[arg(long)]
    writes: usize,
    /// Writes that share a commit.
    #[arg(long)]
    group: usize,
    /// Insert documents instead of updating those that are there.
    #[arg(long)]
    insert: bool,
}

/// Runs the loop in a process of its own, on the core of the servers.
pub(crate) fn measure_group_commit(
    cores: Cores,
    folder: &Path,
    documents: &Path,
    writes: usize,
    group: usize,
    insert: bool,
) -> anyhow::Result<Outcome> {
    let mut command = cores.server_command(std::env::current_exe()?.as_os_str());
    let file = folder.join(format!("bare-{insert}.db"));
    command.arg("peer-sqlite").arg("--file").arg(&file).arg("--documents").arg(documents);
    command.args(["--writes", &writes.to_string(), "--group", &group.to_string()]);
    if insert {
        command.arg("--insert");
    }
    Outcome::of(command)
}

/// Runs the loop and prints what it cost.
pub(crate) fn group_commit(arguments: &GroupCommitArguments) -> anyhow::Result<()> {
    let text = fs_err::read_to_string(&arguments.documents)?;
    let documents: Vec<&str> = text.lines().collect();
    let mut connection = Connection::open(&arguments.file)?;
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(
        "CREATE TABLE documents (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, body BLOB NOT NULL) STRICT",
    )?;
    if !arguments.insert {
        let filling = connection.transaction()?;
        for (id, body) in documents.iter().enumerate() {
            filling
                .execute("INSERT INTO documents VALUES (?1, 1, ?2)", params![id as i64, body.as_bytes()])?;
        }
        filling.commit()?;
    }
    let watch = Watch::start()?;
    let mut done = 0;
    while done < arguments.writes {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for _ in 0..arguments.group.min(arguments.writes - done) {
            let at = done % documents.len();
            let body = documents[at].as_bytes();
            let changed = if arguments.insert {
                let mut insert = transaction.prepare_cached("INSERT INTO documents VALUES (?1, 1, ?2)")?;
                insert.execute(params![done as i64, body])?
            } else {
                let version = (done / documents.len() + 1) as i64;
                let mut update = transaction.prepare_cached(
                    "UPDATE documents SET version = version + 1, body = ?3 WHERE id = ?1 AND version = ?2",
                )?;
                update.execute(params![at as i64, version, body])?
            };
            ensure!(changed == 1, "a write was lost");
            done += 1;
        }
        transaction.commit()?;
    }
    watch.print(done)
}
