//! The state of a shop's change log in this process: its newest position, listeners, cache, and the lease of the shop.

use std::time::Instant;

use kontor_storage::Seq;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::{cache::DocumentCache, recent_changes::RecentChanges};

/// The state of a shop's log, shared by all users of the shop in this process.
#[derive(Debug)]
pub(crate) struct ShopLog {
    project: String,
    newest: watch::Sender<Seq>,
    /// The last known epoch.
    epoch: Mutex<Option<u64>>,
    /// The end of this process's lease for the background work of the shop.
    kept_until: Mutex<Option<Instant>>,
    /// Cached documents, as of the last read of the log or newer.
    pub(crate) cache: DocumentCache,
    /// The newest entries that this process wrote.
    pub(crate) tail: RecentChanges,
}

impl ShopLog {
    pub(crate) fn new(project: &str, newest: Seq) -> Self {
        ShopLog {
            project: project.to_owned(),
            newest: watch::Sender::new(newest),
            epoch: Mutex::default(),
            kept_until: Mutex::default(),
            cache: DocumentCache::default(),
            tail: RecentChanges::default(),
        }
    }

    /// Returns the key of the project.
    pub(crate) fn project(&self) -> &str {
        &self.project
    }

    /// Returns a receiver of the newest position.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Seq> {
        self.newest.subscribe()
    }

    /// Sets the end of this process's lease; `None`: another process has it.
    pub(crate) fn set_lease(&self, end: Option<Instant>) {
        *self.kept_until.lock() = end;
    }

    /// Returns whether this process does the background work of the shop.
    pub(crate) fn is_keeper(&self) -> bool {
        self.kept_until.lock().is_some_and(|end| Instant::now() < end)
    }

    /// Wakes listeners after this process replaced the content, even if the log has not grown.
    pub(crate) fn reset_epoch(&self, seq: Seq, epoch: u64) {
        *self.epoch.lock() = Some(epoch);
        self.newest.send_modify(|newest| *newest = seq.max(*newest));
    }

    /// Wakes listeners if the log has grown, or if the epoch differs from the last known one.
    pub(crate) fn advance(&self, seq: Seq, epoch: Option<u64>) {
        let is_new_epoch =
            epoch.is_some_and(|epoch| self.epoch.lock().replace(epoch).is_some_and(|before| before != epoch));
        self.newest.send_if_modified(|newest| {
            let has_gone_on = seq > *newest;
            *newest = seq.max(*newest);
            has_gone_on || is_new_epoch
        });
    }
}
