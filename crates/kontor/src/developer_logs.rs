//! The logs that developers read, for the wiring: what is erased or removed is forgotten by them, too.

use kontor_engine::ErasureListener;
use kontor_outbound::DeliveryLog;
use kontor_services::RequestLog;
use std::sync::Arc;

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

    fn delete_project(&self, project_key: &str) {
        self.deliveries.clear(project_key);
        self.requests.clear(project_key);
    }
}
