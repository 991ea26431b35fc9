//! The cursor of a shop in the change log of its storage, for changes by other processes.

use kontor_errors::ApiError;
use kontor_storage::Seq;
use std::sync::atomic::AtomicU64;
use tokio::sync::Mutex;

/// The state of [`Shop::catch_up`](crate::Shop::catch_up): the reads of the change log.
#[derive(Default)]
pub(crate) struct CatchUpState {
    /// The number of reads that were started.
    pub(crate) begun: AtomicU64,
    pub(crate) last: Mutex<CatchUpResult>,
}

/// A cursor in a change log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangeLogCursor {
    /// The epoch of the content. It changes when all content is replaced, even if the position stays the same.
    pub(crate) epoch: u64,
    pub(crate) seq: Seq,
}

/// The result of the last read.
#[derive(Default)]
pub(crate) struct CatchUpResult {
    pub(crate) number: u64,
    pub(crate) place: Option<ChangeLogCursor>,
    /// The error of the last read; `None` if it succeeded.
    pub(crate) failed: Option<ApiError>,
}
