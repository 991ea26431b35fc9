//! Replaces exported ids in drafts with the ids that the resources have in the target project.
//!
//! References by key need no replacement. Other mentions do: references to resources without key, ids in strings
//! (`productId`), member names (`categoryOrderHints`) and quoted ids in predicates. Only strings that a line of the
//! import lists as an exported id are replaced. Keys are not, except those of resources that are addressed by fields:
//! custom objects about a resource often have its id as their key.

use super::{ImportItem, Importer, must_not_be_server_error};
use crate::command_response::CommandRefusal;
use axum::http::Method;
use kontor_json::{Map, Name, Value};
use kontor_model::{Addressing, KindId, Model};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};

/// The member with the key, which users chose.
const KEY: &str = "key";

/// The resource with an exported id.
#[derive(Debug, Clone)]
struct ExportedId {
    kind: KindId,
    key: Option<String>,
    /// Its id in the target project, once it is known.
    target_id: Option<String>,
}

/// All exported ids of the import, with their resources.
#[derive(Debug, Default)]
pub(crate) struct ExportedIds(Mutex<HashMap<String, ExportedId>>);

impl ExportedIds {
    /// Adds an exported id.
    pub(crate) fn add(&self, id: &str, kind: KindId, key: Option<&str>) {
        let label = ExportedId { kind, key: key.map(str::to_owned), target_id: None };
        self.0.lock().insert(id.to_owned(), label);
    }

    /// Returns the exported ids of resources that have keys.
    pub(crate) fn by_key(&self) -> HashMap<(KindId, String), String> {
        let known = self.0.lock();
        let keyed =
            known.iter().filter_map(|(id, label)| Some(((label.kind, label.key.clone()?), id.clone())));
        keyed.collect()
    }

    /// Records the id of a resource in the target project.
    pub(crate) fn record_new_id(&self, label: Option<&str>, here: Option<&str>) {
        if let (Some(label), Some(here)) = (label, here)
            && let Some(known) = self.0.lock().get_mut(label)
        {
            known.target_id = Some(here.to_owned());
        }
    }

    /// Returns the id of a resource in the target project, if it is known.
    pub(crate) fn new_id(&self, label: Option<&str>) -> Option<String> {
        self.0.lock().get(label?)?.target_id.clone()
    }

    /// Returns the item with the ids of the target project; an error if it mentions a resource that does not exist yet.
    pub(crate) async fn translate(
        &self,
        importer: &Importer<'_>,
        item: &ImportItem,
    ) -> anyhow::Result<Result<ImportItem, CommandRefusal>> {
        let mut mentioned = HashSet::new();
        if !self.0.lock().is_empty() {
            let actions = item.actions.iter();
            [&item.draft]
                .into_iter()
                .chain(actions)
                .for_each(|value| self.collect_mentions(value, &mut mentioned));
            mentioned.extend(self.exported_id_in_key(importer.model, item));
        }
        if let Some(own) = &item.label {
            mentioned.remove(own);
        }
        let mut here = HashMap::new();
        for label in mentioned {
            match self.resolve_label(importer, &label).await? {
                Some(id) => drop(here.insert(label, id)),
                None => return Ok(Err(self.missing_resource_error(importer.model, &label))),
            }
        }
        let mut item = item.clone();
        if here.iter().any(|(label, id)| label != id) {
            let by_fields = self.exported_id_in_key(importer.model, &item);
            item.draft = replace_ids(&item.draft, &here);
            if let Some(id) = by_fields.and_then(|label| here.get(&label)) {
                item.draft[KEY] = Value::String(id.clone());
            }
            item.actions = item.actions.iter().map(|action| replace_ids(action, &here)).collect();
        }
        Ok(Ok(item))
    }

    /// Returns the key of a resource that is addressed by fields, if it is an exported id.
    fn exported_id_in_key(&self, model: &Model, item: &ImportItem) -> Option<String> {
        let is_by_fields = matches!(model.kind(item.kind).addressing, Addressing::Fields(_));
        let key = item.draft.get(KEY)?.as_str()?;
        (is_by_fields && self.0.lock().contains_key(key)).then(|| key.to_owned())
    }

    async fn resolve_label(&self, importer: &Importer<'_>, label: &str) -> anyhow::Result<Option<String>> {
        let Some(ExportedId { kind, key, target_id }) = self.0.lock().get(label).cloned() else {
            return Ok(None);
        };
        if target_id.is_some() {
            return Ok(target_id);
        }
        let kind = importer.model.kind(kind);
        let path = match &key {
            Some(key) => importer.addresses().by_key(kind, key),
            None if importer.operator.is_client() => None,
            None => importer.addresses().by_id(kind, label),
        };
        let Some(path) = path else { return Ok(None) };
        let reply = must_not_be_server_error(importer.operator.send(Method::GET, &path, None).await?)?;
        let found = reply.body["id"].as_str().filter(|_| reply.status == 200).map(str::to_owned);
        self.record_new_id(Some(label), found.as_deref());
        Ok(found)
    }

    fn missing_resource_error(&self, model: &Model, label: &str) -> CommandRefusal {
        let named = self.0.lock().get(label).map_or_else(String::new, |known| {
            let key = known.key.as_ref().map(|key| format!(" (key '{key}')")).unwrap_or_default();
            format!("the {}{key} that had ", model.kind(known.kind).type_id)
        });
        let message = format!("The draft mentions {named}the id '{label}', which does not exist.");
        CommandRefusal { code: "ReferencedResourceNotFound".into(), message }
    }

    fn collect_mentions(&self, value: &Value, found: &mut HashSet<String>) {
        match value {
            Value::String(text) => {
                let known = self.0.lock();
                let ids = [text.as_str()].into_iter().chain(quoted_parts(text));
                found.extend(ids.filter(|id| known.contains_key(*id)).map(str::to_owned));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect_mentions(item, found)),
            Value::Object(fields) => {
                for (name, value) in fields.iter().filter(|(name, _)| *name != KEY) {
                    if self.0.lock().contains_key(name.as_str()) {
                        found.insert(name.to_string());
                    }
                    self.collect_mentions(value, found);
                }
            }
            _ => {}
        }
    }
}

/// Returns the parts between quotation marks, e.g. ids in predicates.
fn quoted_parts(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

fn replace_ids(value: &Value, here: &HashMap<String, String>) -> Value {
    match value {
        Value::String(text) => match here.get(text) {
            Some(id) => Value::String(id.clone()),
            None if text.contains('"') => {
                let parts: Vec<&str> =
                    text.split('"').map(|part| here.get(part).map_or(part, String::as_str)).collect();
                Value::String(parts.join("\""))
            }
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(|item| replace_ids(item, here)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match name.as_str() {
                KEY => (name.clone(), value.clone()),
                _ => (
                    here.get(name.as_str()).map_or_else(|| name.clone(), Name::from),
                    replace_ids(value, here),
                ),
            })
            .collect::<Map>()
            .into(),
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn replaces_ids_that_are_whole_strings_or_quoted() {
        let here = HashMap::from([("old".to_owned(), "new".to_owned())]);
        let draft = json!({
            "productId": "old", "name": "an old one", "categoryOrderHints": {"old": "0.5"}, "key": "old",
            "predicate": "categories.id contains any (\"old\", \"other\") and sku = \"the old\"",
        });
        let expected = json!({
            "productId": "new", "name": "an old one", "categoryOrderHints": {"new": "0.5"}, "key": "old",
            "predicate": "categories.id contains any (\"new\", \"other\") and sku = \"the old\"",
        });
        assert_eq!(replace_ids(&draft, &here), expected);
    }

    #[test]
    fn finds_only_known_ids() {
        let model = Model::embedded().unwrap();
        let labels = ExportedIds::default();
        labels.add("old", model.kind_by_type_id("product").unwrap(), None);
        let mut found = HashSet::new();
        labels.collect_mentions(&json!({"a": ["other", {"b": "id = \"old\""}]}), &mut found);
        assert_eq!(found, HashSet::from(["old".to_owned()]));
    }
}
