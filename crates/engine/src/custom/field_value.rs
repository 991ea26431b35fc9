//! Validates the value of one custom field against its `FieldType`.

use crate::document::{Document, each_once, must_field};
use crate::rules::Rules;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::{Limits, Location, Shape, Targets};

/// Returns the validated value in its stored form.
pub(super) fn check(
    field_type: &Value,
    value: Value,
    place: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    match must_field(field_type, "name")? {
        "Boolean" => shaped(&Shape::Boolean, value, place, rules),
        "String" => shaped(&Shape::String, value, place, rules),
        "LocalizedString" => shaped(&Shape::Localized, value, place, rules),
        "Number" => shaped(&Shape::Float, value, place, rules),
        "Date" => shaped(&Shape::Date, value, place, rules),
        "Time" => shaped(&Shape::Time, value, place, rules),
        "DateTime" => shaped(&Shape::DateTime, value, place, rules),
        "Enum" | "LocalizedEnum" => one_of(field_type, value, place, rules),
        "Money" => money(value, place, rules),
        "Reference" => {
            let type_id = must_field(field_type, "referenceTypeId")?;
            reference(type_id, value, place, rules)
        }
        "Set" => {
            let Value::Array(items) = value else {
                return Err(ApiError::invalid_field(&place.to_string(), &value, "Expected an array.", None));
            };
            let mut checked: Vec<Value> = Vec::with_capacity(items.len());
            for (index, item) in items.into_iter().enumerate() {
                checked.push(check(
                    &field_type["elementType"],
                    item,
                    &Location::Element(place, index),
                    rules,
                )?);
            }
            Ok(Value::Array(each_once(checked)))
        }
        _ => Err(ApiError::bug("a Type has a field of no known type")),
    }
}

/// Validates a value against a shape that is data of the project. Fails with `InvalidField` at `place`.
pub fn shaped(shape: &Shape, mut value: Value, place: &Location<'_>, rules: &Rules<'_>) -> ApiResult<Value> {
    let found = value.clone();
    rules
        .validator()
        .value(shape, &Limits::default(), &mut value, place)
        .map_err(|error| expected_of(&error, &found, place))?;
    Ok(value)
}

/// Converts a validation error: the shape of a custom field is data of the project, so the error is an invalid
/// field, not invalid JSON.
fn expected_of(error: &ApiError, value: &Value, place: &Location<'_>) -> ApiError {
    let detail = error.objects().first().and_then(|object| object.fields.get("detailedErrorMessage"));
    match detail.and_then(Value::as_str) {
        Some(detail) => ApiError::invalid_field(&place.to_string(), value, detail, None),
        None => error.clone(),
    }
}

fn one_of(field_type: &Value, value: Value, place: &Location<'_>, rules: &Rules<'_>) -> ApiResult<Value> {
    let value = shaped(&Shape::String, value, place, rules)?;
    let keys = || field_type["values"].as_array().into_iter().flatten().map(|entry| &entry["key"]);
    if keys().any(|key| *key == value) {
        return Ok(value);
    }
    let keys: Vec<Value> = keys().cloned().collect();
    Err(ApiError::invalid_field(
        &place.to_string(),
        &value,
        "Expected the key of a value of the Enum.",
        Some(json!(keys)),
    ))
}

/// The fields of money in responses, which clients may send back.
const MONEY_FIELDS: &[&str] = &["type", "currencyCode", "centAmount", "fractionDigits", "preciseAmount"];

/// Returns the stored form of an amount in cents: `{type, currencyCode, centAmount, fractionDigits}`.
pub fn money(value: Value, place: &Location<'_>, rules: &Rules<'_>) -> ApiResult<Value> {
    let Value::Object(mut entries) = value else {
        return Err(ApiError::invalid_field(
            &place.to_string(),
            &value,
            "Expected an object with currencyCode and centAmount.",
            None,
        ));
    };
    rules.pass_over(&mut entries, place, |name| MONEY_FIELDS.contains(&name)).map_err(|name| {
        ApiError::invalid_field(
            &Location::Member(place, &name).to_string(),
            &entries[&name],
            "Money has no such field.",
            None,
        )
    })?;
    for (name, shape) in [("currencyCode", Shape::Currency), ("centAmount", Shape::Long)] {
        let place = Location::Member(place, name);
        let value = entries.get(name).cloned();
        let value = value.ok_or_else(|| ApiError::required_field(&place.to_string()))?;
        entries.insert(name, shaped(&shape, value, &place, rules)?);
    }
    let mut stored = Document::new();
    stored.insert("type", json!("centPrecision"));
    stored.insert("currencyCode", entries["currencyCode"].clone());
    stored.insert("centAmount", entries["centAmount"].clone());
    if let Some(complete) = rules.behaviours.completion("money") {
        complete(&mut stored, place, rules)?;
    }
    Ok(Value::Object(stored))
}

/// Validates a reference by `id` or `key` to a resource of the kind, which must exist. Returns `{typeId, id}`.
pub fn reference(
    type_id: &str,
    mut value: Value,
    place: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    let targets = match rules.model.kind_by_type_id(type_id) {
        Some(kind) => Targets::Kinds(vec![kind]),
        None => Targets::Any,
    };
    let found = value.clone();
    rules
        .validator()
        .value(&Shape::Identifier(targets), &Limits::default(), &mut value, place)
        .map_err(|error| expected_of(&error, &found, place))?;
    let Value::Object(identifier) = value else {
        return Err(ApiError::bug("a reference that was checked is no object"));
    };
    let target = rules.resolve(&identifier)?;
    Ok(json!({"typeId": type_id, "id": target.id}))
}
