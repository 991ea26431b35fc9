//! Blocks a thread until the server's result arrives.
//!
//! Threads of the [`Database`](crate::Database) drive the connections, so the blocked thread only needs to be
//! woken.

use std::pin::{Pin, pin};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Holds the thread until the future is done. Timers and connections that it makes belong to `runtime`. The other tasks of a
/// thread that serves several go on on another thread meanwhile.
pub(crate) fn wait<T>(runtime: &Handle, future: impl Future<Output = T>) -> T {
    wait_for(runtime, pin!(future))
}

/// The same, compiled once for each type that is waited for, of which there are fewer than futures.
fn wait_for<T>(runtime: &Handle, future: Pin<&mut dyn Future<Output = T>>) -> T {
    let block = || {
        let _inside = runtime.enter();
        pollster::block_on(future)
    };
    match Handle::try_current().map(|current| current.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(block),
        _ => block(),
    }
}
