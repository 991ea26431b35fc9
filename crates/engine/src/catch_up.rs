//! Keeps the in-memory state of a shop current when other processes change the shop too.
//!
//! No response uses this state before it is as new as the request: each request first calls
//! [`Shop::catch_up`], which reads what has been written since the last call, once for all requests that wait
//! meanwhile. Background work has no request: it calls it before it works. The derivations of each running shop
//! do so every second, so that a server without requests also notices what others have written.

use crate::catch_up_state::{CatchUpResult, ChangeLogCursor};
use crate::shop::Shop;
use crate::storage_error::storage_failure;
use futures_util::future::BoxFuture;
use kontor_errors::ApiResult;
use kontor_storage::{ChangeLogEntry, Error};
use std::sync::atomic::Ordering;
use tokio::task::yield_now;

/// Entries of the change log that are read at once.
const CHANGES_READ: usize = 10_000;
/// The kind of the settings of a project.
const PROJECT: &str = "project";

impl Shop {
    /// Updates the in-memory state to everything written so far, by any process. Does nothing if no other
    /// process writes. Fails if the change log, or a document that must be read again, cannot be read. All callers that
    /// waited for the same read get the error.
    pub fn catch_up(&self) -> BoxFuture<'_, ApiResult<()>> {
        Box::pin(async move {
            if !self.storage.is_shared() {
                return Ok(());
            }
            let begun = self.catch_up_state.begun.load(Ordering::Acquire);
            let mut last = self.catch_up_state.last.lock().await;
            if last.number > begun {
                // This read began after the call. If it failed, all waiting requests fail, instead of reading
                // one after the other.
                return last.failed.clone().map_or(Ok(()), Err);
            }
            // Requests that arrive now join this read.
            yield_now().await;
            self.read_change_log(&mut last)
        })
    }

    /// Like [`catch_up`](Self::catch_up), and blocks the thread. Not for async tasks. Fails for the same reasons.
    pub fn catch_up_blocking(&self) -> ApiResult<()> {
        if !self.storage.is_shared() {
            return Ok(());
        }
        self.read_change_log(&mut self.catch_up_state.last.blocking_lock())
    }

    fn read_change_log(&self, last: &mut CatchUpResult) -> ApiResult<()> {
        let number = self.catch_up_state.begun.fetch_add(1, Ordering::AcqRel) + 1;
        let cursor = self.process_change_log(last.place);
        last.number = number;
        last.failed = cursor.as_ref().err().cloned();
        last.place = Some(cursor?);
        Ok(())
    }

    /// Processes the change log after a cursor, or reloads everything without one. Returns the new cursor.
    fn process_change_log(&self, after: Option<ChangeLogCursor>) -> ApiResult<ChangeLogCursor> {
        let mut after = after.map_or_else(|| self.reload_everything(), Ok)?;
        loop {
            let (changes, epoch) = match self.storage.changes_and_epoch(after.seq, CHANGES_READ) {
                Ok(read) => read,
                Err(Error::Behind { .. }) => {
                    after = self.reload_everything()?;
                    continue;
                }
                Err(error) => return Err(storage_failure(error)),
            };
            if epoch != after.epoch {
                after = self.reload_everything()?;
                continue;
            }
            self.refresh_changed(&changes)?;
            after.seq = changes.last().map_or(after.seq, |change| change.seq);
            if changes.len() < CHANGES_READ {
                return Ok(after);
            }
        }
    }

    /// Reloads all in-memory state. The returned cursor is never ahead of the loaded state.
    fn reload_everything(&self) -> ApiResult<ChangeLogCursor> {
        let epoch = self.storage.epoch().map_err(storage_failure)?;
        let seq = self.storage.last_seq().map_err(storage_failure)?;
        self.reload()?;
        Ok(ChangeLogCursor { epoch, seq })
    }

    fn refresh_changed(&self, changes: &[ChangeLogEntry]) -> ApiResult<()> {
        let is_changed = |kind: &str| changes.iter().any(|change| change.kind == kind);
        if is_changed(PROJECT) {
            self.read_settings()?;
        }
        let kinds: Vec<&'static str> =
            self.behaviours.resident_kinds().iter().copied().filter(|kind| is_changed(kind)).collect();
        self.resident_documents.read(&kinds, &*self.storage)
    }
}
