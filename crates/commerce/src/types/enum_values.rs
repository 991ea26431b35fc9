//! `addEnumValue`, `changeEnumValueLabel`, `changeEnumValueOrder`, `removeEnumValues` and their localized twins: the
//! values of an enum, be it the type of a field or of the elements of its set. Start at [`add`].
//!
//! Source: reference types `Type…EnumValue…Action`, `EnumKeyAlreadyExistsError`, `EnumKeyDoesNotExistError`,
//! `EnumValuesMustMatchError`; release note of 3 September 2026 for the removal. Conversations:
//! `tests/api/types/update-actions.txt`, `tests/api/types/removed-enum-values.txt`.

use kontor_engine::document::{list, must_field, must_text};
use kontor_engine::{ActionContext, Document};
use kontor_enums::FieldTypeTag;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The name of the type of plain enums.
pub(super) const PLAIN: &str = FieldTypeTag::Enum.as_str();
/// The type of localized enums.
pub(super) const LOCALIZED: &str = FieldTypeTag::LocalizedEnum.as_str();

/// Adds a value at the end. Refused with `EnumKeyAlreadyExists` if its key is used.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document, wanted: &str) -> ApiResult<()> {
    let (field, value) = (field_of(arguments)?, &arguments["value"]);
    let values = values_of(context, field, wanted)?;
    if values.iter().any(|known| known["key"] == value["key"]) {
        return Err(key_error(
            Code::EnumKeyAlreadyExists,
            "already contains",
            field,
            must_field(value, "key")?,
        ));
    }
    values.push(value.clone());
    Ok(())
}

/// Replaces the label of a value. Refused with `EnumKeyDoesNotExist` where its key is not there.
pub(super) fn change_label(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    wanted: &str,
) -> ApiResult<()> {
    let (field, value) = (field_of(arguments)?, &arguments["value"]);
    if value["label"].as_object().is_some_and(|label| label.is_empty()) {
        return Err(ApiError::invalid_operation(format!(
            "{}.value.label: a label must not be empty.",
            context.place
        )));
    }
    let values = values_of(context, field, wanted)?;
    let Some(known) = values.iter_mut().find(|known| known["key"] == value["key"]) else {
        return Err(key_error(
            Code::EnumKeyDoesNotExist,
            "does not contain",
            field,
            must_field(value, "key")?,
        ));
    };
    known["label"] = value["label"].clone();
    Ok(())
}

/// Sorts the values in the order of the keys. Refused with `EnumValuesMustMatch` unless each key is sent once.
pub(super) fn change_order(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    wanted: &str,
) -> ApiResult<()> {
    let values = values_of(context, field_of(arguments)?, wanted)?;
    let keys = list(arguments, &["keys"]);
    let places: HashMap<&Value, usize> = keys.iter().zip(0..).collect();
    // The number is the same and none is missing, so there are no duplicates.
    let is_complete =
        keys.len() == values.len() && values.iter().all(|value| places.contains_key(&value["key"]));
    if !is_complete {
        let known: Vec<&str> = values.iter().filter_map(|value| value["key"].as_str()).collect();
        return Err(ApiError::new(
            Code::EnumValuesMustMatch,
            format!(
                "The given values must be equal to the existing enum values. Existing: {}.",
                known.join(", ")
            ),
        ));
    }
    values.sort_by_key(|value| places.get(&value["key"]));
    Ok(())
}

/// Removes the values with the keys, whether or not custom fields use them. Keys without a value are ignored.
pub(super) fn remove(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    wanted: &str,
) -> ApiResult<()> {
    let values = values_of(context, field_of(arguments)?, wanted)?;
    let gone: HashSet<&Value> = list(arguments, &["keys"]).iter().collect();
    values.retain(|value| !gone.contains(&value["key"]));
    Ok(())
}

fn field_of(arguments: &Document) -> ApiResult<&str> {
    must_text(arguments, &["fieldName"])
}

/// Returns the values of the enum that the action addresses, if it has the type `wanted`.
fn values_of<'a>(
    context: &'a mut ActionContext<'_, '_>,
    field: &str,
    wanted: &str,
) -> ApiResult<&'a mut Vec<Value>> {
    let place = context.place;
    let definitions = context.document.get_mut("fieldDefinitions").and_then(Value::as_array_mut);
    let Some(definition) = definitions.into_iter().flatten().find(|definition| definition["name"] == field)
    else {
        return Err(ApiError::invalid_operation(format!(
            "{place}.fieldName: fieldDefinitions has no element with name '{field}'."
        )));
    };
    let mut field_type = &mut definition["type"];
    if field_type["name"] == "Set" {
        field_type = &mut field_type["elementType"];
    }
    if field_type["name"] != wanted {
        return Err(ApiError::invalid_operation(format!(
            "{place}.fieldName: the field '{field}' is of type {}, expected {wanted} or a set of it.",
            field_type["name"]
        )));
    }
    field_type["values"].as_array_mut().ok_or_else(|| ApiError::bug("a type of enum values without values"))
}

fn key_error(code: Code, how: &str, field: &str, key: &str) -> ApiError {
    ApiError::new(code, format!("The {field} field definition {how} an enum value with the key {key}."))
        .with_field("conflictingEnumKey", json!(key))
        .with_field("conflictingAttributeName", json!(field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};

    /// A plain enum, a localized one, a set of each, and a text.
    fn extra() -> Document {
        let plain = json!({"name": "Enum", "values": [{"key": "s", "label": "Small"}, {"key": "l", "label": "Large"}]});
        let localized = json!({"name": "LocalizedEnum", "values": [
            {"key": "s", "label": {"en": "Small"}}, {"key": "l", "label": {"en": "Large"}}]});
        let set = |element: &Value| json!({"name": "Set", "elementType": element});
        let field = |name: &str, field_type: Value| json!({"name": name, "type": field_type});
        object(json!({"id": "extra", "key": "extra", "resourceTypeIds": ["channel"], "fieldDefinitions": [
            field("plain", plain.clone()),
            field("localized", localized.clone()),
            field("plains", set(&plain)),
            field("localizeds", set(&localized)),
            field("text", json!({"name": "String"})),
        ]}))
    }

    fn apply_action(action: Value) -> ApiResult<Document> {
        TestShop::new().update("type", &extra(), json!([action])).map(|(after, _)| after)
    }

    fn values<'a>(document: &'a Document, field: &str) -> &'a Value {
        let definition =
            list(document, &["fieldDefinitions"]).iter().find(|known| known["name"] == field).unwrap();
        let field_type = &definition["type"];
        field_type.get("elementType").unwrap_or(field_type).get("values").unwrap()
    }

    fn code(action: Value) -> Code {
        apply_action(action).unwrap_err().code()
    }

    /// Field, the middle of an action's name, and a label for both kinds of enum, within a set and without.
    fn each_enum() -> [(&'static str, &'static str, Value); 4] {
        [
            ("plain", "EnumValue", json!("Medium")),
            ("plains", "EnumValue", json!("Medium")),
            ("localized", "LocalizedEnumValue", json!({"en": "Medium"})),
            ("localizeds", "LocalizedEnumValue", json!({"en": "Medium"})),
        ]
    }

    #[test]
    fn a_value_is_added_at_the_end_once() {
        for (field, named, label) in each_enum() {
            let add = |key: &str| json!({"action": format!("add{named}"), "fieldName": field, "value": {"key": key, "label": label}});
            let after = apply_action(add("m")).unwrap();
            assert_eq!(values(&after, field)[2], json!({"key": "m", "label": label}));
            let error = apply_action(add("s")).unwrap_err();
            assert_eq!(error.code(), Code::EnumKeyAlreadyExists);
            assert_eq!(
                error.message(),
                format!("The {field} field definition already contains an enum value with the key s.")
            );
        }
    }

    #[test]
    fn a_label_is_changed_in_place() {
        for (field, named, label) in each_enum() {
            let change = |key: &str| {
                json!({"action": format!("change{named}Label"), "fieldName": field,
                    "value": {"key": key, "label": label}})
            };
            let after = apply_action(change("s")).unwrap();
            assert_eq!(values(&after, field)[0], json!({"key": "s", "label": label}));
            assert_eq!(code(change("xl")), Code::EnumKeyDoesNotExist);
        }
        let empty = json!({"action": "changeLocalizedEnumValueLabel", "fieldName": "localized",
            "value": {"key": "s", "label": {}}});
        assert_eq!(code(empty), Code::InvalidOperation);
    }

    #[test]
    fn the_sequence_has_all_keys_each_once() {
        for (field, named, _) in each_enum() {
            let arrange = |keys: &[&str]| json!({"action": format!("change{named}Order"), "fieldName": field, "keys": keys});
            let after = apply_action(arrange(&["l", "s"])).unwrap();
            assert_eq!(
                (&values(&after, field)[0]["key"], &values(&after, field)[1]["key"]),
                (&json!("l"), &json!("s"))
            );
            for keys in [&["l"][..], &["l", "l"], &["l", "m"], &["l", "s", "s"]] {
                assert_eq!(code(arrange(keys)), Code::EnumValuesMustMatch, "{keys:?}");
            }
        }
    }

    #[test]
    fn removal_keeps_the_other_values() {
        for (field, named, _) in each_enum() {
            let remove = |keys: &[&str]| json!({"action": format!("remove{named}s"), "fieldName": field, "keys": keys});
            let remaining = |keys: &[&str]| -> Vec<Value> {
                let after = apply_action(remove(keys)).unwrap();
                values(&after, field).as_array().unwrap().iter().map(|value| value["key"].clone()).collect()
            };
            assert_eq!(remaining(&["l"]), [json!("s")]);
            assert_eq!(remaining(&["s", "s", "unknown"]), [json!("l")]);
            assert_eq!(remaining(&["s", "l"]), [] as [Value; 0]);
            assert_eq!(remaining(&[]), [json!("s"), json!("l")]);
        }
    }

    #[test]
    fn the_field_must_be_there_and_be_such_an_enum() {
        let add = |field: &str| json!({"action": "addEnumValue", "fieldName": field, "value": {"key": "m", "label": "x"}});
        let remove = |field: &str| json!({"action": "removeEnumValues", "fieldName": field, "keys": ["s"]});
        for field in ["none", "text", "localized", "localizeds"] {
            assert_eq!(code(add(field)), Code::InvalidOperation, "{field}");
            assert_eq!(code(remove(field)), Code::InvalidOperation, "{field}");
        }
    }
}
