//! The queue of the writer, and the state of its thread. Start at [`WriterQueue::commit`].
//!
//! The writer's thread starts with the first job and ends after some time without jobs, so that an idle shop costs no
//! thread.

use std::{
    collections::VecDeque,
    sync::{Arc, mpsc::SyncSender},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{
    compression::{CompressedBodies, PACKED_BYTES_MIN},
    content::ContentJob,
    erasure_state::ErasureJob,
};
use crate::{
    Commit, Error, Result,
    commit_future::{self, OutcomeSender},
};

/// Maximum number of queued commits (backpressure): more fail with [`Error::Busy`]. Far more than callers that wait.
const WAITING_MAX: usize = 16 * 1024;

/// Maximum number of commits that share a transaction, and with it one sync of the disk.
const BATCH_MAX: usize = 256;

/// How long the writer yields at most to threads that are about to submit commits, even if other threads use the core.
const YIELD_MAX: Duration = Duration::from_millis(20);

/// A commit, and the channel for its result.
pub(super) struct CommitJob {
    pub(super) commit: Commit,
    /// The compressed bodies of its documents.
    pub(super) bodies: CompressedBodies,
    pub(super) result_sender: OutcomeSender,
}

impl CommitJob {
    /// Compresses large documents and lines, so that callers do it in parallel, and not the single writer.
    pub(super) fn new(commit: Commit, result_sender: OutcomeSender) -> Self {
        let commit = commit.split_large_lines(PACKED_BYTES_MIN);
        CommitJob { bodies: CompressedBodies::compress(&commit), commit, result_sender }
    }
}

/// The channel that reports that no deferred index rows are left.
pub(super) type RowsAnswer = SyncSender<Result<()>>;

/// The next work of the writer.
pub(super) enum WriterTask {
    /// Write these commits in one transaction.
    Batch(Vec<CommitJob>),
    /// Replace the content.
    Content(ContentJob),
    /// Write all deferred index rows.
    Rows(RowsAnswer),
    /// Take a step of the removal of erased data.
    Erasure(ErasureJob),
    /// Do the cleanup of an idle writer.
    Cleanup,
    /// End: there was no work for a while, or the database is closed.
    Nothing,
}

/// A queued job.
pub(super) enum QueuedJob {
    Commit(CommitJob),
    Content(ContentJob),
    Rows(RowsAnswer),
    Erasure(ErasureJob),
}

/// The queue.
#[derive(Default)]
pub(super) struct WriterQueue {
    state: Mutex<QueueState>,
    wake: Condvar,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<QueuedJob>,
    writer: Option<JoinHandle<()>>,
    is_running: bool,
    is_closed: bool,
    /// The place that the shop is moving to: commits are refused.
    moves_to: Option<Arc<str>>,
}

impl QueueState {
    fn run(&mut self, start: impl FnOnce() -> Result<JoinHandle<()>>) -> Result<()> {
        if !self.is_running {
            self.writer = Some(start()?);
            self.is_running = true;
        }
        Ok(())
    }
}

impl WriterQueue {
    /// Queues a commit. `start` starts a writer if none is running. The result is delivered in any case.
    pub(super) fn commit(&self, job: CommitJob, start: impl FnOnce() -> Result<JoinHandle<()>>) {
        let mut state = self.state.lock();
        let refused = if state.is_closed {
            Error::Closed
        } else if let Some(place) = &state.moves_to {
            Error::Moved(Arc::clone(place))
        } else if state.waiting.len() >= WAITING_MAX {
            Error::Busy
        } else if let Err(error) = state.run(start) {
            error
        } else {
            state.waiting.push_back(QueuedJob::Commit(job));
            drop(state);
            self.wake.notify_one();
            return;
        };
        drop(state);
        commit_future::send_outcome(job.result_sender, Err(refused.into()));
    }

    /// Queues a job that is not a commit.
    pub(super) fn hand_in(
        &self,
        waiting: QueuedJob,
        start: impl FnOnce() -> Result<JoinHandle<()>>,
    ) -> Result<()> {
        let mut state = self.state.lock();
        if state.is_closed {
            return Err(Error::Closed);
        }
        if let (QueuedJob::Content(_), Some(place)) = (&waiting, &state.moves_to) {
            return Err(Error::Moved(Arc::clone(place)));
        }
        state.run(start)?;
        state.waiting.push_back(waiting);
        drop(state);
        self.wake.notify_one();
        Ok(())
    }

    /// Takes the next work. A batch has the commits that were queued while the last one was written, and those that
    /// threads on the writer's core submit now: the writer yields as long as that makes the batch grow, but never
    /// sleeps. A single commit after a batch of one (`answered`) is not delayed by threads that only read. If
    /// `may_rest`, returns [`WriterTask::Rest`] once before the end. After [`WriterTask::Nothing`] the writer must end.
    pub(super) fn next_task(&self, idle: Duration, outcome: usize, may_rest: bool) -> WriterTask {
        let mut state = self.state.lock();
        while state.waiting.is_empty() {
            let is_idle = !state.is_closed && self.wake.wait_for(&mut state, idle).timed_out();
            if state.waiting.is_empty() && (is_idle || state.is_closed) {
                if may_rest {
                    return WriterTask::Cleanup;
                }
                state.is_running = false;
                return WriterTask::Nothing;
            }
        }
        let until = Instant::now() + YIELD_MAX;
        while Instant::now() < until {
            let waiting = state.waiting.len();
            if waiting.max(outcome) <= 1 || waiting >= BATCH_MAX {
                break;
            }
            MutexGuard::unlocked(&mut state, std::thread::yield_now);
            if state.waiting.len() == waiting {
                break;
            }
        }
        let mut batch = Vec::with_capacity(state.waiting.len().min(BATCH_MAX));
        while batch.len() < BATCH_MAX {
            match state.waiting.pop_front() {
                Some(QueuedJob::Commit(job)) => batch.push(job),
                Some(QueuedJob::Content(job)) if batch.is_empty() => return WriterTask::Content(job),
                Some(QueuedJob::Rows(response)) if batch.is_empty() => return WriterTask::Rows(response),
                Some(QueuedJob::Erasure(job)) if batch.is_empty() => return WriterTask::Erasure(job),
                Some(other) => {
                    state.waiting.push_front(other);
                    break;
                }
                None => break,
            }
        }
        WriterTask::Batch(batch)
    }

    /// Refuses later commits because the shop moves; `None` accepts them again.
    pub(super) fn refuse_commits(&self, moves_to: Option<&str>) {
        self.state.lock().moves_to = moves_to.map(Arc::from);
    }

    /// Returns whether commits are refused.
    pub(super) fn refuses_commits(&self) -> bool {
        self.state.lock().moves_to.is_some()
    }

    /// Lets the writer finish the queued jobs, and waits for its end. Later jobs are refused.
    pub(super) fn close(&self) {
        let writer = {
            let mut state = self.state.lock();
            state.is_closed = true;
            state.writer.take()
        };
        self.wake.notify_one();
        if let Some(writer) = writer
            && writer.join().is_err()
        {
            tracing::error!("the writer of a database panicked");
        }
    }

    /// Resets the queue after a panic of the writer, so that no caller waits for it and the next job starts another.
    pub(super) fn writer_is_gone(&self) {
        let mut state = self.state.lock();
        state.is_running = false;
        // Dropping the jobs drops their channels, which notifies the callers.
        state.waiting.clear();
    }
}
