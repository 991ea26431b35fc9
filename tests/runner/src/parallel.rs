//! Walks over many cases at once: a server answers several clients sooner than one that waits for each answer.

use std::thread;

/// Clients at a time.
const CLIENTS: usize = 4;

/// Walks over parts of the cases at a time, and puts together what was found, in the sequence of the cases.
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
