//! Who works beside running shops.

use crate::shop::Shop;
use futures_util::future::BoxFuture;
use kontor_errors::ApiResult;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Work beside every shop for as long as it runs: keeping its search indexes.
pub trait Attendant: Send + Sync {
    /// Begins the work beside a shop that was opened. The task is aborted when the shop stops.
    fn attend(&self, shop: &Arc<Shop>) -> JoinHandle<()>;

    /// Ends the work beside all shops in good order at the end of the process, before its tasks are aborted: what was done is kept.
    /// Takes a bounded time. Nothing, unless said otherwise.
    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Removes what is kept of a shop that was removed.
    fn forget(&self, key: &str);

    /// Ends when everything that follows from earlier changes of a shop is done.
    fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>>;

    /// Ends when what ends by itself at the time of a shop has ended, after its clock was set. Nothing, unless said otherwise.
    fn end_what_is_over<'a>(&'a self, _shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
