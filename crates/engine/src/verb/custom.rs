//! `@customType` and `@customField`: the two verbs of everything with custom fields.

use super::field_at;
use crate::action_context::VerbContext;
use crate::custom;
use crate::document::{self, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::Location;
use kontor_model::ObjectId;

/// Sets the type with its fields, or removes both if no type is given.
pub(super) fn set_type(
    object: ObjectId,
    within: &[String],
    target: &mut Document,
    context: &VerbContext<'_, '_>,
) -> ApiResult<bool> {
    require_parent(within, target, context)?;
    let field = field_at(context.rules, object, within)?;
    let resource_type_id = field.custom.as_deref().unwrap_or_default();
    let value = match context.arguments.get("type") {
        None => None,
        Some(identifier) => {
            let mut draft = Document::new();
            draft.insert("type", identifier.clone());
            if let Some(fields) = context.arguments.get("fields") {
                draft.insert("fields", fields.clone());
            }
            Some(custom::from_draft(draft, resource_type_id, &Location::Text(context.place), context.rules)?)
        }
    };
    let changed = document::get(target, within) != value.as_ref();
    document::set(target, within, value);
    Ok(changed)
}

/// Sets or removes one custom field. A type must already be set.
pub(super) fn set_field(
    within: &[String],
    target: &mut Document,
    context: &VerbContext<'_, '_>,
) -> ApiResult<bool> {
    require_parent(within, target, context)?;
    let name = context.arguments.get("name").and_then(Value::as_str).unwrap_or_default();
    let value = context.arguments.get("value").filter(|value| !value.is_null()).cloned();
    let mut custom = match document::get(target, within) {
        Some(Value::Object(custom)) => custom.clone(),
        _ => {
            return Err(ApiError::invalid_operation(format!(
                "{}: the custom field '{name}' cannot be set because no custom type is set.",
                context.place
            )));
        }
    };
    let changed = custom::set_field(&mut custom, name, value, context.rules)?;
    document::set(target, within, Some(Value::Object(custom)));
    Ok(changed)
}

/// Checks that the object with the custom fields exists (reference: `ChannelSetAddressCustomTypeAction`).
fn require_parent(within: &[String], target: &Document, context: &VerbContext<'_, '_>) -> ApiResult<()> {
    match within.split_last() {
        Some((_, parents)) if !parents.is_empty() && document::get(target, parents).is_none() => {
            Err(ApiError::invalid_input(format!("{}: {} is not set.", context.place, parents.join("."))))
        }
        _ => Ok(()),
    }
}
