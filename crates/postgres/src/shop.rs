//! An open shop: its log state, its queue and the server.

use std::sync::Arc;

use crate::{log_state::LogState, queue::Queue, server::Server};

/// An open shop.
pub(crate) struct Shop {
    pub(crate) server: Arc<Server>,
    pub(crate) log: Arc<LogState>,
    pub(crate) queue: Queue,
}

impl Shop {
    pub(crate) fn new(server: Arc<Server>, log: Arc<LogState>) -> Self {
        Shop { server, log, queue: Queue::default() }
    }

    /// Returns the key of the project.
    pub(crate) fn project(&self) -> &str {
        self.log.project()
    }
}
