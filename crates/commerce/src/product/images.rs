//! Images of variants.
//!
//! Source: reference types `ProductAddExternalImageAction`, `ProductRemoveImageAction`, `ProductSetImageLabelAction`,
//! `ProductMoveImageToPositionAction`.

use super::sides::{BOTH, data, is_staged, put};
use super::told;
use super::variant::{change, identified, list_mut, on_each, variants};
use kontor_engine::document::list;
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// `addExternalImage`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let image = arguments.get("image").cloned().unwrap_or_default();
    let id = identified(acting, arguments)?;
    change(acting, arguments, |variant| {
        list_mut(variant, "images")?.push(image.clone());
        Ok(true)
    })?;
    acting.emit(
        "ProductImageAdded",
        told(json!({"variantId": id, "image": image, "staged": is_staged(arguments)})),
    )
}

/// `removeImage`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    in_list(acting, arguments, |images, index| {
        images.remove(index);
        Ok(true)
    })
}

/// `setImageLabel`.
pub(super) fn set_label(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    in_list(acting, arguments, |images, index| match &mut images[index] {
        Value::Object(image) => Ok(put(image, "label", arguments.get("label"))),
        _ => Ok(false),
    })
}

/// `moveImageToPosition`.
pub(super) fn move_to(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let given = arguments.get("position").and_then(Value::as_i64).unwrap_or_default();
    let place = acting.place;
    in_list(acting, arguments, |images, index| match usize::try_from(given) {
        Ok(position) if position < images.len() => {
            let image = images.remove(index);
            images.insert(position, image);
            Ok(position != index)
        }
        _ => Err(ApiError::invalid_operation(format!(
            "{place}.position: expected 0 to {}, found {given}.",
            images.len() - 1
        ))),
    })
}

/// Does a change in the list of images, at the place of the one with the argument `imageUrl`.
fn in_list(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    mut change: impl FnMut(&mut Vec<Value>, usize) -> ApiResult<bool>,
) -> ApiResult<()> {
    let id = identified(acting, arguments)?;
    let url = arguments.get("imageUrl").cloned().unwrap_or_default();
    let missing = || format!("image with url {url}");
    on_each(acting, arguments, id, missing, |variant| {
        let images = list_mut(variant, "images")?;
        match images.iter().position(|image| image["url"] == url) {
            Some(index) => change(images, index).map(Some),
            None => Ok(None),
        }
    })?;
    Ok(())
}

/// The addresses of all images of a Product.
pub(super) fn urls(product: &Document) -> BTreeSet<String> {
    let all = BOTH.iter().filter_map(|side| data(product, side)).flat_map(variants);
    all.flat_map(|variant| list(variant, &["images"]))
        .filter_map(|image| image["url"].as_str().map(str::to_owned))
        .collect()
}

/// Those of the addresses that a Product does not have any more.
pub(super) fn gone(before: &BTreeSet<String>, after: &Document) -> Vec<String> {
    let left = urls(after);
    before.difference(&left).cloned().collect()
}
