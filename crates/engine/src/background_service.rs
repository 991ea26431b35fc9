//! The trait of background services that run for each shop.

use crate::shop::Shop;
use futures_util::future::BoxFuture;
use kontor_errors::ApiResult;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// A background service for each running shop, e.g. the search indexer. On a shared database, it calls
/// [`Shop::catch_up`] when it has found work and before it uses the settings, resident documents or rules of the shop:
/// no request does that for it.
pub trait BackgroundService: Send + Sync {
    /// Starts the service for an opened shop. The task is aborted when the shop stops.
    fn start(&self, shop: &Arc<Shop>) -> JoinHandle<()>;

    /// Stops the service for all shops at the end of the process, before its tasks are aborted, so that
    /// finished work is saved. Takes a bounded time. Does nothing by default.
    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Deletes the service's data about a removed shop.
    fn delete_data(&self, key: &str);

    /// Returns when everything that follows from earlier changes of a shop is done.
    fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>>;

    /// Returns when everything that expires at the shop's time has ended; called after its clock was set. Does
    /// nothing by default.
    fn expire<'a>(&'a self, _shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
