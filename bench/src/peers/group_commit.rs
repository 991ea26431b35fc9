//! A bare SQLite loop: one thread that commits writes in groups as large as concurrent callers could form.
//!
//! Each write finds one document by its id, checks its version and writes one row; no keys, no index rows, no change
//! log, no messages, no HTTP, and no caller that waits for a response.

use super::outcome::{CostMeter, PeerCost};
use crate::machine::Cores;
use anyhow::ensure;
use clap::Args;
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};

/// Bytes of a page, as Kontor has them.
const PAGE_BYTES: i64 = 4096;

const INSERT: &str = "INSERT INTO documents (id, version, body) VALUES (?1, 1, ?2)";

/// Ids that rise with time and look like those of Kontor.
fn id(at: usize) -> String {
    format!("018f3c2e-0000-7000-8000-{at:012}")
}

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
) -> anyhow::Result<PeerCost> {
    let mut command = cores.server_command(std::env::current_exe()?.as_os_str());
    let file = folder.join(format!("bare-{insert}.db"));
    command.arg("peer-sqlite").arg("--file").arg(&file).arg("--documents").arg(documents);
    command.args(["--writes", &writes.to_string(), "--group", &group.to_string()]);
    if insert {
        command.arg("--insert");
    }
    PeerCost::run(command)
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
        "CREATE TABLE documents (
             number INTEGER PRIMARY KEY, id TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL
         ) STRICT;
         CREATE UNIQUE INDEX documents_by_id ON documents (id);",
    )?;
    if !arguments.insert {
        let filling = connection.transaction()?;
        for (at, body) in documents.iter().enumerate() {
            filling.prepare_cached(INSERT)?.execute(params![id(at), body.as_bytes()])?;
        }
        filling.commit()?;
    }
    let watch = CostMeter::start()?;
    let mut done = 0;
    while done < arguments.writes {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for _ in 0..arguments.group.min(arguments.writes - done) {
            let at = done % documents.len();
            let body = documents[at].as_bytes();
            let changed = if arguments.insert {
                transaction.prepare_cached(INSERT)?.execute(params![id(done), body])?
            } else {
                let id = id(at);
                let mut find =
                    transaction.prepare_cached("SELECT number, version FROM documents WHERE id = ?1")?;
                let (number, version): (i64, i64) =
                    find.query_row([&id], |row| Ok((row.get(0)?, row.get(1)?)))?;
                ensure!(version == (done / documents.len() + 1) as i64, "a write was lost");
                let mut update = transaction
                    .prepare_cached("UPDATE documents SET version = ?2, body = ?3 WHERE number = ?1")?;
                update.execute(params![number, version + 1, body])?
            };
            ensure!(changed == 1, "a write was lost");
            done += 1;
        }
        transaction.commit()?;
    }
    watch.print(done)
}
