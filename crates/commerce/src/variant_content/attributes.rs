//! Sets and removes Attributes in the list of a Product or Variant.

use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Sets or removes an Attribute in the list of a variant or a Product. Returns true if the list changed.
pub(crate) fn put_attribute(holder: &mut Document, name: &str, value: Option<&Value>) -> ApiResult<bool> {
    if value.is_none() && !holder.contains_key("attributes") {
        return Ok(false);
    }
    let attributes = holder.entry("attributes").or_insert_with(|| json!([]));
    let attributes = attributes.as_array_mut().ok_or_else(|| ApiError::bug("attributes that are no list"))?;
    let at = attributes.iter().position(|attribute| attribute["name"] == name);
    match (at, value) {
        (Some(at), Some(value)) if attributes[at]["value"] == *value => return Ok(false),
        (Some(at), Some(value)) => attributes[at]["value"] = value.clone(),
        (Some(at), None) => _ = attributes.remove(at),
        (None, Some(value)) => attributes.push(json!({"name": name, "value": value})),
        (None, None) => return Ok(false),
    }
    Ok(true)
}
