//! Pending notifications for other processes.

use std::collections::HashMap;

use kontor_storage::Seq;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The logs that have gone on since others were told.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    waiting: Mutex<HashMap<String, Seq>>,
    wake: Notify,
}

impl Notices {
    /// The log of a project has come so far.
    pub(crate) fn add(&self, project: &str, seq: Seq) {
        self.waiting.lock().insert(project.to_owned(), seq);
        self.wake.notify_one();
    }

    /// Waits until there is something to tell.
    pub(crate) async fn some(&self) {
        self.wake.notified().await;
    }

    /// Takes what is to be told.
    pub(crate) fn take(&self) -> HashMap<String, Seq> {
        std::mem::take(&mut *self.waiting.lock())
    }
}
