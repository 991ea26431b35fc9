//! Adds the update action that failed to an error of its request, e.g.
//! `"action": {"action": "setKey", "key": "a"}, "actionIndex": 1`.
//!
//! Recorded of the platform: it repeats the whole action. Secrets are left out.

use crate::document::Document;
use crate::shown_in_part::maskable_arguments;
use kontor_errors::{ApiError, Code};
use kontor_json::{Value, json};
use kontor_model::{Action, Model};

/// Adds the action at `index` (from 0) to the entries of an error with status 400 that name no action yet.
pub(crate) fn add_failed_action(
    error: ApiError,
    index: usize,
    name: &str,
    given: (&Action, &Document),
    model: &Model,
) -> ApiError {
    // A body of a wrong shape is refused before there are actions.
    if error.status() != 400 || error.code() == Code::InvalidJsonInput {
        return error;
    }
    let (action, arguments) = given;
    let mut sent = Document::new();
    sent.insert("action", json!(name));
    sent.extend(maskable_arguments(arguments, action.arguments, model));
    error
        .with_default_field("action", &Value::Object(sent))
        .with_default_field("actionIndex", &json!(index + 1))
}

/// Returns the position of the action that caused an error found by the commit, e.g. a `DuplicateField`: the last
/// action with the duplicate value, or the last one.
pub(crate) fn cause_of(error: &ApiError, actions: &[(String, Document)]) -> Option<usize> {
    let object = error.objects().last()?;
    if error.code().name().starts_with("Extension") || object.fields.contains_key("actionIndex") {
        return None;
    }
    let last = actions.len().checked_sub(1)?;
    let Some(duplicate) = object.fields.get("duplicateValue") else { return Some(last) };
    let has_value =
        |(_, arguments): &(String, Document)| arguments.values().any(|value| contains(value, duplicate));
    Some(actions.iter().rposition(has_value).unwrap_or(last))
}

fn contains(value: &Value, wanted: &Value) -> bool {
    let is_same_text = match (value, wanted) {
        // Email addresses are compared in lower case.
        (Value::String(value), Value::String(wanted)) => value.eq_ignore_ascii_case(wanted),
        _ => false,
    };
    is_same_text
        || value == wanted
        || match value {
            Value::Array(items) => items.iter().any(|item| contains(item, wanted)),
            Value::Object(fields) => fields.values().any(|field| contains(field, wanted)),
            _ => false,
        }
}
