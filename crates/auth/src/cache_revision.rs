//! How current the in-memory cache is relative to other processes: which queries to the store were sent and returned.

use std::sync::atomic::AtomicU64;

use tokio::sync::Mutex;

use crate::Error;

/// The state of the queries to the store.
#[derive(Default)]
pub(crate) struct CacheRevision {
    /// The number of queries begun.
    pub(crate) begun: AtomicU64,
    pub(crate) outcome: Mutex<CatchUpOutcome>,
}

/// The newest response.
#[derive(Default)]
pub(crate) struct CatchUpOutcome {
    /// The number of the query that it responds to.
    pub(crate) query_number: u64,
    pub(crate) revision: Option<u64>,
    /// The error, if the query failed.
    pub(crate) failed: Option<Error>,
}
