//! The schema of Messages: a union of all Messages of the model.

use super::{Schemas, ValueDirection};
use kontor_json::{Map, Value, json};
use kontor_model::Kind;

/// The `typeId` of the kind whose documents are a union of the model's Messages.
pub(crate) const MESSAGE: &str = "message";

/// Returns the union of all Messages: each has the common fields and fields of its own.
pub(crate) fn message_union(schemas: &mut Schemas<'_>, kind: &Kind) -> Value {
    schemas.share(&format!("{}Union", kind.name), |schemas| {
        let common = schemas.object(kind.object, ValueDirection::Response);
        let mut links = Vec::new();
        let mut mapping = Map::new();
        for (_, message) in schemas.model.messages() {
            let name = format!("{}{}", message.name, kind.name);
            let link = schemas.share(&name, |schemas| {
                let mut own = schemas.fields(&message.fields, ValueDirection::Response);
                add_discriminator(&mut own, "type", &message.name);
                let mut schema = Map::new();
                if !message.doc.is_empty() {
                    schema.insert("description", json!(message.doc));
                }
                schema.insert("allOf", json!([common.clone(), own]));
                Value::Object(schema)
            });
            mapping.insert(message.name.clone(), link["$ref"].clone());
            links.push(link);
        }
        if links.is_empty() {
            return common;
        }
        json!({
            "description": kind.doc,
            "oneOf": links,
            "discriminator": {"propertyName": "type", "mapping": mapping},
        })
    })
}

/// Puts the discriminator of an object before all other fields.
pub(crate) fn add_discriminator(schema: &mut Map, by: &str, tag: &str) {
    put_first(schema, by, json!({"type": "string", "const": tag}));
}

/// Puts a required field before all other fields.
pub(crate) fn put_first(schema: &mut Map, name: &str, value: Value) {
    let mut properties = Map::new();
    properties.insert(name, value);
    if let Some(Value::Object(own)) = schema.remove("properties") {
        properties.extend(own.into_iter().filter(|(other, _)| other.as_str() != name));
    }
    let mut required = vec![json!(name)];
    if let Some(Value::Array(own)) = schema.remove("required") {
        required.extend(own.into_iter().filter(|other| *other != name));
    }
    schema.insert("required", Value::Array(required));
    schema.insert("properties", Value::Object(properties));
}
