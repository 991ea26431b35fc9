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
    Durability, cache::Cache, connections::Readers, damage::DamageMet, erasure::Erasure,
    file_watch::FileWatch, late::Late, names::Names, queue::Queue,
};
use crate::Seq;

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
