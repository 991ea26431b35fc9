//! An open shop: its log state, its queue and the server.

use std::sync::Arc;

use crate::{queue::CommitQueue, server::ServerPool, shop_log::ShopLog};

/// An open shop.
pub(crate) struct OpenShop {
    pub(crate) server: Arc<ServerPool>,
    pub(crate) log: Arc<ShopLog>,
    pub(crate) queue: CommitQueue,
}

impl OpenShop {
    pub(crate) fn new(server: Arc<ServerPool>, log: Arc<ShopLog>) -> Self {
        OpenShop { server, log, queue: CommitQueue::default() }
    }

    /// Returns the key of the project.
    pub(crate) fn project(&self) -> &str {
        self.log.project()
    }
}
