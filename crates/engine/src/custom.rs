//! Custom fields: validates them against their Type.
//!
//! Source: reference types `CustomFields`, `CustomFieldsDraft`, `FieldDefinition`, `FieldType`.

mod field_value;
mod project_types;

pub use field_value::{validate_money, validate_reference, validate_shape};
pub(crate) use project_types::ProjectTypes;

use crate::document::{Document, list, must_field, must_text, text_or_log};
use crate::rules::Rules;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_model::Location;
use std::sync::Arc;

/// Converts a draft `{type, fields}` to stored custom fields of a `ResourceTypeId`, e.g. `customer`.
///
/// # Errors
/// 400: `RequiredField` without `type` or without a required field, `ReferencedResourceNotFound` for an unknown Type,
/// `InvalidOperation` if the Type is for other resources, and `InvalidField` for an unknown field or a value of another
/// type.
pub fn from_draft(
    mut draft: Document,
    resource_type_id: &str,
    location: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Value> {
    let identifier = match draft.shift_remove("type") {
        Some(Value::Object(identifier)) => identifier,
        _ => return Err(ApiError::required_field(&Location::Member(location, "type").to_string())),
    };
    let fields = match draft.shift_remove("fields") {
        Some(Value::Object(fields)) => fields,
        _ => Document::new(),
    };
    let target = rules.resolve(&identifier)?;
    admit(&target.document, resource_type_id, location)?;
    let fields = checked(&target.document, fields, &Location::Member(location, "fields"), rules)?;
    Ok(json!({"type": {"typeId": "type", "id": target.id}, "fields": fields}))
}

/// Sets one custom field, or removes it with `None`. Returns true if something changed. The enum values of all other
/// fields must still be defined by the Type (release note of 3 September 2026).
pub fn set_field(
    custom: &mut Document,
    name: &str,
    value: Option<Value>,
    rules: &Rules<'_>,
) -> ApiResult<bool> {
    let definitions = type_of(custom, rules)?;
    let is_changed = set_value(custom, &definitions, name, value, rules)?;
    if let Some(Value::Object(fields)) = custom.get("fields") {
        field_value::validate_stored_enums(&definitions, fields)?;
    }
    Ok(is_changed)
}

fn set_value(
    custom: &mut Document,
    definitions: &Document,
    name: &str,
    value: Option<Value>,
    rules: &Rules<'_>,
) -> ApiResult<bool> {
    let definition = definition(definitions, name);
    let Some(Value::Object(fields)) = custom.get_mut("fields") else {
        return Err(ApiError::bug("custom fields that the model admitted are no object"));
    };
    match value {
        // A field without a definition cannot be removed either.
        None => {
            if definition.is_some_and(|definition| definition["required"].as_bool() == Some(true)) {
                return Err(ApiError::required_field(name));
            }
            match fields.shift_remove(name) {
                Some(_) => Ok(true),
                None => Err(ApiError::invalid_operation(format!(
                    "The custom field '{name}' cannot be removed because it is not set."
                ))),
            }
        }
        Some(value) => {
            let definition =
                definition.ok_or_else(|| undefined(definitions, name, &Location::Text("name")))?;
            let checked = field_value::check(&definition["type"], value, &Location::Text(name), rules)?;
            let changed = fields.get(name) != Some(&checked);
            fields.insert(name, checked);
            Ok(changed)
        }
    }
}

fn type_of(custom: &Document, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let id = must_text(custom, &["type", "id"])?;
    rules
        .peek_type("type", id)?
        .ok_or_else(|| ApiError::referenced_resource_not_found("type", Some(id), None))
}

fn admit(definitions: &Document, resource_type_id: &str, location: &Location<'_>) -> ApiResult<()> {
    let allowed = list(definitions, &["resourceTypeIds"]);
    if allowed.iter().any(|id| id.as_str() == Some(resource_type_id)) {
        return Ok(());
    }
    let key = text_or_log(definitions, &["key"]);
    Err(ApiError::invalid_operation(format!(
        "{location}: the Type '{key}' is for {}, not for '{resource_type_id}'.",
        Value::Array(allowed.to_vec())
    )))
}

fn checked(
    definitions: &Document,
    given: Document,
    location: &Location<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Document> {
    let mut fields = Document::new();
    for (name, value) in given {
        let Some(definition) = definition(definitions, &name) else {
            return Err(undefined(definitions, &name, &Location::Member(location, &name)));
        };
        if value.is_null() {
            continue;
        }
        let value =
            field_value::check(&definition["type"], value, &Location::Member(location, &name), rules)?;
        fields.insert(name, value);
    }
    for definition in list(definitions, &["fieldDefinitions"]) {
        let name = must_field(definition, "name")?;
        if definition["required"].as_bool() == Some(true) && !fields.contains_key(name) {
            // The platform's error has the bare field name; `with_place` adds where it is.
            return Err(ApiError::required_field(name).with_location(&location.to_string()));
        }
    }
    Ok(fields)
}

fn definition<'a>(definitions: &'a Document, name: &str) -> Option<&'a Value> {
    list(definitions, &["fieldDefinitions"]).iter().find(|definition| definition["name"] == name)
}

fn undefined(definitions: &Document, name: &str, location: &Location<'_>) -> ApiError {
    let known: Vec<&str> = list(definitions, &["fieldDefinitions"])
        .iter()
        .filter_map(|definition| definition["name"].as_str())
        .collect();
    let key = text_or_log(definitions, &["key"]);
    ApiError::invalid_field(
        &location.to_string(),
        &json!(name),
        &format!(
            "The Type '{key}' defines {}.",
            if known.is_empty() { "no field".into() } else { known.join(", ") }
        ),
        Some(json!(known)),
    )
}
