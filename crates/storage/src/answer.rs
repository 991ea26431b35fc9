//! The answer to a commit, which comes when it is on disk.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::Thread,
};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::{Commit, CommitError, Error, Receipt};

/// What comes of a commit.
pub(crate) type Outcome = Result<Receipt, CommitError>;

/// Where the answer to a commit is given.
pub(crate) type Answer = oneshot::Sender<Answered>;

/// What a caller is sent: what came of the commit, and the answers to others that are still to be given.
#[derive(Debug)]
pub(crate) struct Answered {
    outcome: Outcome,
    others: Option<Arc<Answers>>,
    /// The commit itself, to be dropped where it was made: memory that another thread gives back costs more.
    _commit: Option<Commit>,
}

/// An answer to be given: what came of a commit, and the commit.
pub(crate) type Given = (Answer, Outcome, Commit);

/// Answers to be given, the first one last.
#[derive(Debug)]
struct Answers(Mutex<Vec<Given>>);

impl Answers {
    fn next(&self) -> Option<Given> {
        self.0.lock().pop()
    }

    /// Gives what is left.
    fn give(&self) {
        while let Some((answer, outcome, commit)) = self.next() {
            // Whoever asked may have gone; what was committed stands.
            let _ = answer.send(Answered { outcome, others: None, _commit: Some(commit) });
        }
    }
}

/// The other end of a [`CommitAnswer`], for storages of other crates: whoever took the commit says here what came of it.
/// Dropped unkept, it answers that the storage is closed.
#[derive(Debug)]
pub struct CommitPromise(Answer);

impl CommitPromise {
    /// Says what came of the commit.
    pub fn keep(self, outcome: Result<Receipt, CommitError>) {
        give(self.0, outcome);
    }
}

/// Gives one answer.
pub(crate) fn give(answer: Answer, outcome: Outcome) {
    // Whoever asked may have gone; what was committed stands.
    let _ = answer.send(Answered { outcome, others: None, _commit: None });
}

/// Gives all answers of a group.
///
/// The first caller who wakes helps: callers who share a core with the writer mostly take it away from the writer at
/// the first answer. They would come back to it and be woken again for each of the others; so the first one wakes
/// them in its own place, where that is cheap, and together they hand in the next group.
pub(crate) fn give_all(mut answers: Vec<Given>) {
    answers.reverse();
    let all = Arc::new(Answers(Mutex::new(answers)));
    while let Some((answer, outcome, commit)) = all.next() {
        let others = Some(Arc::clone(&all));
        if answer.send(Answered { outcome, others, _commit: Some(commit) }).is_ok() {
            break;
        }
    }
    // Nobody depends on a caller: the writer gives them all unless others are faster.
    all.give();
}

/// The answer to a commit. A future, or a thing to wait for.
///
/// Dropping it does not take the commit back.
#[derive(Debug)]
pub struct CommitAnswer {
    receiver: oneshot::Receiver<Answered>,
}

impl CommitAnswer {
    /// An answer to come, and where it will be given.
    pub fn promised() -> (CommitPromise, Self) {
        let (sender, answer) = Self::open();
        (CommitPromise(sender), answer)
    }

    /// An answer and the place where it is given.
    pub(crate) fn open() -> (Answer, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, CommitAnswer { receiver })
    }

    /// Holds the thread until the answer is there: for tests, commands and start-up. In an async task it
    /// would hold up the other tasks of the thread; await it there.
    pub fn wait(self) -> Result<Receipt, CommitError> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut answer = pin!(self);
        loop {
            if let Poll::Ready(result) = answer.as_mut().poll(&mut context) {
                return result;
            }
            std::thread::park();
        }
    }
}

impl Future for CommitAnswer {
    type Output = Result<Receipt, CommitError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // The writer answers every commit that it takes; a lost sender means that it went down first.
        Pin::new(&mut self.receiver).poll(context).map(|received| match received {
            Ok(Answered { outcome, others, _commit }) => {
                if let Some(others) = others {
                    others.give();
                }
                outcome
            }
            Err(_) => Err(CommitError::Failed(Error::Closed)),
        })
    }
}

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
