//! Updates stored Attributes after a change of their Product Type: renamed and removed definitions, changed
//! keys and labels of enums, removed values of enums.
//!
//! Everything but renames follows from the current Product Type. Renames are stored in a hidden document as
//! [`AttributeRenames`]: `{"names": {"old": "new"}, "keys": {"attribute": {"old": "new"}}}`, by the current names of
//! the Attributes. A name (or key) that is defined again is removed from the old ones.

use super::{definitions, element_type, enum_values};
use kontor_engine::Document;
use kontor_engine::document::{enum_in_or_log, field_or_log, object_or_empty};
use kontor_enums::AttributeTypeTag;
use kontor_json::{Map, Value};
use std::collections::HashMap;

/// Renames of a Product Type that Products may not contain yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AttributeRenames {
    names: Map,
    keys: Map,
}

impl AttributeRenames {
    /// Parses the hidden document of the Product Type.
    pub(crate) fn read(kept: Option<&Document>) -> Self {
        let part = |name: &str| kept.map_or_else(Document::new, |kept| object_or_empty(kept, &[name]));
        Self { names: part("names"), keys: part("keys") }
    }

    /// Returns the hidden document of the Product Type.
    pub(crate) fn to_document(&self) -> Document {
        let mut kept = Document::new();
        kept.insert("names", Value::Object(self.names.clone()));
        kept.insert("keys", Value::Object(self.keys.clone()));
        kept
    }

    /// Records that an Attribute was renamed.
    pub(crate) fn rename(&mut self, old: &str, new: &str) {
        follow_on(&mut self.names, old, new);
        if let Some(keys) = self.keys.shift_remove(old) {
            self.keys.insert(new, keys);
        }
    }

    /// Records that a value of an enum got another key.
    pub(crate) fn rename_enum_key(&mut self, attribute: &str, old: &str, new: &str) {
        let keys = self.keys.entry(attribute).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(keys) = keys {
            follow_on(keys, old, new);
        }
    }

    /// Records that a definition was added: its name is no longer an old name.
    pub(crate) fn add_definition(&mut self, name: &str) {
        self.names.shift_remove(name);
        self.keys.shift_remove(name);
    }

    /// Records that a value of an enum was added: its key is no longer an old key.
    pub(crate) fn define_key(&mut self, attribute: &str, key: &str) {
        if let Some(Value::Object(keys)) = self.keys.get_mut(attribute) {
            keys.shift_remove(key);
        }
    }
}

/// Records the renaming of `old` to `new`; names that were renamed to `old` now map to `new`.
fn follow_on(renamed: &mut Map, old: &str, new: &str) {
    for (_, target) in renamed.iter_mut() {
        if *target == old {
            *target = new.into();
        }
    }
    renamed.shift_remove(new);
    renamed.insert(old, new.into());
}

/// Updates stored Attributes to their Product Type. Attributes without a definition are removed, and so are
/// values of enums that no longer exist.
pub(crate) fn update_attributes(
    attributes: &mut Vec<Value>,
    product_type: &Document,
    changes: &AttributeRenames,
) {
    let definitions = definitions(product_type);
    attributes.retain_mut(|attribute| {
        let name = field_or_log(attribute, "name");
        if let Some(new) = changes.names.get(name).filter(|_| !definitions.contains_key(name)) {
            attribute["name"] = new.clone();
        }
        let name = field_or_log(attribute, "name");
        let Some(definition) = definitions.get(name) else { return false };
        let renamed = changes.keys.get(name).and_then(Value::as_object);
        let (value, attribute_type) = (&mut attribute["value"], &definition["type"]);
        let known = enum_values(element_type(attribute_type));
        if value.is_array() {
            // The values of a set are looked for one after the other.
            let by_key: HashMap<&Value, &Value> = known.iter().map(|known| (&known["key"], known)).collect();
            return follow_value(value, attribute_type, renamed, &|key| by_key.get(key).copied());
        }
        let with = |key: &Value| known.iter().find(|known| known["key"] == *key);
        follow_value(value, attribute_type, renamed, &with)
    });
}

/// Finds the value of an enum by its key.
type EnumValueByKey<'f, 't> = &'f dyn Fn(&Value) -> Option<&'t Value>;

/// Returns false if the value is to be removed.
fn follow_value(
    value: &mut Value,
    attribute_type: &Value,
    renamed: Option<&Map>,
    with: EnumValueByKey<'_, '_>,
) -> bool {
    match enum_in_or_log(attribute_type, "name") {
        Some(AttributeTypeTag::Enum | AttributeTypeTag::Lenum) => {
            let key = &value["key"];
            let new_key = || renamed.zip(key.as_str()).and_then(|(renamed, key)| renamed.get(key));
            match with(key).or_else(|| new_key().and_then(with)) {
                Some(current) => {
                    if value != current {
                        *value = current.clone();
                    }
                    true
                }
                None => false,
            }
        }
        Some(AttributeTypeTag::Set) => {
            let Value::Array(items) = value else { return true };
            let before = items.len();
            items.retain_mut(|item| follow_value(item, &attribute_type["elementType"], renamed, with));
            // A set that was empty stays; a set that lost all its values is removed.
            before == 0 || !items.is_empty()
        }
        Some(
            AttributeTypeTag::Boolean
            | AttributeTypeTag::Text
            | AttributeTypeTag::Ltext
            | AttributeTypeTag::Number
            | AttributeTypeTag::Money
            | AttributeTypeTag::Date
            | AttributeTypeTag::Time
            | AttributeTypeTag::Datetime
            | AttributeTypeTag::Reference
            | AttributeTypeTag::Nested,
        )
        | None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::object;
    use kontor_json::json;

    fn enum_type(keys: &[&str]) -> Value {
        let values: Vec<Value> =
            keys.iter().map(|key| json!({"key": key, "label": format!("label {key}")})).collect();
        json!({"name": "enum", "values": values})
    }

    fn product_type(attributes: &[(&str, Value)]) -> Document {
        let attributes: Vec<Value> = attributes
            .iter()
            .map(|(name, attribute_type)| json!({"name": name, "type": attribute_type}))
            .collect();
        object(json!({"attributes": attributes}))
    }

    fn followed(attributes: Value, product_type: &Document, changes: &AttributeRenames) -> Value {
        let mut attributes = attributes.as_array().unwrap().clone();
        update_attributes(&mut attributes, product_type, changes);
        let once = attributes.clone();
        update_attributes(&mut attributes, product_type, changes);
        assert_eq!(attributes, once, "following twice is following once");
        Value::Array(attributes)
    }

    #[test]
    fn removed_definitions_take_their_attributes_along() {
        let left = product_type(&[("size", json!({"name": "number"}))]);
        let given = json!([{"name": "size", "value": 3}, {"name": "colour", "value": "red"}]);
        assert_eq!(
            followed(given, &left, &AttributeRenames::default()),
            json!([{"name": "size", "value": 3}])
        );
    }

    #[test]
    fn names_are_followed_through_several_renamings() {
        let mut changes = AttributeRenames::default();
        changes.rename("a1", "a2");
        changes.rename("a2", "a3");
        let now = product_type(&[("a3", json!({"name": "number"}))]);
        for old in ["a1", "a2", "a3"] {
            let given = json!([{"name": old, "value": 3}]);
            assert_eq!(followed(given, &now, &changes), json!([{"name": "a3", "value": 3}]), "{old}");
        }
        let changes = AttributeRenames::read(Some(&changes.to_document()));
        assert_eq!(changes.names.len(), 2, "what is kept is read again");
    }

    #[test]
    fn a_name_that_is_defined_again_is_not_followed() {
        let mut changes = AttributeRenames::default();
        changes.rename("a1", "a2");
        changes.add_definition("a1");
        let now = product_type(&[("a1", json!({"name": "number"})), ("a2", json!({"name": "number"}))]);
        let given = json!([{"name": "a1", "value": 3}]);
        assert_eq!(followed(given.clone(), &now, &changes), given);
        changes.rename("b1", "a2");
        changes.rename("a2", "b1");
        assert_eq!(changes.names.get("b1"), None, "back to where it was");
    }

    #[test]
    fn enum_values_get_their_labels_and_keys() {
        let mut changes = AttributeRenames::default();
        changes.rename_enum_key("size", "small", "s");
        let set = json!({"name": "set", "elementType": enum_type(&["s", "l"])});
        let now = product_type(&[("size", enum_type(&["s", "l"])), ("sizes", set)]);
        let value = |key: &str, label: &str| json!({"key": key, "label": label});
        let given = json!([
            {"name": "size", "value": value("small", "old")},
            {"name": "sizes", "value": [value("l", "old"), value("xl", "gone")]},
        ]);
        let expected = json!([
            {"name": "size", "value": value("s", "label s")},
            {"name": "sizes", "value": [value("l", "label l")]},
        ]);
        assert_eq!(followed(given, &now, &changes), expected);
        let gone = json!([
            {"name": "size", "value": value("xl", "gone")},
            {"name": "sizes", "value": [value("xl", "gone")]},
        ]);
        assert_eq!(followed(gone, &now, &changes), json!([]));
    }

    #[test]
    fn keys_follow_the_name_of_their_attribute() {
        let mut changes = AttributeRenames::default();
        changes.rename_enum_key("size", "small", "s");
        changes.rename("size", "length");
        let now = product_type(&[("length", enum_type(&["s"]))]);
        let given = json!([{"name": "size", "value": {"key": "small", "label": "x"}}]);
        assert_eq!(
            followed(given, &now, &changes),
            json!([{"name": "length", "value": {"key": "s", "label": "label s"}}])
        );
        changes.define_key("length", "small");
        let given = json!([{"name": "size", "value": {"key": "small", "label": "x"}}]);
        assert_eq!(followed(given, &now, &changes), json!([]));
    }
}
