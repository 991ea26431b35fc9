//! Removes personal data from Messages: fields that the model marks with `@personal`, and all custom fields, which
//! may contain anything.
//!
//! A Message of a deletion with `dataErasure` must not contain any, because it would outlive the erasure.

use crate::document::Document;
use crate::masking::MASK;
use kontor_json::{Value, json};
use kontor_model::{Field, Model, Shape};

/// The field of a Message with the user-provided identifiers of the document.
const IDENTIFIERS: &str = "resourceUserProvidedIdentifiers";

/// Removes personal data from a Message with these own fields.
pub(crate) fn remove_from_message(message: &mut Document, fields: &[Field], model: &Model) {
    message.shift_remove(IDENTIFIERS);
    remove_from_object(message, fields, model);
}

/// Removes personal data from an object with these fields. A required field gets a mask, or becomes an empty list.
fn remove_from_object(object: &mut Document, fields: &[Field], model: &Model) {
    for field in fields {
        if !object.contains_key(&field.name) {
            continue;
        }
        if !field.personal && field.custom.is_none() {
            if let Some(value) = object.get_mut(&field.name) {
                remove_from_value(value, &field.shape, model);
            }
        } else if !field.required {
            object.shift_remove(&field.name);
        } else if field.shape.is_list() {
            object.insert(&field.name, json!([]));
        } else {
            object.insert(&field.name, json!(MASK));
        }
    }
}

fn remove_from_value(value: &mut Value, shape: &Shape, model: &Model) {
    match (shape, value) {
        (Shape::List(inner), Value::Array(items)) => {
            items.iter_mut().for_each(|item| remove_from_value(item, inner, model));
        }
        (Shape::Map(inner), Value::Object(object)) => {
            object.values_mut().for_each(|value| remove_from_value(value, inner, model));
        }
        (Shape::Object(inner), Value::Object(object)) => {
            remove_from_object(object, &model.object(*inner).fields, model);
        }
        (Shape::Union(union), Value::Object(object)) => {
            let union = model.union(*union);
            let tag = object.get(&union.by).and_then(Value::as_str).or(union.default.as_deref());
            if let Some(member) = tag.and_then(|tag| union.member(tag)) {
                remove_from_object(object, &model.object(member).fields, model);
            }
        }
        // A reference field may contain the whole document.
        (Shape::Reference(targets), Value::Object(object)) => {
            if let Some(kind) = targets.single().filter(|_| object.contains_key("version")) {
                remove_from_object(object, &model.object(model.kind(kind).object).fields, model);
            }
        }
        _ => {}
    }
}
