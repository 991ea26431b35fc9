//! Validates the value of one custom field against its `FieldType`.

use crate::document::{Document, list, must_enum_in, must_field, without_duplicates};
use crate::rules::Rules;
use kontor_enums::{FieldTypeTag, MoneyType};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{Location, ReferenceKinds, Shape, ValueLimits};

/// Returns the validated value in its stored form.
pub(super) fn check(
    field_type: &Value,
    value: Value,
    location: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    match must_enum_in::<FieldTypeTag>(field_type, "name")? {
        FieldTypeTag::Boolean => validate_shape(&Shape::Boolean, value, location, rules),
        FieldTypeTag::String => validate_shape(&Shape::String, value, location, rules),
        FieldTypeTag::LocalizedString => validate_shape(&Shape::Localized, value, location, rules),
        FieldTypeTag::Number => validate_shape(&Shape::Float, value, location, rules),
        FieldTypeTag::Date => validate_shape(&Shape::Date, value, location, rules),
        FieldTypeTag::Time => validate_shape(&Shape::Time, value, location, rules),
        FieldTypeTag::DateTime => validate_shape(&Shape::DateTime, value, location, rules),
        FieldTypeTag::Enum | FieldTypeTag::LocalizedEnum => validate_enum(field_type, value, location, rules),
        FieldTypeTag::Money => validate_money(value, location, rules),
        FieldTypeTag::Reference => {
            let type_id = must_field(field_type, "referenceTypeId")?;
            validate_reference(type_id, value, location, rules)
        }
        FieldTypeTag::Set => {
            let Value::Array(items) = value else {
                return Err(ApiError::invalid_field(
                    &location.to_string(),
                    &value,
                    "Expected an array.",
                    None,
                ));
            };
            let mut checked: Vec<Value> = Vec::with_capacity(items.len());
            for (index, item) in items.into_iter().enumerate() {
                checked.push(check(
                    &field_type["elementType"],
                    item,
                    &Location::Element(location, index),
                    rules,
                )?);
            }
            Ok(Value::Array(without_duplicates(checked)))
        }
    }
}

/// Validates a value against a shape that is data of the project. Fails with `InvalidField` at `place`.
pub fn validate_shape(
    shape: &Shape,
    mut value: Value,
    location: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    let found = value.clone();
    rules
        .validator()
        .value(shape, &ValueLimits::default(), &mut value, location)
        .map_err(|error| expected_of(&error, &found, location))?;
    Ok(value)
}

/// Converts a validation error: the shape of a custom field is data of the project, so the error is an invalid
/// field, not invalid JSON.
fn expected_of(error: &ApiError, value: &Value, location: &Location<'_>) -> ApiError {
    let detail = error.objects().first().and_then(|object| object.fields.get("detailedErrorMessage"));
    match detail.and_then(Value::as_str) {
        Some(detail) => ApiError::invalid_field(&location.to_string(), value, detail, None),
        None => error.clone(),
    }
}

fn validate_enum(
    field_type: &Value,
    value: Value,
    location: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    let value = validate_shape(&Shape::String, value, location, rules)?;
    validate_enum_key(field_type, &value, location)?;
    Ok(value)
}

fn validate_enum_key(field_type: &Value, key: &Value, location: &Location<'_>) -> ApiResult<()> {
    let keys = || field_type["values"].as_array().into_iter().flatten().map(|entry| &entry["key"]);
    if keys().any(|known| known == key) {
        return Ok(());
    }
    let keys: Vec<Value> = keys().cloned().collect();
    Err(ApiError::invalid_field(
        &location.to_string(),
        key,
        "Expected the key of a value of the Enum.",
        Some(json!(keys)),
    ))
}

/// Checks that the Type still defines each stored enum key, also within sets: keys can be removed from a Type while
/// resources have them. Other values stay valid, because the type of a field does not change.
pub(super) fn validate_stored_enums(definitions: &Document, fields: &Document) -> ApiResult<()> {
    for definition in list(definitions, &["fieldDefinitions"]) {
        let name = must_field(definition, "name")?;
        let field_type = definition["type"].get("elementType").unwrap_or(&definition["type"]);
        let tag = must_enum_in::<FieldTypeTag>(field_type, "name")?;
        let (Some(stored), FieldTypeTag::Enum | FieldTypeTag::LocalizedEnum) = (fields.get(name), tag) else {
            continue;
        };
        let keys = stored.as_array().map_or(std::slice::from_ref(stored), |items| items.as_slice());
        for key in keys {
            validate_enum_key(field_type, key, &Location::Text(name))?;
        }
    }
    Ok(())
}

/// The fields of money in responses, which clients may send back.
const MONEY_FIELDS: &[&str] = &["type", "currencyCode", "centAmount", "fractionDigits", "preciseAmount"];

/// Returns the stored form of an amount in cents: `{type, currencyCode, centAmount, fractionDigits}`. Fails with 400
/// `RequiredField` or `InvalidField` at `place`.
pub fn validate_money(value: Value, location: &Location<'_>, rules: &Rules<'_>) -> ApiResult<Value> {
    let Value::Object(mut entries) = value else {
        return Err(ApiError::invalid_field(
            &location.to_string(),
            &value,
            "Expected an object with currencyCode and centAmount.",
            None,
        ));
    };
    rules.ignore_or_refuse(&mut entries, location, |name| MONEY_FIELDS.contains(&name)).map_err(|name| {
        ApiError::invalid_field(
            &Location::Member(location, &name).to_string(),
            &entries[&name],
            "Money has no such field.",
            None,
        )
    })?;
    for (name, shape) in [("currencyCode", Shape::Currency), ("centAmount", Shape::Long)] {
        let location = Location::Member(location, name);
        let value = entries.get(name).cloned();
        let value = value.ok_or_else(|| ApiError::required_field(&location.to_string()))?;
        entries.insert(name, validate_shape(&shape, value, &location, rules)?);
    }
    let mut stored = Document::new();
    stored.insert("type", json!(MoneyType::CentPrecision));
    stored.insert("currencyCode", entries["currencyCode"].clone());
    stored.insert("centAmount", entries["centAmount"].clone());
    if let Some(complete) = rules.behaviours.completion("money") {
        complete(&mut stored, location, rules)?;
    }
    Ok(Value::Object(stored))
}

/// Validates a reference by `id` or `key` to a resource of the kind, which must exist. Returns `{typeId, id}`.
pub fn validate_reference(
    type_id: &str,
    mut value: Value,
    location: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    let targets = match rules.model.kind_by_type_id(type_id) {
        Some(kind) => ReferenceKinds::Kinds(vec![kind]),
        None => ReferenceKinds::Any,
    };
    let found = value.clone();
    rules
        .validator()
        .value(&Shape::Identifier(targets), &ValueLimits::default(), &mut value, location)
        .map_err(|error| expected_of(&error, &found, location))?;
    let Value::Object(identifier) = value else {
        return Err(ApiError::bug("a reference that was checked is no object"));
    };
    let target = rules.resolve(&identifier)?;
    Ok(json!({"typeId": type_id, "id": target.id}))
}
