//! The content of a variant, wherever it is stored (in a Product, tailored for a Store, as a resource):
//! images, Assets and Attributes, and the update actions that change one of them.
//!
//! Source: the reference types `…Image…Action` and `…Asset…Action`, which describe all three alike.

mod assets;
mod attributes;
mod images;

pub(crate) use assets::{
    change_asset_name, change_asset_order, remove_asset, set_asset_custom_field, set_asset_custom_type,
    set_asset_description, set_asset_key, set_asset_sources, set_asset_tags,
};
pub(crate) use attributes::put_attribute;
pub(crate) use images::{admit_images, move_image_to_position, remove_image, set_image_label};

use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;
use kontor_json::Value;

/// A change of one variant. Returns whether it changed something, or `None` if its target does not exist.
pub(crate) type VariantEdit<'e> = Box<dyn FnMut(&mut Document) -> ApiResult<Option<bool>> + 'e>;

/// A change, with the name of its target.
pub(crate) type NamedVariantEdit<'e> = ApiResult<(VariantEdit<'e>, String)>;

/// The effect of an update action on its variant: one function of this module each.
pub(crate) type VariantEditFn = for<'e> fn(&ActionContext<'e, 'e>, &'e Document) -> NamedVariantEdit<'e>;

/// Returns a list of a variant; `None` if it does not have it.
fn list_of<'d>(variant: &'d mut Document, name: &str) -> Option<&'d mut Vec<Value>> {
    variant.get_mut(name).and_then(Value::as_array_mut)
}
