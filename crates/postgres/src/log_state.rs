//! The last known position of a shop's change log, and its listeners.

use std::time::Instant;

use kontor_storage::Seq;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::{cache::Cache, tail::Tail};

/// Where the log of a shop stands. Shared by all who have opened it here.
#[derive(Debug)]
pub(crate) struct LogState {
    project: String,
    newest: watch::Sender<Seq>,
    /// The last known epoch.
    epoch: Mutex<Option<u64>>,
    /// Until when this process looks after the shop.
    kept_until: Mutex<Option<Instant>>,
    /// Documents as they were when the log was last read, or newer.
    pub(crate) cache: Cache,
    /// The newest entries that were written here.
    pub(crate) tail: Tail,
}

impl LogState {
    pub(crate) fn new(project: &str, newest: Seq) -> Self {
        LogState {
            project: project.to_owned(),
            newest: watch::Sender::new(newest),
            epoch: Mutex::default(),
            kept_until: Mutex::default(),
            cache: Cache::default(),
            tail: Tail::default(),
        }
    }

    /// The key of the project.
    pub(crate) fn project(&self) -> &str {
        &self.project
    }

    /// Listens from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Seq> {
        self.newest.subscribe()
    }

    /// This process looks after the shop until then; `None`: another one does.
    pub(crate) fn keep_until(&self, end: Option<Instant>) {
        *self.kept_until.lock() = end;
    }

    /// Whether this process looks after the shop.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept_until.lock().is_some_and(|end| Instant::now() < end)
    }

    /// The content was replaced by this process: wakes listeners, whether or not the log has grown.
    pub(crate) fn begins(&self, seq: Seq, epoch: u64) {
        *self.epoch.lock() = Some(epoch);
        self.newest.send_modify(|newest| *newest = seq.max(*newest));
    }

    /// Tells listeners where the log stands, and that another epoch has begun.
    pub(crate) fn heard(&self, seq: Seq, epoch: Option<u64>) {
        let is_new_epoch =
            epoch.is_some_and(|epoch| self.epoch.lock().replace(epoch).is_some_and(|before| before != epoch));
        self.newest.send_if_modified(|newest| {
            let has_gone_on = seq > *newest;
            *newest = seq.max(*newest);
            has_gone_on || is_new_epoch
        });
    }
}
