//! The actions on one Asset of a variant, and `changeAssetOrder`.

use super::{Edit, list_of};
use crate::asset::{self, admit_assets};
use crate::custom_fields::{custom_of, set_custom_field};
use crate::sides::put;
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;

/// A change in a list of Assets, at the place of the one that is meant.
type InList<'e> = Box<dyn FnMut(&mut Vec<Value>, usize) -> ApiResult<bool> + 'e>;

pub(super) fn edit<'e>(acting: &Acting<'e, 'e>, arguments: &'e Document) -> ApiResult<(Edit<'e>, String)> {
    let (place, rules) = (acting.place, acting.rules);
    let mut change: InList<'e> = match acting.action.name.as_str() {
        "changeAssetOrder" => return Ok((arrange(arguments, place), "Assets".to_owned())),
        "removeAsset" => Box::new(|assets, index| {
            assets.remove(index);
            Ok(true)
        }),
        "changeAssetName" => field(arguments, "name"),
        "setAssetDescription" => field(arguments, "description"),
        "setAssetSources" => field(arguments, "sources"),
        "setAssetTags" => field(arguments, "tags"),
        // Here the key is what changes, and the Asset is found by id.
        "setAssetKey" => Box::new(|assets, index| {
            let changed = put(asset_at(assets, index)?, "key", arguments.get("assetKey"));
            admit_assets(assets, "assets")?;
            Ok(changed)
        }),
        "setAssetCustomType" => {
            let custom = custom_of(acting, arguments, asset::CUSTOM_OF)?;
            Box::new(move |assets, index| Ok(put(asset_at(assets, index)?, "custom", custom.as_ref())))
        }
        "setAssetCustomField" => {
            Box::new(move |assets, index| set_custom_field(asset_at(assets, index)?, arguments, place, rules))
        }
        _ => return Err(ApiError::internal()),
    };
    let (name, wanted) = asset::identified(arguments, place)?;
    let edit = move |variant: &mut Document| {
        let Some(assets) = list_of(variant, "assets") else { return Ok(None) };
        match assets.iter().position(|asset| asset.get(name) == Some(wanted)) {
            Some(index) => change(assets, index).map(Some),
            None => Ok(None),
        }
    };
    Ok((Box::new(edit), format!("Asset with {name} {wanted}")))
}

/// The argument of a field's name replaces it.
fn field<'e>(arguments: &'e Document, name: &'static str) -> InList<'e> {
    Box::new(move |assets, index| Ok(put(asset_at(assets, index)?, name, arguments.get(name))))
}

fn arrange<'e>(arguments: &'e Document, place: &'e str) -> Edit<'e> {
    Box::new(move |variant| match list_of(variant, "assets") {
        Some(assets) => asset::arrange(assets, arguments, place).map(Some),
        None => Ok(None),
    })
}

fn asset_at(assets: &mut [Value], index: usize) -> ApiResult<&mut Document> {
    assets[index].as_object_mut().ok_or_else(ApiError::internal)
}
