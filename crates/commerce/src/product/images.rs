//! Images of variants: the action that adds one, and the removed addresses for Messages.
//!
//! Source: reference type `ProductAddExternalImageAction`; the field `removedImageUrls` of Messages.

use super::sides::{BOTH, data, is_staged};
use super::variant_edits::{change, identified_variant_id, list_mut};
use crate::variant_list::variants;
use kontor_engine::document::{list, must_get, without_nulls};
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;
use kontor_json::json;
use std::collections::BTreeSet;

/// `addExternalImage`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let image = must_get(arguments, &["image"])?.clone();
    let id = identified_variant_id(context, arguments)?;
    change(context, arguments, |variant| {
        list_mut(variant, "images")?.push(image.clone());
        Ok(true)
    })?;
    context.emit(
        "ProductImageAdded",
        without_nulls(json!({"variantId": id, "image": image, "staged": is_staged(arguments)})),
    )
}

/// The addresses of all images of a Product.
pub(super) fn image_urls(product: &Document) -> BTreeSet<String> {
    let all = BOTH.iter().filter_map(|side| data(product, side)).flat_map(variants);
    all.flat_map(|variant| list(variant, &["images"]))
        .filter_map(|image| image["url"].as_str().map(str::to_owned))
        .collect()
}

/// Returns the image addresses that a Product no longer contains.
pub(super) fn removed_image_urls(before: &BTreeSet<String>, after: &Document) -> Vec<String> {
    let left = image_urls(after);
    before.difference(&left).cloned().collect()
}
