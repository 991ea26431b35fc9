//! Spreads test cases over several clients: the server responds to concurrent requests sooner than to one client that
//! waits.

use std::thread;

/// The number of concurrent clients.
const CLIENTS: usize = 4;

/// Calls `walk` with parts of the cases concurrently, and returns the results of all in the order of the cases.
pub fn in_parallel<C: Sync, F: Send>(cases: &[C], walk: impl Fn(&[C]) -> Vec<F> + Sync) -> Vec<F> {
    let size = cases.len().div_ceil(CLIENTS).max(1);
    let walk = &walk;
    thread::scope(|scope| {
        let walks: Vec<_> = cases.chunks(size).map(|part| scope.spawn(move || walk(part))).collect();
        walks
            .into_iter()
            .flat_map(|walked| walked.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
