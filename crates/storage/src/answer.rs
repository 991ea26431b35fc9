//! The answer to a commit, which comes when it is on disk.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::Thread,
};

use tokio::sync::oneshot;

use crate::{CommitError, Error, Receipt};

/// The answer to a commit. A future, or a thing to wait for.
///
/// Dropping it does not take the commit back.
#[derive(Debug)]
pub struct CommitAnswer {
    receiver: oneshot::Receiver<Result<Receipt, CommitError>>,
}

impl CommitAnswer {
    /// An answer and the place where it is given.
    pub(crate) fn open() -> (oneshot::Sender<Result<Receipt, CommitError>>, Self) {
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
        Pin::new(&mut self.receiver)
            .poll(context)
            .map(|received| received.unwrap_or(Err(CommitError::Failed(Error::Closed))))
    }
}

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
