//! What this process knows of changes that others have made.

use futures_util::future::BoxFuture;
use std::sync::atomic::Ordering;

use tokio::task::yield_now;

use crate::{Result, System};

impl System {
    /// Brings what is in memory up to date with what other processes have changed by now: to be called before anything else is
    /// done for a request. One question to the store, shared by all who come while it waits to be asked; nothing at all where no
    /// other process changes anything.
    ///
    /// Fails where the store does not answer. Nothing may be answered from memory then.
    pub fn catch_up(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            if !self.is_shared() {
                return Ok(());
            }
            let begun = self.freshness.begun.load(Ordering::Acquire);
            let mut answered = self.freshness.answered.lock().await;
            if answered.question > begun {
                // It was asked after we came. That it failed is an answer too: otherwise all who wait would ask one after the other, each
                // as long as a store that is gone lets them wait.
                return answered.failed.clone().map_or(Ok(()), Err);
            }
            // Who is about to come, as those whose changes were written by one transaction are, asks with us: their requests are read first.
            yield_now().await;
            let question = self.freshness.begun.fetch_add(1, Ordering::AcqRel) + 1;
            let Some(asking) = self.store.revision() else { return Ok(()) };
            let asked = asking.await;
            let caught_up = asked.and_then(|revision| {
                if answered.revision != Some(revision) {
                    self.reload()?;
                    answered.revision = Some(revision);
                }
                Ok(())
            });
            answered.question = question;
            answered.failed = caught_up.as_ref().err().cloned();
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
