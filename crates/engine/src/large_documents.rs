//! Moves work on large documents off the threads that serve sockets.
//!
//! Rules do not wait, so they run on these threads; for a document of usual size they take less than a
//! millisecond. One of 16 MB would delay all other requests of the same thread.

use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use std::sync::LazyLock;
use std::thread::available_parallelism;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::block_in_place;

/// Documents, drafts and bodies of this size are large.
pub const LARGE_BYTES_MIN: usize = 256 * 1024;

/// Limits the large changes that run at a time: one for each core, and at least two. More would take the threads and
/// the memory of other requests, and none would be done earlier.
static LARGE_AT_A_TIME: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, usize::from).max(2)));

/// Waits until a large change may run. Other changes need no permit.
pub(crate) async fn acquire_permit(is_large: bool) -> ApiResult<Option<SemaphorePermit<'static>>> {
    if !is_large {
        return Ok(None);
    }
    let permit = LARGE_AT_A_TIME.acquire().await;
    permit.map(Some).map_err(|_| ApiError::bug("the permits of large changes are closed"))
}

/// Runs `run`, which does not wait. If the work `is_large` and the runtime has several threads, the other tasks of
/// this thread are moved to another one first.
pub(crate) fn run_off_socket_thread<T>(is_large: bool, run: impl FnOnce() -> T) -> T {
    let has_others = || Handle::try_current().map(|handle| handle.runtime_flavor());
    match is_large {
        true if has_others().is_ok_and(|flavor| flavor == RuntimeFlavor::MultiThread) => block_in_place(run),
        _ => run(),
    }
}

/// Whether values are about as large as [`LARGE_BYTES_MIN`] together. Counting ends there.
pub(crate) fn is_large<'v>(values: impl IntoIterator<Item = &'v Value>) -> bool {
    let mut left = LARGE_BYTES_MIN;
    values.into_iter().any(|value| count(value, &mut left).is_none())
}

/// Subtracts the bytes of a value from the budget; `None` if they exceed it.
fn count(value: &Value, left: &mut usize) -> Option<()> {
    let own = match value {
        Value::String(text) => text.len(),
        _ => 0,
    };
    *left = left.checked_sub(own + 2)?;
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| count(item, left)),
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            *left = left.checked_sub(name.len() + 4)?;
            count(member, left)
        }),
        _ => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn counts_all_parts_of_a_value() {
        assert!(!is_large([&json!({"name": "x".repeat(1000)}), &json!([1, 2, 3])]));
        assert!(is_large([&json!("x".repeat(LARGE_BYTES_MIN))]));
        assert!(is_large([&json!({"numbers": vec![0; LARGE_BYTES_MIN / 2]})]));
        let half = json!("x".repeat(LARGE_BYTES_MIN / 2));
        assert!(is_large([&half, &half]), "together");
    }

    #[test]
    fn runs_with_any_runtime_and_without() {
        assert_eq!(run_off_socket_thread(true, || 1), 1);
        let alone = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(alone.block_on(async { run_off_socket_thread(true, || 1) }), 1);
        let several = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let work = several.spawn(async { run_off_socket_thread(true, || 1) });
        assert_eq!(several.block_on(work).unwrap(), 1);
    }
}
