//! Assets of tailored variants.

use super::sides::{on_each_side, put};
use super::variants::{identified, on_each, tailored};
use crate::asset::{self, admit_assets};
use crate::custom_fields::{custom_of, set_custom_field as set_field};
use kontor_engine::document::is_empty;
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

/// `addAsset`: at the end, or at `position`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let asset = asset::drafted(acting, arguments)?;
    let at = asset::position(arguments);
    let id = identified(acting, arguments)?;
    on_each_side(acting, arguments, |data| {
        let assets = tailored(data, id)?.entry("assets").or_insert_with(|| json!([]));
        let assets = assets.as_array_mut().ok_or_else(ApiError::internal)?;
        assets.insert(at.min(assets.len()), asset.clone());
        admit_assets(assets, "assets")?;
        Ok(true)
    })?;
    Ok(())
}

/// `removeAsset`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    in_list(acting, arguments, |assets, index| {
        assets.remove(index);
        Ok(())
    })
}

/// `changeAssetOrder`.
pub(super) fn arrange(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let place = acting.place;
    on_each(
        acting,
        arguments,
        || "Assets".to_owned(),
        |variant| {
            let Some(Value::Array(assets)) = variant.get_mut("assets") else { return Ok(None) };
            asset::arrange(assets, arguments, place)?;
            Ok(Some(true))
        },
    )
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
    in_asset(acting, arguments, |asset| {
        put(asset, name, arguments.get(name));
        Ok(())
    })
}

/// `setAssetKey`: here the key is what changes, and the Asset is found by id.
pub(super) fn set_key(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    in_list(acting, arguments, |assets, index| {
        if let Value::Object(asset) = &mut assets[index] {
            put(asset, "key", arguments.get("assetKey"));
        }
        admit_assets(assets, "assets")
    })
}

/// `setAssetCustomType`.
pub(super) fn set_custom_type(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let custom = custom_of(acting, arguments, asset::CUSTOM_OF)?;
    in_asset(acting, arguments, |asset| {
        put(asset, "custom", custom.as_ref());
        Ok(())
    })
}

/// `setAssetCustomField`.
pub(super) fn set_custom_field(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (place, rules) = (acting.place, acting.rules);
    in_asset(acting, arguments, |asset| set_field(asset, arguments, place, rules).map(|_| ()))
}

fn in_asset(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    mut change: impl FnMut(&mut Document) -> ApiResult<()>,
) -> ApiResult<()> {
    in_list(acting, arguments, |assets, index| match &mut assets[index] {
        Value::Object(asset) => change(asset),
        _ => Ok(()),
    })
}

/// Does a change in the list of Assets, at the place of the one that the arguments identify.
fn in_list(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    mut change: impl FnMut(&mut Vec<Value>, usize) -> ApiResult<()>,
) -> ApiResult<()> {
    let (field, wanted) = asset::identified(arguments, acting.place)?;
    let missing = || format!("Asset with {field} {wanted}");
    on_each(acting, arguments, missing, |variant| {
        let Some(Value::Array(assets)) = variant.get_mut("assets") else { return Ok(None) };
        match assets.iter().position(|asset| asset.get(field) == Some(wanted)) {
            Some(index) => change(assets, index).map(|()| Some(true)),
            None => Ok(None),
        }
    })
}
