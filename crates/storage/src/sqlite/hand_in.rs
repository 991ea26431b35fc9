//! How callers hand work to the writer of a database, which starts with it.

use super::{
    content::ContentJob,
    erasure_state::StepJob,
    queue::{Job, RowsAnswer, Waiting},
    shared::Shared,
};
use crate::{Error, Result};
use std::{sync::Arc, thread::JoinHandle};

/// Hands in a commit. Whatever comes of it, it is answered.
pub(super) fn commit(shared: &Arc<Shared>, job: Job) {
    shared.queue.commit(job, || start(shared));
}

/// Hands in a replacement of content.
pub(super) fn content(shared: &Arc<Shared>, job: ContentJob) -> Result<()> {
    shared.queue.hand_in(Waiting::Content(job), || start(shared))
}

/// Asks for the index rows that wait.
pub(super) fn rows(shared: &Arc<Shared>, answer: RowsAnswer) -> Result<()> {
    shared.queue.hand_in(Waiting::Rows(answer), || start(shared))
}

/// Asks for a step of removing erased data from the disk.
pub(super) fn erasure(shared: &Arc<Shared>, job: StepJob) -> Result<()> {
    shared.queue.hand_in(Waiting::Erasure(job), || start(shared))
}

/// Starts a writer.
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

/// Notices that the writer panicked: otherwise it is forgotten before it is dropped.
struct WatchWriter<'s>(&'s Shared);

impl Drop for WatchWriter<'_> {
    fn drop(&mut self) {
        self.0.queue.writer_is_gone();
    }
}
