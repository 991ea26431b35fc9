//! Retention: deletes expired records.

use crate::limits::{KEPT_DAYS, RECORDS_DELETED_TOGETHER, SWEEP_SECONDS};
use futures_util::future::BoxFuture;
use jiff::SignedDuration;
use kontor_engine::{BackgroundService, Shop, spawn_restarting, storage_failure};
use kontor_errors::ApiResult;
use kontor_storage::{Commit, CommitError, Error, RecordPosition, RecordRange, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// The background service that deletes expired records of all running projects.
#[derive(Debug, Default)]
pub struct Retention;

impl BackgroundService for Retention {
    fn start(&self, shop: &Arc<Shop>) -> JoinHandle<()> {
        let shop = Arc::clone(shop);
        let project = shop.key.clone();
        spawn_restarting(Some(&project), "the end of records", move || {
            Box::pin(sweep_periodically(Arc::clone(&shop)))
        })
    }

    fn delete_data(&self, _key: &str) {}

    fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(sweep(shop))
    }
}

async fn sweep_periodically(shop: Arc<Shop>) {
    let mut every = tokio::time::interval(Duration::from_secs(SWEEP_SECONDS));
    loop {
        every.tick().await;
        if let Err(error) = sweep(&shop).await {
            tracing::error!(project = %shop.key, %error, "expired records could not be deleted");
        }
    }
}

/// Deletes expired records, oldest first.
async fn sweep(shop: &Shop) -> ApiResult<()> {
    let Ok(over) = shop.clock.now().checked_sub(SignedDuration::from_hours(KEPT_DAYS * 24)) else {
        return Ok(());
    };
    let before_ms = over.as_millisecond();
    let is_over = RecordRange {
        kinds: &[],
        id: None,
        from: RecordPosition::before_time(i64::MIN),
        before: RecordPosition::before_time(before_ms),
    };
    while !shop.storage().records(&is_over, 1).map_err(storage_failure)?.is_empty() {
        let end = Write::EndRecords { before_ms, at_most: RECORDS_DELETED_TOGETHER };
        match shop.storage().commit(Commit::new().write(end)).await {
            Ok(_) => {}
            Err(CommitError::Refused(refusal)) => {
                return Err(storage_failure(Error::Invalid(refusal.to_string())));
            }
            Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
        }
    }
    Ok(())
}
