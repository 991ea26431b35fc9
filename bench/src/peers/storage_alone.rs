//! Kontor's storage alone: concurrent callers in one process read a document and commit its next version, with the
//! keys, index rows and preconditions of an update through the API.

use super::outcome::{CostMeter, PeerCost};
use crate::machine::Cores;
use anyhow::{Context as _, anyhow};
use clap::Args;
use kontor_json::Value;
use kontor_storage::{Commit, IndexValue, Precondition, Put, Sqlite, SqliteOptions, Storage, UniqueKey};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The kind of the documents.
const KIND: &str = "state";

#[derive(Debug, Args)]
pub(crate) struct StorageAloneArguments {
    /// The database to make.
    #[arg(long)]
    file: PathBuf,
    /// One JSON document a line.
    #[arg(long)]
    documents: PathBuf,
    #[arg(long)]
    writes: usize,
    /// How many write at a time.
    #[arg(long)]
    callers: usize,
}

/// Runs the callers in a process of their own, on the core of the servers.
pub(crate) fn measure_storage_alone(
    cores: Cores,
    file: &Path,
    documents: &Path,
    writes: usize,
    callers: usize,
) -> anyhow::Result<PeerCost> {
    let mut command = cores.server_command(std::env::current_exe()?.as_os_str());
    command.arg("peer-storage").arg("--file").arg(file).arg("--documents").arg(documents);
    command.args(["--writes", &writes.to_string(), "--callers", &callers.to_string()]);
    PeerCost::run(command)
}

/// Runs the callers and prints what they cost.
pub(crate) fn storage_alone(arguments: &StorageAloneArguments) -> anyhow::Result<()> {
    // As the model has it.
    let deferred_paths = vec!["lastModifiedAt".to_owned()];
    let options = SqliteOptions { deferred_paths, ..SqliteOptions::for_project("bench") };
    let storage: Arc<dyn Storage> = Arc::new(Sqlite::open(&arguments.file, options)?);
    let text = fs_err::read_to_string(&arguments.documents)?;
    let documents: Arc<Vec<Put>> = Arc::new(text.lines().map(first).collect::<Result<_, _>>()?);
    for document in documents.iter() {
        storage.commit_blocking(Commit::new().put(document.clone()))?;
    }
    let next = Arc::new(AtomicUsize::new(0));
    let watch = CostMeter::start()?;
    // One thread, as the server has where it is measured: it runs on one core.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    runtime.block_on(async {
        let callers: Vec<_> = (0..arguments.callers)
            .map(|_| {
                let (storage, documents) = (Arc::clone(&storage), Arc::clone(&documents));
                tokio::spawn(call(storage, documents, Arc::clone(&next), arguments.writes))
            })
            .collect();
        for caller in callers {
            caller.await??;
        }
        anyhow::Ok(())
    })?;
    watch.print(arguments.writes)
}

/// Writes documents one after the other, in the order of the bare loop, so that both access the same pages.
async fn call(
    storage: Arc<dyn Storage>,
    documents: Arc<Vec<Put>>,
    next: Arc<AtomicUsize>,
    writes: usize,
) -> anyhow::Result<()> {
    loop {
        let write = next.fetch_add(1, Ordering::Relaxed);
        if write >= writes {
            return Ok(());
        }
        let document = &documents[write % documents.len()];
        let stored = storage.get(KIND, &document.id)?.ok_or_else(|| anyhow!("a document is lost"))?;
        let same = Precondition::Revision { kind: KIND.into(), id: stored.id, revision: stored.revision };
        let mut next = document.clone();
        next.version = stored.version + 1;
        // The time of an update has an index row.
        next.indexed[0].1 = IndexValue::Text(format!("2027-01-01T00:{write:010}Z"));
        storage.commit(Commit::new().require(same).put(next)).await?;
    }
}

/// A document as it is first written.
fn first(line: &str) -> anyhow::Result<Put> {
    let document: Value = kontor_json::from_str(line)?;
    let text = |name: &str| document[name].as_str().with_context(|| format!("no {name}")).map(str::to_owned);
    Ok(Put {
        kind: KIND.into(),
        id: text("id")?,
        version: 1,
        sequence: 0,
        body: line.to_owned().into(),
        unique: vec![UniqueKey::new("key", text("key")?)],
        indexed: vec![
            ("lastModifiedAt".into(), IndexValue::Text(text("lastModifiedAt")?)),
            ("type".into(), IndexValue::Text(text("type")?)),
        ],
        ..Put::default()
    })
}
