//! The result of staged actions.

use crate::document::Document;
use crate::pending::{Pending, told};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use kontor_model::Model;

/// A document after its staged actions, with their messages.
#[derive(Debug)]
pub struct Staged {
    /// The document.
    pub document: Document,
    pub(crate) pending: Vec<Pending>,
}

impl Staged {
    /// Adds messages that no action caused: names with fields.
    pub fn tell(&mut self, messages: Vec<(&'static str, Document)>, model: &Model) -> ApiResult<()> {
        self.pending.extend(told(messages, model)?);
        Ok(())
    }

    /// Returns the messages with their own fields, in the form of their payload.
    pub fn payloads(&self, model: &Model) -> Vec<Value> {
        let payload = |pending: &Pending| {
            let mut payload = Document::new();
            payload.insert("type", json!(model.message(pending.message).name));
            payload.extend(pending.fields.clone());
            Value::Object(payload)
        };
        self.pending.iter().map(payload).collect()
    }
}
