//! Blocks a thread until the server's result arrives.
//!
//! Threads of the [`Database`](crate::Database) drive the connections, so the blocked thread only has to be woken.

use std::pin::{Pin, pin};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Blocks the thread until the future is done. Its timers and connections belong to `runtime`. On a multi-threaded
/// runtime, other tasks of the thread move to another thread meanwhile.
pub(crate) fn wait<T>(runtime: &Handle, future: impl Future<Output = T>) -> T {
    wait_for(runtime, pin!(future))
}

/// The same without generics over futures: compiled once for each result type, of which there are fewer.
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
