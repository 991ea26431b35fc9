//! Assets of variants.
//!
//! Source: reference types `Product…Asset…Action`.

use super::sides::put;
use super::variant::{change, identified, list_mut, on_each};
use crate::asset;
use crate::custom_fields::{custom_of, set_custom_field as set_field};
use kontor_engine::document::is_empty;
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;

/// `addAsset`: at the end, or at `position`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let asset = asset::drafted(acting, arguments)?;
    let at = asset::position(arguments);
    change(acting, arguments, |variant| {
        let assets = list_mut(variant, "assets")?;
        assets.insert(at.min(assets.len()), asset.clone());
        Ok(true)
    })?;
    Ok(())
}

/// `removeAsset`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    in_list(acting, arguments, |assets, index| {
        assets.remove(index);
        Ok(true)
    })
}

/// `changeAssetOrder`.
pub(super) fn arrange(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let place = acting.place;
    change(acting, arguments, |variant| asset::arrange(list_mut(variant, "assets")?, arguments, place))?;
    Ok(())
}

/// `changeAssetName`.
pub(super) fn change_name(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    if arguments.get("name").is_none_or(is_empty) {
        return Err(ApiError::invalid_operation(format!("{}.name: must not be empty.", acting.place)));
    }
    set(acting, arguments, "name")
}

/// `setAssetDescription`, `setAssetTags`, `setAssetSources`: the argument of the field's name replaces it.
pub(super) fn set(acting: &mut Acting<'_, '_>, arguments: &Document, name: &str) -> ApiResult<()> {
    in_asset(acting, arguments, |asset| Ok(put(asset, name, arguments.get(name))))
}

/// `setAssetKey`: here the key is what changes, and the Asset is found by id.
pub(super) fn set_key(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    in_asset(acting, arguments, |asset| Ok(put(asset, "key", arguments.get("assetKey"))))
}

/// `setAssetCustomType`.
pub(super) fn set_custom_type(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let custom = custom_of(acting, arguments, asset::CUSTOM_OF)?;
    in_asset(acting, arguments, |asset| Ok(put(asset, "custom", custom.as_ref())))
}

/// `setAssetCustomField`.
pub(super) fn set_custom_field(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (place, rules) = (acting.place, acting.rules);
    in_asset(acting, arguments, |asset| set_field(asset, arguments, place, rules))
}

fn in_asset(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    mut change: impl FnMut(&mut Document) -> ApiResult<bool>,
) -> ApiResult<()> {
    in_list(acting, arguments, |assets, index| match &mut assets[index] {
        Value::Object(asset) => change(asset),
        _ => Ok(false),
    })
}

/// Does a change in the list of Assets, at the place of the one that the arguments identify.
fn in_list(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    mut change: impl FnMut(&mut Vec<Value>, usize) -> ApiResult<bool>,
) -> ApiResult<()> {
    let id = identified(acting, arguments)?;
    let (field, wanted) = asset::identified(arguments, acting.place)?;
    let missing = || format!("Asset with {field} {wanted}");
    on_each(acting, arguments, id, missing, |variant| {
        let assets = list_mut(variant, "assets")?;
        match assets.iter().position(|asset| asset.get(field) == Some(wanted)) {
            Some(index) => change(assets, index).map(Some),
            None => Ok(None),
        }
    })?;
    Ok(())
}
