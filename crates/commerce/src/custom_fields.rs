//! Sets custom types and custom fields of a part of a document, from the arguments of update actions.

use kontor_engine::document::must_text;
use kontor_engine::{ActionContext, Document, Rules, conversion};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::Location;

/// Returns the custom fields from the arguments `type` and `fields`; `None` without a Type.
pub(crate) fn custom_of(
    context: &ActionContext<'_, '_>,
    arguments: &Document,
    of: &str,
) -> ApiResult<Option<Value>> {
    let Some(identifier) = arguments.get("type") else { return Ok(None) };
    let mut draft = Document::new();
    draft.insert("type", identifier.clone());
    draft.extend(arguments.get("fields").map(|fields| ("fields".to_owned(), fields.clone())));
    conversion::custom_fields(draft, of, &Location::Text(context.place), context.rules).map(Some)
}

/// Sets or removes the custom field from the arguments `name` and `value`.
pub(crate) fn set_custom_field(
    holder: &mut Document,
    arguments: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<bool> {
    set_field_in("custom", holder, arguments, place, rules)
}

/// Like [`set_custom_field`], for custom fields stored in the given field.
pub(crate) fn set_field_in(
    field: &str,
    holder: &mut Document,
    arguments: &Document,
    place: &str,
    rules: &Rules<'_>,
) -> ApiResult<bool> {
    let name = must_text(arguments, &["name"])?;
    let value = arguments.get("value").filter(|value| !value.is_null()).cloned();
    match holder.get_mut(field) {
        Some(Value::Object(custom)) => conversion::set_custom_field(custom, name, value, rules),
        _ => Err(ApiError::invalid_operation(format!(
            "{place}: the custom field '{name}' cannot be set because no custom type is set."
        ))),
    }
}
