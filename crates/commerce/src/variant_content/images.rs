//! `moveImageToPosition`, `removeImage`, `setImageLabel`, and the validation of a variant's images.
//!
//! Source: reference type `Image`: an address is unique within a variant.

use super::{NamedVariantEdit, list_of};
use crate::sides::set_or_remove;
use kontor_engine::document::must_integer;
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use std::collections::HashSet;

/// `removeImage`.
pub(crate) fn remove_image<'e>(_: &ActionContext<'e, 'e>, arguments: &'e Document) -> NamedVariantEdit<'e> {
    edit_image(arguments, |images, index| {
        images.remove(index);
        Ok(true)
    })
}

/// `setImageLabel`.
pub(crate) fn set_image_label<'e>(
    _: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    edit_image(arguments, |images, index| {
        let image =
            images[index].as_object_mut().ok_or_else(|| ApiError::bug("an image that is no object"))?;
        Ok(set_or_remove(image, "label", arguments.get("label")))
    })
}

/// `moveImageToPosition`.
pub(crate) fn move_image_to_position<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    let place = context.place;
    edit_image(arguments, move |images, index| {
        let given = must_integer(arguments, &["position"])?;
        match usize::try_from(given) {
            Ok(position) if position < images.len() => {
                let image = images.remove(index);
                images.insert(position, image);
                Ok(position != index)
            }
            _ => Err(ApiError::invalid_operation(format!(
                "{place}.position: expected 0 to {}, found {given}.",
                images.len() - 1
            ))),
        }
    })
}

/// Returns a change of a list of images, at the index of the image with the argument `imageUrl`.
fn edit_image<'e>(
    arguments: &'e Document,
    mut change: impl FnMut(&mut Vec<Value>, usize) -> ApiResult<bool> + 'e,
) -> NamedVariantEdit<'e> {
    let url = arguments.get("imageUrl").unwrap_or(&Value::Null);
    let edit = move |variant: &mut Document| {
        let Some(images) = list_of(variant, "images") else { return Ok(None) };
        match images.iter().position(|image| image["url"] == *url) {
            Some(index) => change(images, index).map(Some),
            None => Ok(None),
        }
    };
    Ok((Box::new(edit), format!("image with url {url}")))
}

/// Checks that no two images of a variant have the same address; otherwise `DuplicateField`. `place` is the position of
/// the list.
pub(crate) fn admit_images(images: &[Value], place: &str) -> ApiResult<()> {
    let mut seen = HashSet::new();
    match images.iter().filter_map(|image| image.get("url")).find(|url| !seen.insert(*url)) {
        Some(twice) => Err(ApiError::duplicate_field(&format!("{place}.url"), twice.clone())),
        None => Ok(()),
    }
}
