//! What somebody is asked before a change is written, and who asks.

use crate::document::Document;
use futures_util::future::BoxFuture;
use kontor_errors::ApiResult;
use kontor_json::Value;
use kontor_model::Model;
use kontor_storage::Storage;
use std::sync::Arc;
use std::time::Duration;

/// What somebody is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// The document that says who is asked.
    pub asked: Arc<Document>,
    /// Where, with what is secret in it.
    pub address: AskedAt,
    /// What is sent.
    pub body: Value,
    /// Expansion paths for what the members of the body refer to (`{typeId, id, obj}`).
    pub expand: Vec<String>,
    /// How long an answer is waited for.
    pub patience: Duration,
    /// Whether update actions may come back; otherwise only whether it was received counts.
    pub wants_actions: bool,
    /// By which the request that it is asked for is followed from one server to the next; `None`: it is not.
    pub correlation_id: Option<String>,
}

/// Where somebody is asked.
#[derive(Debug, Clone)]
pub enum AskedAt {
    /// There.
    Given(Value),
    /// What is kept apart under this name, or where there is nothing, there.
    Kept(String, Value),
}

/// What will be answered: update actions.
pub type Answering = BoxFuture<'static, ApiResult<Vec<Value>>>;

/// Asks questions.
pub trait Asked: Send + Sync {
    /// Asks one. What is kept apart is in the storage.
    fn ask(
        &self,
        project_key: &str,
        model: &Arc<Model>,
        storage: Arc<dyn Storage>,
        question: Question,
    ) -> Answering;
}
