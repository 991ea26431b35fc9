//! Assets and images of tailored variants: the actions that add them, and those that change one of them.

use super::sides::on_each_side;
use super::tailored_variant_edits::{edit_each_side, get_or_create_variant, identified_variant_id};
use crate::asset::{self, admit_assets};
use crate::variant_content::VariantEditFn;
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::json;

/// `addAsset`: at the end, or at `position`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let asset = asset::asset_from_draft(context, arguments)?;
    let place = context.place;
    let id = identified_variant_id(context, arguments)?;
    on_each_side(context, arguments, |data| {
        let assets = get_or_create_variant(data, id)?.entry("assets").or_insert_with(|| json!([]));
        let assets =
            assets.as_array_mut().ok_or_else(|| ApiError::bug("tailored assets that are no list"))?;
        asset::insert(assets, asset.clone(), arguments, place)?;
        admit_assets(assets, "assets")?;
        Ok(true)
    })?;
    Ok(())
}

/// An action on one image or Asset, or `changeAssetOrder`.
pub(super) fn change_content(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    edit: VariantEditFn,
) -> ApiResult<()> {
    let (edit, missing) = edit(context, arguments)?;
    edit_each_side(context, arguments, || missing, edit)
}
