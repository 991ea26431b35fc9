//! Type: definitions of custom fields. Fields with the same name and element type must not contradict each other. Start
//! at [`Type`].
//!
//! Source: reference types `TypeDraft`, `FieldDefinition`, `CustomFieldEnumType`, `CustomFieldSetType`,
//! `DuplicateFieldError`, `DuplicateEnumValuesError`. The reference names the errors of enums for attributes of
//! products; custom fields have the same ones.

mod enum_values;

use crate::kinds;
use enum_values::{LOCALIZED, PLAIN};
use kontor_engine::document::{list, must_text, text};
use kontor_engine::{ActionHandler, Behaviour, Document, Effects, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use std::collections::{HashMap, HashSet};

pub(crate) struct Type;

impl Behaviour for Type {
    fn resource(&self) -> &'static str {
        "Type"
    }

    fn actions(&self) -> &'static [(&'static str, ActionHandler)] {
        &[
            ("addEnumValue", |context, arguments| enum_values::add(context, arguments, PLAIN)),
            ("addLocalizedEnumValue", |context, arguments| enum_values::add(context, arguments, LOCALIZED)),
            ("changeEnumValueLabel", |context, arguments| {
                enum_values::change_label(context, arguments, PLAIN)
            }),
            ("changeLocalizedEnumValueLabel", |context, arguments| {
                enum_values::change_label(context, arguments, LOCALIZED)
            }),
            ("changeEnumValueOrder", |context, arguments| {
                enum_values::change_order(context, arguments, PLAIN)
            }),
            ("changeLocalizedEnumValueOrder", |context, arguments| {
                enum_values::change_order(context, arguments, LOCALIZED)
            }),
            ("removeEnumValues", |context, arguments| enum_values::remove(context, arguments, PLAIN)),
            ("removeLocalizedEnumValues", |context, arguments| {
                enum_values::remove(context, arguments, LOCALIZED)
            }),
        ]
    }

    fn settle(
        &self,
        before: Option<&Document>,
        after: &mut Document,
        rules: &Rules<'_>,
        _effects: &mut Effects,
    ) -> ApiResult<()> {
        let mut seen = HashSet::new();
        for (index, definition) in list(after, &["fieldDefinitions"]).iter().enumerate() {
            if !seen.insert(&definition["name"]) {
                return Err(ApiError::duplicate_field("fieldDefinitions.name", definition["name"].clone()));
            }
            admit_field_type(&definition["type"], &format!("fieldDefinitions[{index}].type"))?;
        }
        admit_beside_other_types(before, after, rules)
    }
}

/// Keys of an enum differ, and a set is not one of sets.
fn admit_field_type(field_type: &Value, place: &str) -> ApiResult<()> {
    let element = field_type.get("elementType");
    if let Some(element) = element {
        if element["name"] == "Set" {
            let place = format!("{place}.elementType");
            return Err(ApiError::invalid_field(
                &place,
                element,
                "A set cannot have sets as elements.",
                None,
            ));
        }
        return admit_field_type(element, &format!("{place}.elementType"));
    }
    let mut seen = HashSet::new();
    let keys = field_type["values"].as_array().into_iter().flatten().map(|value| &value["key"]);
    let mut reported = HashSet::new();
    let twice: Vec<&Value> = keys.filter(|key| !seen.insert(*key) && reported.insert(*key)).collect();
    if twice.is_empty() {
        return Ok(());
    }
    let keys: Vec<&str> = twice.iter().filter_map(|key| key.as_str()).collect();
    Err(ApiError::new(
        Code::DuplicateEnumValues,
        format!("The enum values contain duplicate keys: {}.", keys.join(", ")),
    )
    .with_field("duplicates", json!(keys)))
}

/// Checks that a field that two Types define for the same resource type has the same field type in both. Checked when
/// the definitions or the resource types change.
fn admit_beside_other_types(before: Option<&Document>, after: &Document, rules: &Rules<'_>) -> ApiResult<()> {
    let same = |field: &str| before.is_some_and(|before| before.get(field) == after.get(field));
    if same("fieldDefinitions") && same("resourceTypeIds") {
        return Ok(());
    }
    let definitions = list(after, &["fieldDefinitions"]);
    if definitions.is_empty() {
        return Ok(());
    }
    for resource in list(after, &["resourceTypeIds"]).iter().filter_map(Value::as_str) {
        for other in rules.find_others(kinds::TYPE, "resourceTypeIds", resource, text(after, &["id"]))? {
            let fields = list(&other, &["fieldDefinitions"]).iter();
            let types: HashMap<&Value, &Value> =
                fields.map(|field| (&field["name"], &field["type"])).collect();
            let differs = |definition: &&Value| {
                types
                    .get(&definition["name"])
                    .is_some_and(|theirs| !is_same_type(theirs, &definition["type"]))
            };
            if let Some(definition) = definitions.iter().find(differs) {
                return Err(ApiError::invalid_operation(format!(
                    "The field {} has another type in the Type with key '{}', which is for '{resource}' too.",
                    definition["name"],
                    must_text(&other, &["key"])?
                )));
            }
        }
    }
    Ok(())
}

/// Whether both take the same kind of value. The values of enums are not compared: otherwise an enum that several Types
/// define could never get another value.
fn is_same_type(one: &Value, other: &Value) -> bool {
    one["name"] == other["name"]
        && one["referenceTypeId"] == other["referenceTypeId"]
        && match (one.get("elementType"), other.get("elementType")) {
            (Some(one), Some(other)) => is_same_type(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::TestShop;

    fn field(name: &str, field_type: Value) -> Value {
        json!({"name": name, "label": {"en": "x"}, "required": false, "type": field_type})
    }

    fn create(shop: &TestShop, fields: Vec<Value>) -> ApiResult<Document> {
        let draft = json!({"key": "extra", "name": {"en": "Extra"}, "resourceTypeIds": ["channel", "review"],
            "fieldDefinitions": fields});
        shop.create("type", draft)
    }

    fn code(result: ApiResult<Document>) -> Code {
        result.unwrap_err().code()
    }

    #[test]
    fn names_differ_within_a_type() {
        let shop = TestShop::new();
        let text = json!({"name": "String"});
        create(&shop, vec![field("one", text.clone()), field("two", text.clone())]).unwrap();
        let error = create(&shop, vec![field("one", text.clone()), field("one", json!({"name": "Number"}))]);
        let error = error.unwrap_err();
        assert_eq!(error.code(), Code::DuplicateField);
        assert_eq!(error.message(), "A duplicate value '\"one\"' exists for field 'fieldDefinitions.name'.");
        let before = create(&shop, vec![field("one", text.clone())]).unwrap();
        let again = json!([{"action": "addFieldDefinition", "fieldDefinition": field("one", json!({"name": "Date"}))}]);
        assert_eq!(shop.update("type", &before, again).unwrap_err().code(), Code::DuplicateField);
    }

    #[test]
    fn keys_differ_within_an_enum_also_in_a_set() {
        let shop = TestShop::new();
        let plain = |keys: &[&str]| {
            let values: Vec<Value> = keys.iter().map(|key| json!({"key": key, "label": "x"})).collect();
            json!({"name": "Enum", "values": values})
        };
        create(&shop, vec![field("size", plain(&["s", "m"]))]).unwrap();
        let twice = plain(&["s", "m", "s", "m", "s"]);
        let error = create(&shop, vec![field("size", twice.clone())]).unwrap_err();
        assert_eq!(error.code(), Code::DuplicateEnumValues);
        assert_eq!(error.message(), "The enum values contain duplicate keys: s, m.");
        assert_eq!(error.objects()[0].to_json()["duplicates"], json!(["s", "m"]));
        let set = json!({"name": "Set", "elementType": twice});
        assert_eq!(code(create(&shop, vec![field("size", set)])), Code::DuplicateEnumValues);
    }

    #[test]
    fn a_set_is_not_one_of_sets() {
        let shop = TestShop::new();
        let set = |element: Value| json!({"name": "Set", "elementType": element});
        create(&shop, vec![field("size", set(json!({"name": "String"})))]).unwrap();
        let error = create(&shop, vec![field("size", set(set(json!({"name": "String"}))))]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidField);
        assert_eq!(error.objects()[0].to_json()["field"], json!("fieldDefinitions[0].type.elementType"));
    }

    #[test]
    fn types_for_the_same_resource_agree_on_their_fields() {
        let other = json!({"id": "other", "key": "other", "resourceTypeIds": ["review"], "fieldDefinitions": [
            field("size", json!({"name": "Enum", "values": [{"key": "s", "label": "Small"}]})),
            field("links", json!({"name": "Set", "elementType": {"name": "Reference", "referenceTypeId": "zone"}})),
        ]});
        let shop = TestShop::new().with_document("type", other);
        create(
            &shop,
            vec![field("size", json!({"name": "Enum", "values": [{"key": "l", "label": "Large"}]}))],
        )
        .unwrap();
        let error = create(&shop, vec![field("size", json!({"name": "String"}))]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidOperation);
        assert_eq!(
            error.message(),
            "The field \"size\" has another type in the Type with key 'other', which is for 'review' too."
        );
        let links = |target: &str| {
            field(
                "links",
                json!({"name": "Set", "elementType": {"name": "Reference", "referenceTypeId": target}}),
            )
        };
        create(&shop, vec![links("zone")]).unwrap();
        assert_eq!(code(create(&shop, vec![links("state")])), Code::InvalidOperation);
    }
}
