//! What a variant holds, wherever it stands (in a Product, tailored for a Store, on its own): images, Assets and
//! Attributes, and the update actions that change one of them.
//!
//! Source: the reference types `…Image…Action` and `…Asset…Action`, which say the same of all three.

mod assets;
mod attributes;
mod images;

pub(crate) use attributes::put_attribute;
pub(crate) use images::admit_images;

use kontor_engine::document::is_empty;
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;

/// A change in one variant. Says whether it changed something, or `None` where what it looks for is not there.
pub(crate) type Edit<'e> = Box<dyn FnMut(&mut Document) -> ApiResult<Option<bool>> + 'e>;

/// The change that an update action makes in the variant that it is about, with the name of what it looks for there.
/// The actions are those of this module; any other is a mistake of the caller.
pub(crate) fn edit<'e>(acting: &Acting<'e, 'e>, arguments: &'e Document) -> ApiResult<(Edit<'e>, String)> {
    let action = acting.action.name.as_str();
    match action {
        "moveImageToPosition" | "removeImage" | "setImageLabel" => {
            images::edit(action, arguments, acting.place)
        }
        "changeAssetName" if arguments.get("name").is_none_or(is_empty) => {
            Err(ApiError::invalid_operation(format!("{}.name: must not be empty.", acting.place)))
        }
        _ => assets::edit(acting, arguments),
    }
}

/// A list of a variant, where it has one.
fn list_of<'d>(variant: &'d mut Document, name: &str) -> Option<&'d mut Vec<Value>> {
    variant.get_mut(name).and_then(Value::as_array_mut)
}
