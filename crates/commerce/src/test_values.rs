//! Generates values for any shape of the model, for tests that cover the whole model.

use kontor_engine::Document;
use kontor_json::{Value, json};
use kontor_model::{Field, Model, ObjectId, ReferenceKinds, Shape};

/// Returns a draft with its required fields. Identifiers have `key`.
pub(crate) fn draft_of(model: &Model, object: ObjectId, key: &str) -> Document {
    let required = model.object(object).fields.iter().filter(|field| field.required);
    required.map(|field| (field.name.clone(), value_in(model, field, key))).collect()
}

/// Returns a value of a shape, with its required fields.
pub(crate) fn value_of(model: &Model, shape: &Shape, key: &str) -> Value {
    match shape {
        Shape::Object(object) => Value::Object(draft_of(model, *object, key)),
        Shape::Union(union) => {
            let union = model.union(*union);
            let (tag, member) = &union.members[0];
            let mut value = draft_of(model, *member, key);
            value.insert(&union.by, json!(tag));
            Value::Object(value)
        }
        Shape::Enum(values) => json!(model.enumeration(*values).values[0].value),
        Shape::Identifier(targets) | Shape::KeyReference(targets) => {
            json!({"typeId": type_id(model, targets), "key": key})
        }
        Shape::Reference(targets) => json!({"typeId": type_id(model, targets), "id": key}),
        Shape::List(inner) => json!([value_of(model, inner, key)]),
        Shape::Map(_) | Shape::AnyObject | Shape::FieldContainer => json!({}),
        Shape::Localized => json!({"en": "text"}),
        Shape::Boolean => json!(true),
        Shape::Int | Shape::Long | Shape::Float => json!(1),
        Shape::DateTime => json!("2027-01-01T00:00:00.000Z"),
        Shape::Date => json!("2027-01-01"),
        Shape::Time => json!("12:00:00.000"),
        Shape::Locale => json!("en"),
        Shape::Country => json!("DE"),
        Shape::Currency => json!("EUR"),
        _ => json!("text"),
    }
}

/// A value of a field: a list that may be empty is.
fn value_in(model: &Model, field: &Field, key: &str) -> Value {
    match &field.shape {
        Shape::List(_) if field.limits.items_min.unwrap_or(0) == 0 => json!([]),
        shape => value_of(model, shape, key),
    }
}

fn type_id<'m>(model: &'m Model, targets: &ReferenceKinds) -> &'m str {
    match targets {
        ReferenceKinds::Kinds(kinds) => &model.kind(kinds[0]).type_id,
        ReferenceKinds::Any => "customer",
    }
}
