//! Converts an import resource into a draft of the API.
//!
//! Most fields have the same names and values there. Custom fields and Attributes lose the names of their
//! types, and references in them become references by id.

use crate::references::{References, member, typed};
use crate::typed_value;
use kontor_json::{Map, Name, Value, json};
use kontor_model::{Model, Shape};

/// The object of custom fields in the model.
const CUSTOM_FIELD: &str = "CustomFieldImport";
/// The object of an Attribute in the model.
const ATTRIBUTE: &str = "AttributeImport";

/// Returns the API form of an imported value.
pub(crate) fn convert_value(model: &Model, shape: &Shape, value: &Value, references: &References) -> Value {
    match (shape, value) {
        (Shape::List(inner), Value::Array(items)) => {
            items.iter().map(|item| convert_value(model, inner, item, references)).collect()
        }
        (Shape::Map(inner), Value::Object(entries)) => {
            let plain = |(name, entry): (&Name, &Value)| {
                (name.clone(), convert_value(model, inner, entry, references))
            };
            Value::Object(entries.iter().map(plain).collect())
        }
        (Shape::Union(_), value) => match member(model, shape, value) {
            Some(inner) => convert_value(model, &inner, value, references),
            None => value.clone(),
        },
        (Shape::Object(id), Value::Object(entries)) => {
            let object = model.object(*id);
            match object.name.as_str() {
                CUSTOM_FIELD => convert_typed_value(value, references),
                ATTRIBUTE => {
                    json!({"name": entries.get("name"), "value": convert_typed_value(value, references)})
                }
                _ => {
                    let mut converted = Map::with_capacity(entries.len());
                    for (name, entry) in entries {
                        let entry = match object.field(name) {
                            Some(field) => convert_value(model, &field.shape, entry, references),
                            None => entry.clone(),
                        };
                        converted.insert(name.clone(), entry);
                    }
                    Value::Object(converted)
                }
            }
        }
        _ => value.clone(),
    }
}

/// Returns the API form of a typed value, with references by id and times in UTC.
pub(crate) fn convert_typed_value(value: &Value, references: &References) -> Value {
    let Some((type_name, value)) = typed(value) else { return value.clone() };
    if !typed_value::is_reference(type_name) {
        return match value {
            Value::Array(items) => items.iter().map(|item| typed_value::in_utc(type_name, item)).collect(),
            value => typed_value::in_utc(type_name, value),
        };
    }
    let by_id = |value: &Value| match typed_value::reference(value) {
        Some(sent) => json!({"typeId": sent.0, "id": references.id(sent)}),
        None => value.clone(),
    };
    match value {
        Value::Array(items) => items.iter().map(by_id).collect(),
        value => by_id(value),
    }
}
