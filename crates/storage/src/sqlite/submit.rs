//! Submits work to the writer thread of a database, and starts the thread if necessary.

use super::{
    content::ContentJob,
    database_state::DatabaseState,
    erasure_state::ErasureJob,
    queue::{CommitJob, QueuedJob, RowsAnswer},
};
use crate::{Error, Result};
use std::{sync::Arc, thread::JoinHandle};

/// Submits a commit. Its result is delivered in any case.
pub(super) fn commit(shared: &Arc<DatabaseState>, job: CommitJob) {
    shared.queue.commit(job, || start(shared));
}

/// Submits a replacement of the content.
pub(super) fn submit_content(shared: &Arc<DatabaseState>, job: ContentJob) -> Result<()> {
    shared.queue.hand_in(QueuedJob::Content(job), || start(shared))
}

/// Requests that all deferred index rows are written.
pub(super) fn rows(shared: &Arc<DatabaseState>, response: RowsAnswer) -> Result<()> {
    shared.queue.hand_in(QueuedJob::Rows(response), || start(shared))
}

/// Requests a step of the removal of erased data.
pub(super) fn submit_erasure(shared: &Arc<DatabaseState>, job: ErasureJob) -> Result<()> {
    shared.queue.hand_in(QueuedJob::Erasure(job), || start(shared))
}

/// Starts a writer thread.
fn start(shared: &Arc<DatabaseState>) -> Result<JoinHandle<()>> {
    let for_writer = Arc::clone(shared);
    std::thread::Builder::new()
        .name("kontor-writer".into())
        .spawn(move || {
            let watch = WatchWriter(&for_writer);
            (for_writer.run_writer)(&for_writer);
            std::mem::forget(watch);
        })
        .map_err(|source| Error::io(shared.path.clone(), source))
}

/// Detects a panic of the writer: only then it is dropped.
struct WatchWriter<'s>(&'s DatabaseState);

impl Drop for WatchWriter<'_> {
    fn drop(&mut self) {
        self.0.queue.writer_is_gone();
    }
}
