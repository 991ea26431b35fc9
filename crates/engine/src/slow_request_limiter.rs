//! Backpressure: limits concurrent slow requests, and cancels their work when the client disconnects.
//!
//! Each request has a [`ResponseMeter`], which counts the memory of the response while it grows and until it has been
//! sent.

use crate::memory_budget::{MemoryBudget, ResponseMeter};
use kontor_errors::{ApiError, ApiResult, catch_panic};
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// Minimum number of concurrent slow requests, so that a few of them do not block all others.
const AT_A_TIME_MIN: usize = 8;
/// Number of concurrent slow requests for each core, if that is more.
const AT_A_TIME_PER_CORE: usize = 2;

/// The limiter of slow requests, and the memory budget of responses.
#[derive(Debug, Clone)]
pub struct SlowRequestLimiter {
    permits: Arc<Semaphore>,
    budget: Arc<MemoryBudget>,
}

/// The permit of one slow request, released when it is dropped, with the meter of the response.
#[derive(Debug, Clone)]
pub struct SlowRequestPermit {
    _of: Arc<OwnedSemaphorePermit>,
    /// Counts the memory of the response.
    pub meter: ResponseMeter,
}

/// Marks the response as abandoned when it is dropped, i.e. when the client disconnects.
struct AbandonOnDrop(ResponseMeter);

impl Default for SlowRequestLimiter {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl SlowRequestLimiter {
    /// Creates a limiter whose responses take their memory from a budget.
    pub fn new(budget: Arc<MemoryBudget>) -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        let at_a_time = AT_A_TIME_MIN.max(cores * AT_A_TIME_PER_CORE);
        Self { permits: Arc::new(Semaphore::new(at_a_time)), budget }
    }

    /// Returns the memory budget of responses.
    pub fn budget(&self) -> &Arc<MemoryBudget> {
        &self.budget
    }

    /// Returns a meter for a response without a permit.
    pub fn meter(&self) -> ResponseMeter {
        self.budget.meter()
    }

    /// Waits for a permit, and runs `run`, which reads or computes for long, on a thread of its own. `run` charges
    /// the meter as its response grows, and asks it whether the client still waits ([`ResponseMeter::is_client_waiting`]):
    /// if this future is dropped, the work ends at the next such check.
    ///
    /// # Errors
    /// 503 `OverCapacity` if the client has disconnected before `run` begins, an internal error if `run` panics, and
    /// the errors of `run`.
    pub async fn run<T: Send + 'static>(
        &self,
        run: impl FnOnce(&ResponseMeter) -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<(T, SlowRequestPermit)> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|error| ApiError::bug(error.to_string()))?;
        let meter = self.meter();
        let permit = SlowRequestPermit { _of: Arc::new(permit), meter: meter.clone() };
        let _waiting = AbandonOnDrop(meter.clone());
        // The permit belongs to the work, and is released with it, even if the client has disconnected.
        let work = spawn_blocking(move || {
            meter.must_have_client()?;
            Ok((catch_panic(|| run(&meter))??, permit))
        });
        work.await.map_err(|error| ApiError::bug(format!("work on a response ended early: {error}")))?
    }
}

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    const SHORT: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn holds_a_permit_until_the_response_is_sent() {
        let limiter = SlowRequestLimiter { permits: Arc::new(Semaphore::new(1)), budget: Arc::default() };
        let (_, permit) = limiter.run(|_| Ok(())).await.unwrap();
        let next = limiter.run(|_| Ok("next"));
        let mut next = std::pin::pin!(next);
        assert!(tokio::time::timeout(SHORT, &mut next).await.is_err(), "the first has not been counted");
        drop(permit);
        assert_eq!(next.await.unwrap().0, "next");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn cancels_work_when_the_client_disconnects() {
        let limiter = SlowRequestLimiter { permits: Arc::new(Semaphore::new(1)), budget: Arc::default() };
        let (started, begun) = mpsc::channel();
        let (ending, ended) = mpsc::channel();
        let endless = limiter.run(move |meter| {
            started.send(()).unwrap();
            while meter.is_client_waiting() {
                std::thread::sleep(SHORT / 10);
            }
            ending.send(()).unwrap();
            meter.must_have_client()
        });
        assert!(tokio::time::timeout(SHORT, endless).await.is_err());
        begun.recv_timeout(SHORT * 100).unwrap();
        ended.recv_timeout(SHORT * 100).unwrap();
        assert_eq!(limiter.run(|_| Ok(1)).await.unwrap().0, 1, "its turn is over");
    }
}
