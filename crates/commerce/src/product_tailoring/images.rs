//! Images of tailored variants. Without the field, the images of the Product's variant are shown; an empty list shows
//! none.

use super::emit_message;
use super::sides::{STAGED, data_mut, on_each_side, put_even_empty, set_or_remove};
use super::tailored_variant_edits::{find_tailored_variant, get_or_create_variant, identified_variant_id};
use crate::variant_content::admit_images;
use kontor_engine::document::{list, must_get};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// `addExternalImage`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    let image = must_get(arguments, &["image"])?.clone();
    on_each_side(context, arguments, |data| {
        let images = get_or_create_variant(data, id)?.entry("images").or_insert_with(|| json!([]));
        let images =
            images.as_array_mut().ok_or_else(|| ApiError::bug("tailored images that are no list"))?;
        images.push(image.clone());
        admit_images(images, "images")?;
        Ok(true)
    })?;
    let message_fields = [("variantId".to_owned(), Some(json!(id))), ("image".to_owned(), Some(image))];
    emit_message(context, "ProductTailoringImageAdded", message_fields)
}

/// `setImages`.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    let images = arguments.get("images");
    admit_images(list(arguments, &["images"]), &format!("{}.images", context.place))?;
    let old = find_tailored_variant(data_mut(context.document, STAGED)?, id)?
        .and_then(|variant| variant.get("images"))
        .cloned();
    let changed = on_each_side(context, arguments, |data| match images {
        Some(_) => Ok(put_even_empty(get_or_create_variant(data, id)?, "images", images)),
        None => {
            Ok(find_tailored_variant(data, id)?.is_some_and(|variant| set_or_remove(variant, "images", None)))
        }
    })?;
    if !changed {
        return Ok(());
    }
    let message_fields = [
        ("variantId".to_owned(), Some(json!(id))),
        ("oldImages".to_owned(), old),
        ("images".to_owned(), images.cloned()),
    ];
    emit_message(context, "ProductTailoringImagesSet", message_fields)
}
