//! Submits work to the writer thread of a database, and starts the thread if necessary.

use super::{
    content::ContentJob,
    erasure_state::StepJob,
    queue::{Job, RowsAnswer, Waiting},
    shared::Shared,
};
use crate::{Error, Result};
use std::{sync::Arc, thread::JoinHandle};

/// Submits a commit. Its result is delivered in any case.
pub(super) fn commit(shared: &Arc<Shared>, job: Job) {
    shared.queue.commit(job, || start(shared));
}

/// Submits a replacement of the content.
pub(super) fn content(shared: &Arc<Shared>, job: ContentJob) -> Result<()> {
    shared.queue.hand_in(Waiting::Content(job), || start(shared))
}

/// Requests that all deferred index rows are written.
pub(super) fn rows(shared: &Arc<Shared>, answer: RowsAnswer) -> Result<()> {
    shared.queue.hand_in(Waiting::Rows(answer), || start(shared))
}

/// Requests a step of the removal of erased data.
pub(super) fn erasure(shared: &Arc<Shared>, job: StepJob) -> Result<()> {
    shared.queue.hand_in(Waiting::Erasure(job), || start(shared))
}

/// Starts a writer thread.
fn start(shared: &Arc<Shared>) -> Result<JoinHandle<()>> {
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
struct WatchWriter<'s>(&'s Shared);

impl Drop for WatchWriter<'_> {
    fn drop(&mut self) {
        self.0.queue.writer_is_gone();
    }
}
