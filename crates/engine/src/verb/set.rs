//! `@set`: the verb whose arguments each replace a field.

use super::{argument_place, field_at, value_arguments};
use crate::action_context::VerbContext;
use crate::convert;
use crate::document::{self, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::{ObjectId, Shape};

pub(super) fn set(
    object: ObjectId,
    within: &[String],
    target: &mut Document,
    stored: &mut Document,
    context: &VerbContext<'_, '_>,
) -> ApiResult<bool> {
    let mut changed = false;
    for argument in value_arguments(context) {
        let path: Vec<String> =
            within.iter().cloned().chain(argument.stored_path().into_iter().map(str::to_owned)).collect();
        let field = field_at(context.rules, object, &path)?;
        let place = argument_place(context, &argument.name);
        let mut value = context.arguments.get(&argument.name).cloned();
        if value.as_ref().is_some_and(document::is_empty) {
            if context.action.refuses_empty {
                return Err(ApiError::invalid_operation(format!(
                    "{place}: '{}' must not be empty.",
                    argument.name
                )));
            }
            if context.action.removes_empty {
                value = None;
            }
        }
        let value = value
            .map(|value| convert::convert_value(&argument.shape, field, value, &place, context.rules))
            .transpose()?;
        // A required list that is not given becomes an empty list.
        let value =
            value.or_else(|| (field.required && field.shape.is_list()).then(|| Value::Array(Vec::new())));
        if let Some(value) = &value {
            stored.insert(&argument.name, value.clone());
        }
        let before = document::get(target, &path);
        let is_set_of_references = context.action.refuses_same && lists_references(&field.shape);
        let is_same =
            before == value.as_ref() || is_set_of_references && are_permuted(before, value.as_ref());
        if !is_same {
            document::set(target, &path, value);
            changed = true;
        }
    }
    if changed && !within.is_empty() && !field_at(context.rules, object, within)?.required {
        // An object without fields is removed.
        if document::get(target, within).is_some_and(document::is_empty) {
            document::set(target, within, None);
        }
    }
    Ok(changed)
}

/// True for a list of references, whose order does not matter.
fn lists_references(shape: &Shape) -> bool {
    matches!(shape, Shape::List(inner) if matches!(**inner, Shape::Reference(_)))
}

/// Returns whether two lists have the same elements, each as often, in any order. Setting the same references
/// in another order counts as no change where that is refused, as clients that ran against the platform
/// expect for the transitions of a State; lists of other values are ordered.
fn are_permuted(before: Option<&Value>, after: Option<&Value>) -> bool {
    let (Some(Value::Array(before)), Some(Value::Array(after))) = (before, after) else { return false };
    let sorted = |list: &[Value]| {
        let mut texts: Vec<String> = list.iter().map(Value::to_string).collect();
        texts.sort_unstable();
        texts
    };
    before.len() == after.len() && sorted(before) == sorted(after)
}
