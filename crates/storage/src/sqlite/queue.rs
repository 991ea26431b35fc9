//! What waits for the writer, and whether there is a writer.
//!
//! The thread of the writer begins with the first job and ends when there was none for a while, so that a
//! shop at rest costs no thread.

use std::{
    collections::VecDeque,
    sync::{Arc, mpsc::SyncSender},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::{
    content::ContentJob,
    erasure_state::StepJob,
    packed::{PACKED_BYTES_MIN, PackedBodies},
};
use crate::{
    Commit, Error, Result,
    answer::{self, Answer},
};

/// Commits that may wait. Far more than callers who wait for an answer, as a bound on memory.
const WAITING_MAX: usize = 16 * 1024;

/// Commits that share a transaction, and with it one sync of the disk.
const BATCH_MAX: usize = 256;

/// How long the writer lets others go first who are about to hand in a commit, as a bound where still others have the core.
const GIVES_WAY_MAX: Duration = Duration::from_millis(20);

/// A commit and where it is answered.
pub(super) struct Job {
    pub(super) commit: Commit,
    /// Its documents as they are stored.
    pub(super) bodies: PackedBodies,
    pub(super) answer: Answer,
}

impl Job {
    /// Packs the documents and lines that are large, so that callers do that beside each other and not the one writer.
    pub(super) fn new(commit: Commit, answer: Answer) -> Self {
        let commit = commit.with_lines_apart(PACKED_BYTES_MIN);
        Job { bodies: PackedBodies::of(&commit), commit, answer }
    }
}

/// Where it is told that no index row waits any more.
pub(super) type RowsAnswer = SyncSender<Result<()>>;

/// What the writer does next.
pub(super) enum Work {
    /// Writes these commits in one transaction.
    Batch(Vec<Job>),
    /// Replaces content.
    Content(ContentJob),
    /// Writes all index rows that wait.
    Rows(RowsAnswer),
    /// Takes a step of removing erased data from the disk.
    Erasure(StepJob),
    /// Does what is better done before it ends.
    Rest,
    /// Ends: there was nothing to do for a while, or never will be again.
    Nothing,
}

/// What waits.
pub(super) enum Waiting {
    Commit(Job),
    Content(ContentJob),
    Rows(RowsAnswer),
    Erasure(StepJob),
}

/// The queue.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Waiting>,
    writer: Option<JoinHandle<()>>,
    is_running: bool,
    is_closed: bool,
    /// Where the shop is being moved to, so that nothing more is written here.
    moves_to: Option<Arc<str>>,
}

impl State {
    fn run(&mut self, start: impl FnOnce() -> Result<JoinHandle<()>>) -> Result<()> {
        if !self.is_running {
            self.writer = Some(start()?);
            self.is_running = true;
        }
        Ok(())
    }
}

impl Queue {
    /// Hands in a commit; `start` starts a writer where there is none. Whatever comes of it, it is answered.
    pub(super) fn commit(&self, job: Job, start: impl FnOnce() -> Result<JoinHandle<()>>) {
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
            state.waiting.push_back(Waiting::Commit(job));
            drop(state);
            self.wake.notify_one();
            return;
        };
        drop(state);
        answer::give(job.answer, Err(refused.into()));
    }

    /// Hands in what is no commit likewise.
    pub(super) fn hand_in(
        &self,
        waiting: Waiting,
        start: impl FnOnce() -> Result<JoinHandle<()>>,
    ) -> Result<()> {
        let mut state = self.state.lock();
        if state.is_closed {
            return Err(Error::Closed);
        }
        if let (Waiting::Content(_), Some(place)) = (&waiting, &state.moves_to) {
            return Err(Error::Moved(Arc::clone(place)));
        }
        state.run(start)?;
        state.waiting.push_back(waiting);
        drop(state);
        self.wake.notify_one();
        Ok(())
    }

    /// Takes what is next. What came while the last batch was written is the next one, with what others hand in who
    /// share the writer's core: it gives way while that makes the batch grow, and never sleeps. A commit that is alone, as the
    /// last one was that was `answered`, is not kept waiting by those who only read. Who `may_rest` is told before the end. After
    /// [`Work::Nothing`] the writer must end.
    pub(super) fn take(&self, idle: Duration, answered: usize, may_rest: bool) -> Work {
        let mut state = self.state.lock();
        while state.waiting.is_empty() {
            let is_idle = !state.is_closed && self.wake.wait_for(&mut state, idle).timed_out();
            if state.waiting.is_empty() && (is_idle || state.is_closed) {
                if may_rest {
                    return Work::Rest;
                }
                state.is_running = false;
                return Work::Nothing;
            }
        }
        let until = Instant::now() + GIVES_WAY_MAX;
        while Instant::now() < until {
            let waiting = state.waiting.len();
            if waiting.max(answered) <= 1 || waiting >= BATCH_MAX {
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
                Some(Waiting::Commit(job)) => batch.push(job),
                Some(Waiting::Content(job)) if batch.is_empty() => return Work::Content(job),
                Some(Waiting::Rows(answer)) if batch.is_empty() => return Work::Rows(answer),
                Some(Waiting::Erasure(job)) if batch.is_empty() => return Work::Erasure(job),
                Some(other) => {
                    state.waiting.push_front(other);
                    break;
                }
                None => break,
            }
        }
        Work::Batch(batch)
    }

    /// Refuses what would be written from now on, because the shop moves; `None` takes it again.
    pub(super) fn refuse_commits(&self, moves_to: Option<&str>) {
        self.state.lock().moves_to = moves_to.map(Arc::from);
    }

    /// Whether it does.
    pub(super) fn refuses_commits(&self) -> bool {
        self.state.lock().moves_to.is_some()
    }

    /// Lets the writer finish what waits, and waits for its end. What comes later is refused.
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

    /// Clears up after a writer that went down, so that nobody waits for it and the next job starts another.
    pub(super) fn writer_is_gone(&self) {
        let mut state = self.state.lock();
        state.is_running = false;
        // Dropping the jobs drops their answers, which tells the callers.
        state.waiting.clear();
    }
}
