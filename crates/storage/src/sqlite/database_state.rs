//! The state of an open database that its handle ([`Sqlite`](super::Sqlite)), the writer and background threads share.

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
    Durability, cache::Cache, connections::ConnectionPool, damage::DamageLog, deferred_index::DeferredIndex,
    erasure_state::ErasureState, file_watch::FileWatch, name_table::NameTable, queue::WriterQueue,
};
use crate::{DamagedRow, Error, Seq};

/// An open database.
pub(super) struct DatabaseState {
    /// The project key, for logs and metrics.
    pub(super) project: String,
    /// The file.
    pub(super) path: PathBuf,
    pub(super) durability: Durability,
    /// The maximum number of pages of the file, if limited.
    pub(super) pages_max: Option<u32>,
    /// Disk space in bytes reserved for deletions.
    pub(super) disk_bytes_kept: u64,
    /// The time without work after which threads end and connections close.
    pub(super) idle: Duration,
    /// The minimum number of newest entries in the change log.
    pub(super) changes_kept: u64,
    pub(super) readers: ConnectionPool,
    pub(super) watch: Arc<FileWatch>,
    pub(super) damage: DamageLog,
    /// Whether the last transaction failed because the disk was full.
    pub(super) is_full: AtomicBool,
    pub(super) names: NameTable,
    pub(super) cache: Cache,
    pub(super) queue: WriterQueue,
    /// The main function of the writer's thread. It returns when the queue was empty for a while.
    pub(super) run_writer: fn(&Arc<DatabaseState>),
    /// The state of deferred index rows.
    pub(super) deferred_index: DeferredIndex,
    /// The newest position of the change log.
    pub(super) newest: watch::Sender<Seq>,
    /// The epoch of the change log.
    pub(super) epoch: AtomicU64,
    /// The number of written transactions.
    pub(super) transactions: AtomicU64,
    /// Whether a checkpoint is running.
    pub(super) is_checkpointing: AtomicBool,
    /// The removal of erased data. The last field: its file must be closed after all connections.
    pub(super) erasure: ErasureState,
}

impl DatabaseState {
    /// Records an error if it is damage. Returns the error, with the name of the kind instead of its number.
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
