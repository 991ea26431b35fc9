//! Encrypts secrets in Messages (`@sealed`) before they are stored, so that the file of a shop does not show them.

use crate::behaviour::Behaviours;
use crate::document::Document;
use crate::rules::Rules;
use kontor_json::{Value, json};
use kontor_model::Message;
use kontor_storage::SealKey;
use std::sync::Arc;

impl Behaviours {
    /// Returns the behaviours with a key that encrypts secrets in stored Messages. The storage decrypts them when it
    /// reads.
    #[must_use]
    pub fn with_seal_key(mut self, key: Arc<SealKey>) -> Self {
        self.seal_key = Some(key);
        self
    }

    /// Returns the key that encrypts secrets in Messages, if there is one.
    pub fn seal(&self) -> Option<&Arc<SealKey>> {
        self.seal_key.as_ref()
    }
}

/// Encrypts the secrets of a Message.
pub(crate) fn seal_secrets(message: &mut Document, notifications: &Message, rules: &Rules<'_>) {
    let Some(key) = rules.behaviours.seal() else { return };
    for field in notifications.fields.iter().filter(|field| field.sealed) {
        if let Some(secret) = message.get(&field.name).and_then(Value::as_str) {
            match key.seal(secret) {
                Some(sealed) => message.insert(&field.name, json!(sealed)),
                // If encryption fails, the secret is left out.
                None => message.shift_remove(&field.name),
            };
        }
    }
}
