//! The two sides of a ProductTailoring: `current`, which is published, and `staged`, which is being worked on.

use kontor_engine::document::is_empty;
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;

pub(super) const STAGED: &str = "staged";
pub(super) const CURRENT: &str = "current";
const BOTH: [&str; 2] = [STAGED, CURRENT];

/// Texts of a side.
pub(super) const TEXTS: [&str; 6] =
    ["name", "description", "metaTitle", "metaDescription", "metaKeywords", "slug"];

/// The data of one side, to be changed.
pub(super) fn data_mut<'d>(tailoring: &'d mut Document, side: &str) -> ApiResult<&'d mut Document> {
    tailoring.get_mut(side).and_then(Value::as_object_mut).ok_or_else(ApiError::internal)
}

/// The sides that an action is about: the staged one, and the current one with `staged: false`.
pub(super) fn sides(arguments: &Document) -> &'static [&'static str] {
    if arguments.get("staged") == Some(&Value::Bool(false)) { &BOTH } else { &BOTH[..1] }
}

/// Does a change on each side that the action is about; `change` says whether it changed something.
pub(super) fn on_each_side(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    mut change: impl FnMut(&mut Document) -> ApiResult<bool>,
) -> ApiResult<bool> {
    let mut changed = false;
    for side in sides(arguments) {
        changed |= change(data_mut(acting.document, side)?)?;
    }
    Ok(changed)
}

/// Puts a value into an object, or removes it where it is absent or empty. True where that changed something.
pub(super) fn put(object: &mut Document, name: &str, value: Option<&Value>) -> bool {
    put_even_empty(object, name, value.filter(|value| !is_empty(value)))
}

/// As [`put`], of what may be there and empty.
pub(super) fn put_even_empty(object: &mut Document, name: &str, value: Option<&Value>) -> bool {
    if object.get(name) == value {
        return false;
    }
    match value {
        Some(value) => object.insert(name.to_owned(), value.clone()),
        None => object.shift_remove(name),
    };
    true
}
