//! The acknowledgement of a commit: its result, sent to the caller when the commit is on disk.
//!
//! Start at [`CommitFuture`], the future that [`Storage::commit`](crate::Storage::commit) returns.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::Thread,
};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::{Commit, CommitError, CommitReceipt, Error};

/// The result of a commit.
pub(crate) type CommitOutcome = Result<CommitReceipt, CommitError>;

/// The channel for the acknowledgement of a commit.
pub(crate) type OutcomeSender = oneshot::Sender<OutcomeMessage>;

/// The message to a caller: the result of its commit, and further acknowledgements to deliver.
#[derive(Debug)]
pub(crate) struct OutcomeMessage {
    outcome: CommitOutcome,
    others: Option<Arc<PendingOutcomes>>,
    /// The commit itself, so that the caller's thread frees it: freeing memory of another thread is slower.
    _commit: Option<Commit>,
}

/// An acknowledgement to deliver: its channel, the result, and the commit.
pub(crate) type PendingOutcome = (OutcomeSender, CommitOutcome, Commit);

/// Acknowledgements to deliver, in reverse order.
#[derive(Debug)]
struct PendingOutcomes(Mutex<Vec<PendingOutcome>>);

impl PendingOutcomes {
    fn next(&self) -> Option<PendingOutcome> {
        self.0.lock().pop()
    }

    /// Delivers the rest.
    fn send_all(&self) {
        while let Some((response, outcome, commit)) = self.next() {
            // The caller may have gone; the commit is valid all the same.
            let _ = response.send(OutcomeMessage { outcome, others: None, _commit: Some(commit) });
        }
    }
}

/// The sending end of a [`CommitFuture`], for storages of other crates. Dropping it reports that the storage
/// is closed.
#[derive(Debug)]
pub struct CommitPromise(OutcomeSender);

impl CommitPromise {
    /// Delivers the result of the commit.
    pub fn fulfil(self, outcome: Result<CommitReceipt, CommitError>) {
        send_outcome(self.0, outcome);
    }
}

/// Delivers one result.
pub(crate) fn send_outcome(result_sender: OutcomeSender, outcome: CommitOutcome) {
    // The caller may have gone; the commit is valid all the same.
    let _ = result_sender.send(OutcomeMessage { outcome, others: None, _commit: None });
}

/// Delivers all acknowledgements of a group.
///
/// The first woken caller helps: callers on the writer's core usually take it from the writer at the first
/// acknowledgement. The core would then switch back and forth for each of the others; so the first caller
/// wakes them, where that is cheap, and together they submit the next group.
pub(crate) fn send_outcomes(mut responses: Vec<PendingOutcome>) {
    responses.reverse();
    let all = Arc::new(PendingOutcomes(Mutex::new(responses)));
    while let Some((response, outcome, commit)) = all.next() {
        let others = Some(Arc::clone(&all));
        if response.send(OutcomeMessage { outcome, others, _commit: Some(commit) }).is_ok() {
            break;
        }
    }
    // The writer does not depend on callers: it delivers all that are left.
    all.send_all();
}

/// The pending acknowledgement of a commit. A future that can also be waited for.
///
/// Dropping it does not revert the commit.
#[derive(Debug)]
pub struct CommitFuture {
    receiver: oneshot::Receiver<OutcomeMessage>,
}

impl CommitFuture {
    /// Returns an acknowledgement and its sending end.
    pub fn with_promise() -> (CommitPromise, Self) {
        let (sender, response) = Self::open();
        (CommitPromise(sender), response)
    }

    /// Returns an acknowledgement and its channel.
    pub(crate) fn open() -> (OutcomeSender, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, CommitFuture { receiver })
    }

    /// Blocks the thread until the result is known: for tests, commands and start-up. In an async task it
    /// would block the other tasks of the thread; await it there. Fails with the error of the commit.
    pub fn wait(self) -> Result<CommitReceipt, CommitError> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut response = pin!(self);
        loop {
            if let Poll::Ready(result) = response.as_mut().poll(&mut context) {
                return result;
            }
            std::thread::park();
        }
    }
}

impl Future for CommitFuture {
    type Output = Result<CommitReceipt, CommitError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The writer acknowledges every commit that it takes. A lost sender means that the writer ended before.
        Pin::new(&mut self.receiver).poll(context).map(|received| match received {
            Ok(OutcomeMessage { outcome, others, _commit }) => {
                if let Some(others) = others {
                    others.send_all();
                }
                outcome
            }
            Err(_) => Err(CommitError::Failed(Error::Closed)),
        })
    }
}

/// Wakes the waiting thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
