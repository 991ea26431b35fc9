//! The two sides of publishable resources: `current`, and `staged`, with unpublished changes. Products have
//! them in `masterData`, similar resources next to their other fields.
//!
//! Source: the field `staged` of the reference types `Product…Action`, `ProductTailoring…Action` and
//! `Variant…Action`: true (the default) changes the staged side alone, false both.

use kontor_engine::document::is_empty;
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// The side with unpublished changes.
pub(crate) const STAGED: &str = "staged";
/// The side that is published, or was last.
pub(crate) const CURRENT: &str = "current";
/// Both sides, in the order in which they are searched.
pub(crate) const BOTH: [&str; 2] = [STAGED, CURRENT];

/// The argument `staged`.
pub(crate) fn is_staged(arguments: &Document) -> bool {
    arguments.get("staged") != Some(&Value::Bool(false))
}

/// The sides that an action is about.
pub(crate) fn sides_of_action(arguments: &Document) -> &'static [&'static str] {
    if is_staged(arguments) { &BOTH[..1] } else { &BOTH }
}

/// Returns the data of one side, to be changed; `within` is the path of the object with both sides.
pub(crate) fn data_mut<'d>(
    document: &'d mut Document,
    within: &[&str],
    side: &str,
) -> ApiResult<&'d mut Document> {
    let mut holder = document;
    for name in within {
        holder = holder
            .get_mut(*name)
            .and_then(Value::as_object_mut)
            .ok_or_else(|| ApiError::bug("sides that are within no object"))?;
    }
    holder
        .get_mut(side)
        .and_then(Value::as_object_mut)
        .ok_or_else(|| ApiError::bug("a document without one of its sides"))
}

/// Applies a change to each side that the action addresses; `change` returns whether it changed the side.
pub(crate) fn on_each_side(
    context: &mut ActionContext<'_, '_>,
    within: &[&str],
    arguments: &Document,
    mut change: impl FnMut(&mut Document) -> ApiResult<bool>,
) -> ApiResult<bool> {
    let mut changed = false;
    for side in sides_of_action(arguments) {
        changed |= change(data_mut(context.document, within, side)?)?;
    }
    Ok(changed)
}

/// Sets a value of an object, or removes it if it is absent or empty. Returns true if the object changed.
pub(crate) fn set_or_remove(object: &mut Document, name: &str, value: Option<&Value>) -> bool {
    put_even_empty(object, name, value.filter(|value| !is_empty(value)))
}

/// Like [`set_or_remove`], for values that may be empty.
pub(crate) fn put_even_empty(object: &mut Document, name: &str, value: Option<&Value>) -> bool {
    if object.get(name) == value {
        return false;
    }
    match value {
        Some(value) => object.insert(name, value.clone()),
        None => object.shift_remove(name),
    };
    true
}
