//! The actions on one Asset of a variant, and `changeAssetOrder`.

use super::{NamedVariantEdit, VariantEdit, list_of};
use crate::asset::{self, admit_assets};
use crate::custom_fields::{custom_of, set_custom_field};
use crate::sides::set_or_remove;
use kontor_engine::document::is_empty;
use kontor_engine::{ActionContext, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// `removeAsset`.
pub(crate) fn remove_asset<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    edit_asset(context, arguments, |assets, index| {
        assets.remove(index);
        Ok(true)
    })
}

/// `changeAssetName`.
pub(crate) fn change_asset_name<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    if arguments.get("name").is_none_or(is_empty) {
        return Err(ApiError::invalid_operation(format!("{}.name: must not be empty.", context.place)));
    }
    set(context, arguments, "name")
}

/// `setAssetDescription`.
pub(crate) fn set_asset_description<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    set(context, arguments, "description")
}

/// `setAssetSources`.
pub(crate) fn set_asset_sources<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    set(context, arguments, "sources")
}

/// `setAssetTags`.
pub(crate) fn set_asset_tags<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    set(context, arguments, "tags")
}

/// `setAssetKey`: the Asset is identified by id, since the key is the changed value.
pub(crate) fn set_asset_key<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    edit_asset(context, arguments, |assets, index| {
        let changed = set_or_remove(asset_at(assets, index)?, "key", arguments.get("assetKey"));
        admit_assets(assets, "assets")?;
        Ok(changed)
    })
}

/// `setAssetCustomType`.
pub(crate) fn set_asset_custom_type<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    let custom = custom_of(context, arguments, asset::CUSTOM_OF)?;
    edit_asset(context, arguments, move |assets, index| {
        Ok(set_or_remove(asset_at(assets, index)?, "custom", custom.as_ref()))
    })
}

/// `setAssetCustomField`.
pub(crate) fn set_asset_custom_field<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    let (place, rules) = (context.place, context.rules);
    edit_asset(context, arguments, move |assets, index| {
        set_custom_field(asset_at(assets, index)?, arguments, place, rules)
    })
}

/// `changeAssetOrder`.
pub(crate) fn change_asset_order<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
) -> NamedVariantEdit<'e> {
    let place = context.place;
    let edit: VariantEdit<'e> = Box::new(move |variant| match list_of(variant, "assets") {
        Some(assets) => asset::reorder_assets(assets, arguments, place).map(Some),
        None => Ok(None),
    });
    Ok((edit, "Assets".to_owned()))
}

/// The argument of a field's name replaces it.
fn set<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
    name: &'static str,
) -> NamedVariantEdit<'e> {
    edit_asset(context, arguments, move |assets, index| {
        Ok(set_or_remove(asset_at(assets, index)?, name, arguments.get(name)))
    })
}

/// Returns a change of a list of Assets, at the index of the Asset that the arguments identify.
fn edit_asset<'e>(
    context: &ActionContext<'e, 'e>,
    arguments: &'e Document,
    mut change: impl FnMut(&mut Vec<Value>, usize) -> ApiResult<bool> + 'e,
) -> NamedVariantEdit<'e> {
    let (name, wanted) = asset::identifying_field(arguments, context.place)?;
    let edit = move |variant: &mut Document| {
        let Some(assets) = list_of(variant, "assets") else { return Ok(None) };
        match assets.iter().position(|asset| asset.get(name) == Some(wanted)) {
            Some(index) => change(assets, index).map(Some),
            None => Ok(None),
        }
    };
    Ok((Box::new(edit), format!("Asset with {name} {wanted}")))
}

fn asset_at(assets: &mut [Value], index: usize) -> ApiResult<&mut Document> {
    assets[index].as_object_mut().ok_or_else(|| ApiError::bug("an Asset that is no object"))
}
