//! Custom Object: `null` fields are dropped from its value, and Messages identify it by container and key.
//!
//! Source: reference types `CustomObjectDraft`, `UserProvidedIdentifiers`.

use kontor_engine::document::fields;
use kontor_engine::{Behaviour, Document, Effects, Rules};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

pub(crate) struct CustomObject;

impl Behaviour for CustomObject {
    fn resource(&self) -> &'static str {
        "CustomObject"
    }

    fn settle(
        &self,
        _before: Option<&Document>,
        after: &mut Document,
        _rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        if let Some(value) = after.get_mut("value") {
            drop_null_fields(value);
        }
        Ok(())
    }

    /// The key is unique only in its container, so both identify the object.
    fn provided_identifiers(&self, object: &Document) -> Document {
        let of = |name| object.get(name).cloned().unwrap_or_default();
        fields([("containerAndKey", Some(json!({"key": of("key"), "container": of("container")})))])
    }
}

/// Removes fields that are `null`, at any depth. Elements of a list are no fields: `null` elements stay.
fn drop_null_fields(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(drop_null_fields);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_null_fields),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::test_shop::TestShop;
    use kontor_json::json;

    #[test]
    fn null_fields_are_not_kept_and_null_elements_are() {
        let draft = json!({"container": "settings", "key": "theme", "value":
            {"kept": 1, "gone": null, "deep": {"gone": null, "empty": ""}, "list": [null, {"gone": null}, []]}});
        let created = TestShop::new().create("key-value-document", draft).unwrap();
        assert_eq!(created["value"], json!({"kept": 1, "deep": {"empty": ""}, "list": [null, {}, []]}));
    }
}
