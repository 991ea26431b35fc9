//! How current the in-memory data is relative to other processes.

use std::sync::atomic::AtomicU64;

use tokio::sync::Mutex;

use crate::Error;

/// The state of the queries to the store.
#[derive(Default)]
pub(crate) struct Freshness {
    /// The number of queries begun.
    pub(crate) begun: AtomicU64,
    pub(crate) answered: Mutex<Answered>,
}

/// The newest answer.
#[derive(Default)]
pub(crate) struct Answered {
    /// Which question it was to.
    pub(crate) question: u64,
    pub(crate) revision: Option<u64>,
    /// Why it was no answer.
    pub(crate) failed: Option<Error>,
}
