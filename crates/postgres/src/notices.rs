//! Collects notifications for other processes that change logs have grown. The module `listen_notify` sends them.

use std::collections::HashMap;

use kontor_storage::Seq;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The logs that have grown since the last notification.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    waiting: Mutex<HashMap<String, Seq>>,
    wake: Notify,
}

impl Notices {
    /// Adds the newest position of a project's log.
    pub(crate) fn add(&self, project: &str, seq: Seq) {
        self.waiting.lock().insert(project.to_owned(), seq);
        self.wake.notify_one();
    }

    /// Waits until there are notifications.
    pub(crate) async fn wait(&self) {
        self.wake.notified().await;
    }

    /// Removes and returns the notifications.
    pub(crate) fn take(&self) -> HashMap<String, Seq> {
        std::mem::take(&mut *self.waiting.lock())
    }
}
