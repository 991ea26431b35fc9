//! `moveImageToPosition`, `removeImage`, `setImageLabel`, and what holds of all images of a variant.
//!
//! Source: reference type `Image`: an address is unique within a variant.

use super::{Edit, list_of};
use crate::sides::put;
use kontor_engine::Document;
use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;
use std::collections::HashSet;

/// The change of the image with the argument `imageUrl`.
pub(super) fn edit<'e>(
    action: &str,
    arguments: &'e Document,
    place: &'e str,
) -> ApiResult<(Edit<'e>, String)> {
    let url = arguments.get("imageUrl").unwrap_or(&Value::Null);
    let change = match action {
        "removeImage" => remove,
        "setImageLabel" => set_label,
        "moveImageToPosition" => move_to,
        _ => return Err(ApiError::internal()),
    };
    let edit = move |variant: &mut Document| {
        let Some(images) = list_of(variant, "images") else { return Ok(None) };
        match images.iter().position(|image| image["url"] == *url) {
            Some(index) => change(images, index, arguments, place).map(Some),
            None => Ok(None),
        }
    };
    Ok((Box::new(edit), format!("image with url {url}")))
}

/// Checks that no two images of a variant have the same address: DuplicateField. `place` is that of the list.
pub(crate) fn admit_images(images: &[Value], place: &str) -> ApiResult<()> {
    let mut seen = HashSet::new();
    match images.iter().filter_map(|image| image.get("url")).find(|url| !seen.insert(*url)) {
        Some(twice) => Err(ApiError::duplicate_field(&format!("{place}.url"), twice.clone())),
        None => Ok(()),
    }
}

fn remove(images: &mut Vec<Value>, index: usize, _: &Document, _: &str) -> ApiResult<bool> {
    images.remove(index);
    Ok(true)
}

#[allow(clippy::ptr_arg)] // One signature for all three.
fn set_label(images: &mut Vec<Value>, index: usize, arguments: &Document, _: &str) -> ApiResult<bool> {
    let image = images[index].as_object_mut().ok_or_else(ApiError::internal)?;
    Ok(put(image, "label", arguments.get("label")))
}

fn move_to(images: &mut Vec<Value>, index: usize, arguments: &Document, place: &str) -> ApiResult<bool> {
    let given = arguments.get("position").and_then(Value::as_i64).unwrap_or_default();
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
}
