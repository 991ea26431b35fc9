//! The end of records.

use crate::changes::KINDS;
use crate::limits::{KEPT_DAYS, RECORDS_DELETED_TOGETHER, SWEEP_SECONDS};
use crate::stored;
use jiff::SignedDuration;
use kontor_engine::{Attendant, Shop, storage_failure};
use kontor_errors::ApiResult;
use kontor_storage::{Commit, CommitError, ScanDirection};
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Deletes the records of running shops whose time is over.
#[derive(Debug, Default)]
pub struct Retention;

impl Attendant for Retention {
    fn attend(&self, shop: &Arc<Shop>) -> JoinHandle<()> {
        let shop = Arc::clone(shop);
        tokio::spawn(async move {
            let mut every = tokio::time::interval(Duration::from_secs(SWEEP_SECONDS));
            loop {
                every.tick().await;
                if let Err(error) = sweep(&shop).await {
                    tracing::error!(project = %shop.key, %error, "records whose time is over stay for now");
                }
            }
        })
    }

    fn forget(&self, _key: &str) {}

    fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> Pin<Box<dyn Future<Output = ApiResult<()>> + Send + 'a>> {
        Box::pin(sweep(shop))
    }
}

/// Deletes the records whose time is over, oldest first.
async fn sweep(shop: &Shop) -> ApiResult<()> {
    let Ok(over) = shop.clock.now().checked_sub(SignedDuration::from_hours(KEPT_DAYS * 24)) else {
        return Ok(());
    };
    let over = stored::bound(over);
    for kind in KINDS {
        let kind = stored::kind(kind);
        loop {
            let mut ids = Vec::new();
            let visit = &mut |one: kontor_storage::StoredRef<'_>| {
                if one.id >= over.as_str() || ids.len() == RECORDS_DELETED_TOGETHER {
                    return ControlFlow::Break(());
                }
                ids.push(one.id.to_owned());
                ControlFlow::Continue(())
            };
            shop.storage().scan(&kind, ScanDirection::Ascending, None, visit).map_err(storage_failure)?;
            if ids.is_empty() {
                break;
            }
            let commit = ids.into_iter().fold(Commit::new(), |commit, id| commit.delete(&kind, id));
            match shop.storage().commit(commit).await {
                Ok(_) => {}
                // Another sweep was faster.
                Err(CommitError::Refused(_)) => break,
                Err(CommitError::Failed(error)) => return Err(storage_failure(error)),
            }
        }
    }
    Ok(())
}
