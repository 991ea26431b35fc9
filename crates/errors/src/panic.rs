//! Converts panics to errors: a request that panics fails with an error, and background work is restarted.
//!
//! [`report_panics`] installs the panic hook of the process. [`catch_panic`] and [`catch_panic_of`] convert a panic
//! to an [`ApiError`] with its message and place, for the log. The hook reports panics that are not caught; a caught
//! panic is reported once by the catching code, which knows the context, e.g. the correlation id of the request.

use crate::{ApiError, ApiResult, Bug};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::task::Poll;

#[cfg(not(panic = "unwind"))]
compile_error!(
    "A panic must unwind: with panic = \"abort\" one request ends the process and all other requests."
);

thread_local! {
    /// The number of nested calls of [`catch_panic`] on this thread.
    static CATCHING: Cell<usize> = const { Cell::new(0) };
    /// The last panic that the hook saw inside of [`catch_panic`].
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// A panic: its message and the place in the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panic {
    /// The message.
    pub message: String,
    /// The place as `file:line`; empty if it is unknown.
    pub place: String,
}

impl Panic {
    /// 500 `General`, with the message and the place for the log.
    fn into_error(self) -> ApiError {
        let bug = Bug::new(format!("panicked: {}", self.message), self.place);
        ApiError { bug: Some(Box::new(bug)), ..ApiError::internal() }
    }
}

/// Installs the panic hook of the process. It calls `count` for each panic, and `report` only for panics that are not
/// caught.
pub fn report_panics(count: fn(), report: fn(&Panic)) {
    set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
        let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
        let panic = Panic { message: message(info.payload()), place: place.unwrap_or_default() };
        count();
        if CATCHING.get() == 0 {
            report(&panic);
        } else {
            LAST.set(Some(panic));
        }
    }));
}

/// Runs a function and returns its result.
///
/// # Errors
/// 500 `General` if it panics; [`ApiError::broken`] has the message and the place.
pub fn catch_panic<T>(run: impl FnOnce() -> T) -> ApiResult<T> {
    CATCHING.set(CATCHING.get() + 1);
    // Requests change shared memory only behind locks that do not poison, by single assignments.
    let result = catch_unwind(AssertUnwindSafe(run));
    CATCHING.set(CATCHING.get() - 1);
    result.map_err(|payload| {
        let known = LAST.take();
        known.unwrap_or_else(|| Panic { message: message(&*payload), place: String::new() }).into_error()
    })
}

/// Waits for a future and returns its result.
///
/// # Errors
/// Those of [`catch_panic`].
pub async fn catch_panic_of<F: Future + Unpin>(mut future: F) -> ApiResult<F::Output> {
    std::future::poll_fn(move |context| match catch_panic(|| std::pin::Pin::new(&mut future).poll(context)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&'static str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Mutex, PoisonError};

    /// Makes tests that panic run one after the other: the hook counts the panics of all threads.
    static ALONE: Mutex<()> = Mutex::new(());
    static COUNTED: AtomicUsize = AtomicUsize::new(0);
    static REPORTED: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn converts_caught_panics_and_reports_others() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        report_panics(
            || _ = COUNTED.fetch_add(1, Ordering::Relaxed),
            |_| _ = REPORTED.fetch_add(1, Ordering::Relaxed),
        );
        assert_eq!(catch_panic(|| 1), Ok(1));
        let error = catch_panic(|| panic!("no {}", "State")).unwrap_err();
        let told = error.broken().map(ToString::to_string).unwrap_or_default();
        assert!(told.starts_with("panicked: no State (noticed at ") && told.contains("panic.rs:"), "{told}");
        assert_eq!(error.status(), 500);
        assert!(!error.body().to_string().contains("State"), "the caller is not told");
        assert_eq!((COUNTED.load(Ordering::Relaxed), REPORTED.load(Ordering::Relaxed)), (1, 0));
        assert!(std::thread::spawn(|| panic!("not caught")).join().is_err());
        assert_eq!((COUNTED.load(Ordering::Relaxed), REPORTED.load(Ordering::Relaxed)), (2, 1));
    }

    #[test]
    fn catches_a_panic_at_any_poll() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut polls = 0;
        let future = std::future::poll_fn(move |_| -> Poll<()> {
            polls += 1;
            assert!(polls < 3, "the third poll");
            Poll::Pending
        });
        let mut caught = Box::pin(catch_panic_of(future));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        for _ in 0..2 {
            assert_eq!(caught.as_mut().poll(&mut context), Poll::Pending);
        }
        let Poll::Ready(Err(error)) = caught.as_mut().poll(&mut context) else { panic!("not caught") };
        assert!(error.broken().is_some_and(|bug| bug.to_string().contains("the third poll")), "{error}");
    }
}
