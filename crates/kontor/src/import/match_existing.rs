//! Finds existing resources for drafts without a key, when an import runs as an API client and cannot choose ids.
//!
//! A draft counts as present if an existing resource has the same content. All resources of the type without a key are
//! read once and converted to drafts. Each matches one draft only, so that equal drafts stay several resources.

use super::{ImportItem, Importer};
use crate::export::drafts_without_key;
use kontor_json::Value;
use kontor_model::{Kind, KindId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tokio::sync::Mutex;

/// Existing resources that no draft has matched yet: id and draft, by resource type.
#[derive(Debug, Default)]
pub(crate) struct UnmatchedResources(Mutex<HashMap<KindId, Vec<(String, Value)>>>);

impl UnmatchedResources {
    /// Returns the id of a resource that matches a draft, and removes it, so that it matches no other.
    pub(crate) async fn take(
        &self,
        importer: &Importer<'_>,
        kind: &Kind,
        item: &ImportItem,
    ) -> anyhow::Result<Option<String>> {
        let mut there = self.0.lock().await;
        let there = match there.entry(item.kind) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(unread) => unread.insert(
                drafts_without_key(importer.operator, importer.model, importer.project, item.kind).await?,
            ),
        };
        let sent = |name: &str| {
            // Documents have no secrets, so they are not compared.
            let field = kind.draft.and_then(|draft| importer.model.object(draft).field(name));
            field.is_none_or(|field| !field.secret)
        };
        let is_like = |found: &Value| match &item.draft {
            Value::Object(draft) => {
                draft.iter().filter(|(name, _)| sent(name)).all(|(name, value)| covers(&found[name], value))
            }
            _ => false,
        };
        let position = there.iter().position(|(_, found)| is_like(found));
        Ok(position.map(|position| there.swap_remove(position).0))
    }
}

/// True if a resource has all values of a draft. It may have more, which the platform has set.
fn covers(found: &Value, sent: &Value) -> bool {
    match (found, sent) {
        (Value::Object(found), Value::Object(sent)) => {
            sent.iter().all(|(name, sent)| covers(found.get(name).unwrap_or(&Value::Null), sent))
        }
        (Value::Array(found), Value::Array(sent)) => {
            found.len() == sent.len() && found.iter().zip(sent).all(|(found, sent)| covers(found, sent))
        }
        (Value::Number(found), Value::Number(sent)) => found.as_f64() == sent.as_f64(),
        // Empty values are not stored.
        (Value::Null, Value::Array(items)) => items.is_empty(),
        (Value::Null, Value::Object(fields)) => fields.is_empty(),
        (found, sent) => found == sent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn a_resource_covers_the_draft_that_made_it() {
        let found = json!({"sku": "a", "quantity": 7.0, "channel": {"key": "x"}, "isChosen": true});
        assert!(covers(&found, &json!({"sku": "a", "quantity": 7, "tags": []})));
        assert!(covers(&found, &json!({"channel": {"key": "x"}})));
        assert!(!covers(&found, &json!({"channel": {"key": "y"}})));
        assert!(!covers(&found, &json!({"sku": "a", "more": 1})));
        assert!(!covers(&json!({"list": [1]}), &json!({"list": [1, 2]})));
    }
}
