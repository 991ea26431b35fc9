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
pub struct Question {
    /// The document that says who is asked.
    pub asked: Arc<Document>,
    /// The target address, including its credentials.
    pub address: AskedAt,
    /// The request body.
    pub body: Value,
    /// Expansion paths for what the members of the body refer to (`{typeId, id, obj}`).
    pub expand: Vec<String>,
    /// The timeout.
    pub patience: Duration,
    /// Whether update actions may come back; otherwise only whether it was received counts.
    pub wants_actions: bool,
    /// The correlation id of the request, which is forwarded; `None`: it is not.
    pub correlation_id: Option<String>,
}

/// The target of a call.
#[derive(Debug, Clone)]
pub enum AskedAt {
    /// There.
    Given(Value),
    /// The setting of this name in the storage, or, if it does not exist, the given address.
    Kept(String, Value),
}

/// The future of a call: the update actions of the response.
pub type Answering = BoxFuture<'static, ApiResult<Vec<Value>>>;

/// Asks questions.
pub trait Asked: Send + Sync {
    /// Sends one call. The storage contains the separately stored settings.
    fn ask(
        &self,
        project_key: &str,
        model: &Arc<Model>,
        storage: Arc<dyn Storage>,
        question: Question,
    ) -> Answering;
}
