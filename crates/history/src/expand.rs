//! Expands values of custom fields in responses on request (reference type `CustomFieldExpandedValue`).

use kontor_engine::{Address, Document, Shop, document};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};
use std::collections::HashMap;

/// Adds labels to values of custom fields. Each Type is read once.
pub(crate) struct Expansion<'a> {
    shop: &'a Shop,
    /// The labels of fields, by the ids of Types.
    labels: HashMap<String, Document>,
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(shop: &'a Shop) -> Self {
        Self { shop, labels: HashMap::new() }
    }

    /// Expands the changes of a record.
    pub(crate) fn expand(&mut self, record: &mut Document) -> ApiResult<()> {
        let Some(Value::Array(changes)) = record.get_mut("changes") else { return Ok(()) };
        for change in changes.iter_mut().filter_map(Value::as_object_mut) {
            let text = |name: &str| document::text(change, &[name]).map(str::to_owned);
            let (Some(name), Some(type_id)) = (text("name"), text("customTypeId")) else { continue };
            let label = self.label(&type_id, &name)?;
            for field in ["previousValue", "nextValue"] {
                if let Some(value) = change.get_mut(field) {
                    let mut expanded = Document::new();
                    expanded.insert("name", json!(name));
                    expanded.insert("value", value.take());
                    expanded.extend(label.clone().map(|label| ("label".to_owned(), label)));
                    *value = Value::Object(expanded);
                }
            }
        }
        Ok(())
    }

    fn label(&mut self, type_id: &str, name: &str) -> ApiResult<Option<Value>> {
        if !self.labels.contains_key(type_id) {
            let labels = self.read(type_id)?;
            self.labels.insert(type_id.to_owned(), labels);
        }
        Ok(self.labels.get(type_id).and_then(|labels| labels.get(name)).cloned())
    }

    fn read(&self, type_id: &str) -> ApiResult<Document> {
        let Some(kind) = self.shop.model().kind_by_type_id("type") else { return Ok(Document::new()) };
        let Some(stored) = self.shop.get(kind, &Address::Id(type_id))? else { return Ok(Document::new()) };
        let custom_type = document::read_stored(&stored)?;
        let fields = document::list(&custom_type, &["fieldDefinitions"]).iter();
        let labelled = fields
            .filter_map(|field| Some((field.get("name")?.as_str()?.to_owned(), field.get("label")?.clone())));
        Ok(labelled.collect())
    }
}
