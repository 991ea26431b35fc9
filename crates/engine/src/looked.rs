//! How far a shop has looked at what other processes have written.

use kontor_errors::ApiError;
use kontor_storage::Seq;
use std::sync::atomic::AtomicU64;
use tokio::sync::Mutex;

/// How far a shop has looked.
#[derive(Default)]
pub(crate) struct Looked {
    /// How many looks were begun.
    pub(crate) begun: AtomicU64,
    pub(crate) last: Mutex<Look>,
}

/// A place in a change log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Of which content: where all of it is replaced, the position may stay as it is.
    pub(crate) epoch: u64,
    pub(crate) seq: Seq,
}

/// The last look.
#[derive(Default)]
pub(crate) struct Look {
    pub(crate) number: u64,
    pub(crate) place: Option<Place>,
    /// Why nothing was seen.
    pub(crate) failed: Option<ApiError>,
}
