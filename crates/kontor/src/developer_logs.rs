//! The logs that developers read, for the wiring: what is erased or removed is forgotten by them, too.

use futures_util::future::BoxFuture;
use kontor_engine::{BackgroundService, ErasureListener, Shop};
use kontor_errors::ApiResult;
use kontor_outbound::DeliveryLog;
use kontor_services::RequestLog;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// The logs of deliveries and of requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeveloperLogs {
    pub(crate) deliveries: Arc<DeliveryLog>,
    pub(crate) requests: Arc<RequestLog>,
}

impl ErasureListener for DeveloperLogs {
    fn erase(&self, project_key: &str, id: &str) {
        self.deliveries.erase(project_key, id, jiff::Timestamp::now().as_millisecond());
        self.requests.erase(project_key, id);
    }
}

impl BackgroundService for DeveloperLogs {
    fn start(&self, _shop: &Arc<Shop>) -> JoinHandle<()> {
        tokio::spawn(std::future::ready(()))
    }

    fn delete_data(&self, key: &str) {
        self.deliveries.clear(key);
        self.requests.clear(key);
    }

    fn settle<'a>(&'a self, _shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
