//! Images of tailored variants. Without the field, the images of the Product's variant are shown; an empty list shows
//! none.

use super::sides::{STAGED, data_mut, on_each_side, put, put_even_empty};
use super::tailored_variant_edits::{identified, present, tailored};
use super::tell;
use crate::variant_content::admit_images;
use kontor_engine::document::{list, must_get};
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// `addExternalImage`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified(context, arguments)?;
    let image = must_get(arguments, &["image"])?.clone();
    on_each_side(context, arguments, |data| {
        let images = tailored(data, id)?.entry("images").or_insert_with(|| json!([]));
        let images =
            images.as_array_mut().ok_or_else(|| ApiError::bug("tailored images that are no list"))?;
        images.push(image.clone());
        admit_images(images, "images")?;
        Ok(true)
    })?;
    let told = [("variantId".to_owned(), Some(json!(id))), ("image".to_owned(), Some(image))];
    tell(context, "ProductTailoringImageAdded", told)
}

/// `setImages`.
pub(super) fn set(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let id = identified(context, arguments)?;
    let images = arguments.get("images");
    admit_images(list(arguments, &["images"]), &format!("{}.images", context.place))?;
    let old =
        present(data_mut(context.document, STAGED)?, id)?.and_then(|variant| variant.get("images")).cloned();
    let changed = on_each_side(context, arguments, |data| match images {
        Some(_) => Ok(put_even_empty(tailored(data, id)?, "images", images)),
        None => Ok(present(data, id)?.is_some_and(|variant| put(variant, "images", None))),
    })?;
    if !changed {
        return Ok(());
    }
    let told = [
        ("variantId".to_owned(), Some(json!(id))),
        ("oldImages".to_owned(), old),
        ("images".to_owned(), images.cloned()),
    ];
    tell(context, "ProductTailoringImagesSet", told)
}
