//! The result of staged actions: the changed document and its Messages, e.g. for the preview of an Order Edit.

use crate::document::Document;
use crate::pending_messages::{PendingMessage, messages_by_name};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_model::Model;

/// A document after its staged actions, with their messages.
#[derive(Debug)]
pub struct StagedResult {
    /// The document.
    pub document: Document,
    pub(crate) pending: Vec<PendingMessage>,
}

impl StagedResult {
    /// Adds messages that no action caused: names with fields. Fails with an internal error if the model does not have
    /// one of them.
    pub fn add_messages(&mut self, messages: Vec<(&'static str, Document)>, model: &Model) -> ApiResult<()> {
        self.pending.extend(messages_by_name(messages, model)?);
        Ok(())
    }

    /// Returns the messages with their own fields, in the form of their payload.
    pub fn payloads(&self, model: &Model) -> Vec<Value> {
        let payload = |pending: &PendingMessage| {
            let mut payload = Document::new();
            payload.insert("type", json!(model.message(pending.message).name));
            payload.extend(pending.fields.clone());
            Value::Object(payload)
        };
        self.pending.iter().map(payload).collect()
    }
}
