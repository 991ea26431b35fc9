//! Calls to external systems before a change is written (API Extensions, test notifications), and the trait
//! of their client.

use crate::document::Document;
use futures_util::future::BoxFuture;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::Model;
use kontor_storage::Storage;
use std::sync::Arc;
use std::time::Duration;

/// One call to an external system.
#[derive(Debug, Clone)]
pub struct ExtensionCall {
    /// The document that configures the target, e.g. the API Extension.
    pub target_document: Arc<Document>,
    /// The target address, including its credentials.
    pub address: CallTarget,
    /// The request body.
    pub body: Value,
    /// Expansion paths for what the members of the body refer to (`{typeId, id, obj}`).
    pub expand: Vec<String>,
    /// The timeout.
    pub timeout: Duration,
    /// Whether the response may contain update actions; otherwise only its success counts.
    pub wants_actions: bool,
    /// The correlation id of the request, which is sent to the target; `None`: none is sent.
    pub correlation_id: Option<String>,
}

/// The target of a call.
#[derive(Debug, Clone)]
pub enum CallTarget {
    /// This address.
    Inline(Value),
    /// The address in the setting of this name in the storage, or the given one if the setting does not exist.
    Stored(String, Value),
}

/// The future of a call: the update actions of the response.
pub type CallFuture = BoxFuture<'static, ApiResult<Vec<Value>>>;

/// The client for external calls.
pub trait ExtensionClient: Send + Sync {
    /// Sends one call. `storage` contains the separately stored settings, e.g. secrets of an address.
    fn call(
        &self,
        project_key: &str,
        model: &Arc<Model>,
        storage: Arc<dyn Storage>,
        question: ExtensionCall,
    ) -> CallFuture;
}
