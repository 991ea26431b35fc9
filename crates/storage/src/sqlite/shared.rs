//! What the handle, the writer and the helpers of one database share.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64},
    },
    time::Duration,
};

use tokio::sync::watch;

use super::{
    Durability, cache::Cache, connections::Readers, damage::DamageMet, erasure_state::Erasure,
    file_watch::FileWatch, late::Late, names::Names, queue::Queue,
};
use crate::{DamagedRow, Error, Seq};

/// One database that is open.
pub(super) struct Shared {
    /// The project key, for the log.
    pub(super) project: String,
    /// The file.
    pub(super) path: PathBuf,
    pub(super) durability: Durability,
    /// The most pages the file may have, where it is bounded.
    pub(super) pages_max: Option<u32>,
    /// Room on the disk that is left to deletions.
    pub(super) disk_bytes_kept: u64,
    /// After how long without work threads end and connections close.
    pub(super) idle: Duration,
    /// Entries of the change log that are kept.
    pub(super) changes_kept: u64,
    pub(super) readers: Readers,
    pub(super) watch: Arc<FileWatch>,
    pub(super) damage: DamageMet,
    /// Whether the last transaction did not fit on the disk.
    pub(super) is_full: AtomicBool,
    pub(super) names: Names,
    pub(super) cache: Cache,
    pub(super) queue: Queue,
    /// The work of the writer's thread. It ends when nothing has waited in the queue for a while.
    pub(super) run_writer: fn(&Arc<Shared>),
    /// The index rows that wait.
    pub(super) late: Late,
    /// The newest position of the change log.
    pub(super) newest: watch::Sender<Seq>,
    /// The epoch of the change log.
    pub(super) epoch: AtomicU64,
    /// How many transactions were written.
    pub(super) transactions: AtomicU64,
    /// Whether a checkpoint is under way.
    pub(super) is_checkpointing: AtomicBool,
    /// Removes erased data from the disk. The last field: its file is closed after all connections.
    pub(super) erasure: Erasure,
}

impl Shared {
    /// Notes an error where it is damage. Returns the error, with the name of the kind instead of its number.
    pub(super) fn record_damage(&self, error: Error) -> Error {
        if !error.is_damage() {
            return error;
        }
        let error = match error {
            Error::DamagedRow(row) => Error::DamagedRow(self.with_kind_name(row)),
            error => error,
        };
        self.damage.record(&self.project, &self.path, &error);
        error
    }

    fn with_kind_name(&self, row: DamagedRow) -> DamagedRow {
        let name = row.kind.parse().ok().and_then(|number| self.names.name(number));
        match name {
            Some(name) => DamagedRow { kind: name.into(), ..row },
            None => row,
        }
    }
}
