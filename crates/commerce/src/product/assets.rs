//! Assets and images of variants: the actions that add them, and those that change one of them.
//!
//! Source: reference types `Product…Asset…Action`, `Product…Image…Action`.

use super::variant_edits::{change, edit_each_side, identified_variant_id, list_mut};
use crate::asset;
use crate::variant_content::VariantEditFn;
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;

/// `addAsset`: at the end, or at `position`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let asset = asset::asset_from_draft(context, arguments)?;
    let place = context.place;
    change(context, arguments, |variant| {
        asset::insert(list_mut(variant, "assets")?, asset.clone(), arguments, place)?;
        Ok(true)
    })?;
    Ok(())
}

/// An action on one image or Asset, or `changeAssetOrder`.
pub(super) fn edit(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    edit: VariantEditFn,
) -> ApiResult<()> {
    let id = identified_variant_id(context, arguments)?;
    let (edit, missing) = edit(context, arguments)?;
    edit_each_side(context, arguments, id, || missing, edit)?;
    Ok(())
}
