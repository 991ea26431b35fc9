//! Turns at answers that take long: so many are worked out at a time, and only while somebody waits for them.
//!
//! What an answer holds of memory is known when it is there. Until then it is bounded by the number of those that are on their
//! way: who works one out keeps the turn until what it holds has been counted.

use kontor_errors::{ApiError, ApiResult, Code, catch_panic};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// Fewest answers that are worked out at a time, so that slow ones do not keep all others waiting.
const AT_A_TIME_MIN: usize = 8;
/// How many there are for each core, where that is more.
const AT_A_TIME_PER_CORE: usize = 2;

/// Turns at answers that take long, for all who are asked for such.
#[derive(Debug, Clone)]
pub struct Turns(Arc<Semaphore>);

/// One of them, until it is dropped.
#[derive(Debug, Clone)]
pub struct Turn {
    _of: Arc<OwnedSemaphorePermit>,
}

/// Whether anybody still waits for an answer. By default somebody does.
#[derive(Debug, Clone, Default)]
pub struct Awaited(Arc<AtomicBool>);

/// Says that nobody waits any more, when it is dropped.
struct Waiting(Awaited);

impl Default for Turns {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(AT_A_TIME_MIN.max(cores * AT_A_TIME_PER_CORE))))
    }
}

impl Turns {
    /// Waits for a turn, and runs what reads or computes for long on a thread of its own. `run` is told whether somebody still waits,
    /// which nobody does when this future has been dropped: where it looks often, its work ends with that.
    pub async fn work_out<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Awaited) -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<(T, Turn)> {
        let permit = Arc::clone(&self.0).acquire_owned().await;
        let turn = Turn { _of: Arc::new(permit.map_err(|error| ApiError::bug(error.to_string()))?) };
        let awaited = Awaited::default();
        let _waiting = Waiting(awaited.clone());
        // The turn goes along: it ends with the work, also where nobody waits for that.
        let work = spawn_blocking(move || {
            awaited.must_be()?;
            Ok((catch_panic(|| run(&awaited))??, turn))
        });
        work.await.map_err(|error| ApiError::bug(format!("work on an answer ended early: {error}")))?
    }
}

impl Awaited {
    /// True as long as somebody waits.
    pub fn is_so(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }

    /// Fails where nobody waits any more; so nobody is told.
    pub fn must_be(&self) -> ApiResult<()> {
        let gone = || ApiError::new(Code::OverCapacity, "Nobody waits for the answer any more.");
        self.is_so().then_some(()).ok_or_else(gone)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    const SHORT: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn a_turn_is_kept_until_what_was_worked_out_is_counted() {
        let turns = Turns(Arc::new(Semaphore::new(1)));
        let (_, turn) = turns.work_out(|_| Ok(())).await.unwrap();
        let next = turns.work_out(|_| Ok("next"));
        let mut next = std::pin::pin!(next);
        assert!(tokio::time::timeout(SHORT, &mut next).await.is_err(), "the first has not been counted");
        drop(turn);
        assert_eq!(next.await.unwrap().0, "next");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_ends_when_nobody_waits_for_it() {
        let turns = Turns(Arc::new(Semaphore::new(1)));
        let (started, begun) = mpsc::channel();
        let (ending, ended) = mpsc::channel();
        let endless = turns.work_out(move |awaited| {
            started.send(()).unwrap();
            while awaited.is_so() {
                std::thread::sleep(SHORT / 10);
            }
            ending.send(()).unwrap();
            awaited.must_be()
        });
        assert!(tokio::time::timeout(SHORT, endless).await.is_err());
        begun.recv_timeout(SHORT * 100).unwrap();
        ended.recv_timeout(SHORT * 100).unwrap();
        assert_eq!(turns.work_out(|_| Ok(1)).await.unwrap().0, 1, "its turn is over");
    }
}
