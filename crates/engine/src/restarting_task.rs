//! Restarts background work after a panic.

use crate::derive::RETRY_PERIOD;
use futures_util::future::BoxFuture;
use kontor_errors::catch_panic_of;
use tokio::task::JoinHandle;

/// Runs background work, of a project or of the whole server, on a task of its own. After a panic, logs its message
/// and place, and starts the work again with `begin` after [`RETRY_PERIOD`]: one document that triggers a defect must
/// not stop all deliveries, imports or indexing until the next start. The task ends when the work ends, or when it is
/// aborted.
pub fn spawn_restarting(
    project: Option<&str>,
    work: &'static str,
    mut begin: impl FnMut() -> BoxFuture<'static, ()> + Send + 'static,
) -> JoinHandle<()> {
    let project = project.map(str::to_owned);
    tokio::spawn(async move {
        while let Err(error) = catch_panic_of(begin()).await {
            let bug = error.broken().map(tracing::field::display);
            tracing::error!(project, work, bug, "background work panicked");
            tokio::time::sleep(RETRY_PERIOD).await;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn restarts_work_after_a_panic() {
        let begun = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&begun);
        let task = spawn_restarting(Some("shop"), "counting", move || {
            let times = counted.fetch_add(1, Ordering::Relaxed);
            Box::pin(async move {
                tokio::task::yield_now().await;
                assert!(times > 0, "not at the first time");
            })
        });
        task.await.unwrap();
        assert_eq!(begun.load(Ordering::Relaxed), 2);
    }
}
