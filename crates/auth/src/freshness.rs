//! How new what stands in memory is, beside what others have changed.

use std::sync::atomic::AtomicU64;

use tokio::sync::Mutex;

use crate::Error;

/// What was asked of the store, and answered.
#[derive(Default)]
pub(crate) struct Freshness {
    /// How many times somebody began to ask.
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
