//! Updates in-memory data after changes by other processes.

use futures_util::future::BoxFuture;
use std::sync::atomic::Ordering;

use tokio::task::yield_now;

use crate::{AuthService, Result};

impl AuthService {
    /// Updates in-memory data to all changes that other processes have made so far; every request calls it
    /// first. One query to the store is shared by all requests that wait for it to begin; without other
    /// processes there is none.
    ///
    /// Fails if the store does not respond. Then nothing may be served from memory.
    pub fn catch_up(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            if !self.is_shared() {
                return Ok(());
            }
            let begun = self.freshness.begun.load(Ordering::Acquire);
            let mut response = self.freshness.outcome.lock().await;
            if response.query_number > begun {
                // This query began after our request. Its failure counts too: otherwise all waiting requests
                // would query one after the other, each for as long as the timeout of the store.
                return response.failed.clone().map_or(Ok(()), Err);
            }
            // Requests that arrive now join this query, e.g. those whose changes one transaction has written.
            yield_now().await;
            let question = self.freshness.begun.fetch_add(1, Ordering::AcqRel) + 1;
            let Some(query) = self.store.revision() else { return Ok(()) };
            let read = query.await;
            let caught_up = read.and_then(|revision| {
                if response.revision != Some(revision) {
                    self.reload()?;
                    response.revision = Some(revision);
                }
                Ok(())
            });
            response.query_number = question;
            response.failed = caught_up.as_ref().err().cloned();
            caught_up
        })
    }

    /// Reads all projects and clients again, and forgets all tokens.
    fn reload(&self) -> Result<()> {
        // Held while they are read: what this process changes meanwhile comes after it.
        let mut registry = self.shared.registry.write();
        let (projects, clients) = self.store.all()?;
        registry.update(projects, clients);
        drop(registry);
        let _revoking = self.shared.revoking.write();
        self.shared.grants.clear();
        Ok(())
    }
}
