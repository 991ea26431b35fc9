//! What has no key, where no ids can be chosen: a draft counts as present where a resource is there that is like it.
//!
//! All resources of the kind that have no key are read once and turned back into drafts. Each stands for one draft, so that
//! equal drafts are as many resources.

use super::{Importer, Item};
use crate::export::drafts_without_key;
use kontor_json::Value;
use kontor_model::{Kind, KindId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tokio::sync::Mutex;

/// What is there and stands for no draft yet: id and draft, by kind.
#[derive(Debug, Default)]
pub(crate) struct Alike(Mutex<HashMap<KindId, Vec<(String, Value)>>>);

impl Alike {
    /// The id of a resource that is like a draft. Nobody else gets it.
    pub(crate) async fn take(
        &self,
        importer: &Importer<'_>,
        kind: &Kind,
        item: &Item,
    ) -> anyhow::Result<Option<String>> {
        let mut there = self.0.lock().await;
        let there = match there.entry(item.kind) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(unread) => unread.insert(
                drafts_without_key(importer.operator, importer.model, importer.project, item.kind).await?,
            ),
        };
        let sent = |name: &str| {
            // A secret is in no document.
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

/// True where a resource has everything that a draft says. What the draft leaves out, the platform chose.
fn covers(found: &Value, sent: &Value) -> bool {
    match (found, sent) {
        (Value::Object(found), Value::Object(sent)) => {
            sent.iter().all(|(name, sent)| covers(found.get(name).unwrap_or(&Value::Null), sent))
        }
        (Value::Array(found), Value::Array(sent)) => {
            found.len() == sent.len() && found.iter().zip(sent).all(|(found, sent)| covers(found, sent))
        }
        (Value::Number(found), Value::Number(sent)) => found.as_f64() == sent.as_f64(),
        // What is empty is not kept.
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
