//! Actions on SKU, images, Assets and Attributes of a Variant.

use super::{CURRENT, STAGED, on_each_side};
use crate::attribute::{check, value};
use crate::product_lookup::product_of;
use crate::sides::{is_staged, set_or_remove};
use crate::variant_content::{VariantEditFn, put_attribute};
use crate::{asset, product};
use kontor_engine::document::{list, must_get, must_text, without_nulls};
use kontor_engine::{ActionContext, Document};
use kontor_enums::AttributeLevelEnum;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

/// Runs an action on one image or Asset, or `changeAssetOrder`. At least one side must have its target.
pub(super) fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    edit: VariantEditFn,
) -> ApiResult<()> {
    let place = context.place;
    let (mut edit, missing) = edit(context, arguments)?;
    let mut found = false;
    on_each_side(context, arguments, |data| {
        let changed = edit(data)?;
        found |= changed.is_some();
        Ok(changed.unwrap_or(false))
    })?;
    if found {
        return Ok(());
    }
    Err(ApiError::invalid_operation(format!("{place}: the Variant has no {missing}.")))
}

/// `addAsset`: at the end, or at `position`.
pub(super) fn add_asset(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let asset = asset::asset_from_draft(context, arguments)?;
    let place = context.place;
    on_each_side(context, arguments, |data| {
        asset::insert(list_mut(data, "assets")?, asset.clone(), arguments, place)?;
        Ok(true)
    })?;
    Ok(())
}

/// `addExternalImage`.
pub(super) fn add_image(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let image = must_get(arguments, &["image"])?.clone();
    on_each_side(context, arguments, |data| {
        list_mut(data, "images")?.push(image.clone());
        Ok(true)
    })?;
    context.emit("VariantImageAdded", without_nulls(json!({"image": image, "staged": is_staged(arguments)})))
}

/// `setImages`.
pub(super) fn set_images(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let images = arguments.get("images").cloned().unwrap_or_else(|| json!([]));
    let old = latest_field(context.document, "images").cloned().unwrap_or_else(|| json!([]));
    if on_each_side(context, arguments, |data| Ok(replace(data, "images", &images)))? {
        let message_fields = json!({"images": images, "oldImages": old, "staged": is_staged(arguments)});
        return context.emit("VariantImagesSet", without_nulls(message_fields));
    }
    Ok(())
}

/// `setAssets`.
pub(super) fn set_assets(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut assets = Vec::new();
    for draft in list(arguments, &["assets"]) {
        let one = [("asset".to_owned(), draft.clone())].into_iter().collect();
        assets.push(asset::asset_from_draft(context, &one)?);
    }
    let assets = Value::Array(assets);
    on_each_side(context, arguments, |data| Ok(replace(data, "assets", &assets)))?;
    Ok(())
}

/// `setAttribute`.
pub(super) fn set_attribute(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let name = must_text(arguments, &["name"])?;
    let given = arguments.get("value").filter(|value| !value.is_null()).cloned();
    let product_type = product::type_of(&*product_of(context.document, context.rules)?, context.rules)?;
    let place = format!("{}.value", context.place);
    let stored = value(&product_type, name, given, AttributeLevelEnum::Variant, &place, context.rules)?;
    on_each_side(context, arguments, |data| put_attribute(data, name, stored.as_ref()))?;
    Ok(())
}

/// `setAttributes`.
pub(super) fn set_attributes(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let product_type = product::type_of(&*product_of(context.document, context.rules)?, context.rules)?;
    let place = format!("{}.attributes", context.place);
    let given = list(arguments, &["attributes"]);
    let attributes =
        Value::Array(check(&product_type, given, AttributeLevelEnum::Variant, &place, context.rules)?);
    on_each_side(context, arguments, |data| Ok(replace(data, "attributes", &attributes)))?;
    Ok(())
}

/// `setSku`.
pub(super) fn set_sku(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let old = latest_field(context.document, "sku").cloned();
    if on_each_side(context, arguments, |data| Ok(set_or_remove(data, "sku", arguments.get("sku"))))? {
        let message_fields =
            json!({"sku": arguments.get("sku"), "oldSku": old, "staged": is_staged(arguments)});
        return context.emit("VariantSkuSet", without_nulls(message_fields));
    }
    Ok(())
}

/// Returns a field of the staged side, or of the current one if there are no staged changes.
fn latest_field<'v>(variant: &'v Document, field: &str) -> Option<&'v Value> {
    variant.get(STAGED).or_else(|| variant.get(CURRENT))?.get(field)
}

fn replace(data: &mut Document, name: &str, value: &Value) -> bool {
    data.insert(name, value.clone()).as_ref() != Some(value)
}

fn list_mut<'d>(data: &'d mut Document, name: &str) -> ApiResult<&'d mut Vec<Value>> {
    data.entry(name)
        .or_insert_with(|| json!([]))
        .as_array_mut()
        .ok_or_else(|| ApiError::bug("a side of a Variant with something else than a list"))
}
