//! A bare SQLite loop: one thread that commits writes in groups as large as the callers could form.
//!
//! One version check and one row a document; no keys, no index, no change log, no messages, no HTTP.

use crate::machine::Cores;
use crate::process::cpu_seconds_of;
use anyhow::{Context as _, ensure};
use clap::Args;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

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

/// What the loop cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) writes: f64,
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
}

impl Outcome {
    /// Runs the loop in a process of its own, on the core of the servers.
    pub(crate) fn measure(
        cores: Cores,
        folder: &Path,
        documents: &Path,
        writes: usize,
        group: usize,
        insert: bool,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        let mut command = cores.server_command(program.as_os_str());
        let file = folder.join(format!("bare-{insert}.db"));
        command.arg("peer-sqlite").arg("--file").arg(&file).arg("--documents").arg(documents);
        command.args(["--writes", &writes.to_string(), "--group", &group.to_string()]);
        if insert {
            command.arg("--insert");
        }
        let output = command.stderr(std::process::Stdio::inherit()).output()?;
        ensure!(output.status.success(), "the group-commit loop failed ({})", output.status);
        let outcome: Value = serde_json::from_slice(&output.stdout)?;
        let number = |name: &str| outcome[name].as_f64().with_context(|| format!("no {name}"));
        Ok(Self { writes: writes as f64, seconds: number("seconds")?, cpu_seconds: number("cpuSeconds")? })
    }

    pub(crate) fn rate(&self) -> f64 {
        self.writes / self.seconds
    }

    pub(crate) fn cpu_us(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.writes
    }

    pub(crate) fn line(&self) -> String {
        format!("{:.1} µs CPU, {:.0}/s", self.cpu_us(), self.rate())
    }
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
    let (started, cpu_before) = (Instant::now(), cpu_seconds_of("self")?);
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
    let (seconds, cpu_seconds) = (started.elapsed().as_secs_f64(), cpu_seconds_of("self")? - cpu_before);
    writeln!(std::io::stdout(), "{}", json!({"seconds": seconds, "cpuSeconds": cpu_seconds}))?;
    Ok(())
}
