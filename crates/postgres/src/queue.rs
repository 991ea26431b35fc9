//! The queue of a shop's commits.

use std::collections::VecDeque;

use kontor_storage::{Commit, CommitPromise, Error, Write};
use parking_lot::Mutex;

/// Maximum number of queued commits (backpressure): more fail as busy. Far more than callers that wait.
const COMMITS_WAITING_MAX: usize = 16 * 1024;

/// Maximum number of commits that share a transaction.
const COMMITS_OF_GROUP_MAX: usize = 256;

/// Bytes of documents after which a group takes no more commits.
const GROUP_BYTES: usize = 4 * 1024 * 1024;

/// A commit, and the channel for its result.
pub(crate) struct QueuedCommit {
    pub(crate) commit: Commit,
    pub(crate) response: CommitPromise,
}

/// The queue.
#[derive(Default)]
pub(crate) struct CommitQueue(Mutex<CommitQueueState>);

#[derive(Default)]
struct CommitQueueState {
    waiting: VecDeque<QueuedCommit>,
    is_running: bool,
}

impl CommitQueue {
    /// Queues a commit, whose result is delivered in any case. Returns true if a writer must be started.
    pub(crate) fn add(&self, job: QueuedCommit) -> bool {
        let mut state = self.0.lock();
        if state.waiting.len() >= COMMITS_WAITING_MAX {
            drop(state);
            job.response.fulfil(Err(Error::Busy.into()));
            return false;
        }
        state.waiting.push_back(job);
        !std::mem::replace(&mut state.is_running, true)
    }

    /// Takes the next group. Returns `None` if the queue is empty: the writer must end.
    pub(crate) fn take(&self) -> Option<Vec<QueuedCommit>> {
        let mut state = self.0.lock();
        let (mut group, mut bytes) = (Vec::new(), 0);
        while group.len() < COMMITS_OF_GROUP_MAX
            && bytes < GROUP_BYTES
            && let Some(job) = state.waiting.pop_front()
        {
            bytes += bytes_of(&job.commit);
            group.push(job);
        }
        state.is_running = !group.is_empty();
        state.is_running.then_some(group)
    }

    /// Resets the queue after a writer that failed, so that no caller waits for it and the next commit starts
    /// another.
    pub(crate) fn writer_is_gone(&self) {
        let mut state = self.0.lock();
        state.is_running = false;
        // Dropping the jobs notifies the callers.
        state.waiting.clear();
    }
}

fn bytes_of(commit: &Commit) -> usize {
    let bytes = commit.writes.iter().map(|write| match write {
        Write::Put(put) => put.body.len() + put.record.as_ref().map_or(0, |record| record.body.len()),
        _ => 0,
    });
    bytes.sum()
}
