//! Assets of tailored variants.

use super::sides::{on_each_side, put};
use super::variants::{identified, on_each, tailored};
use crate::asset::admit_assets;
use kontor_engine::document::{is_empty, text};
use kontor_engine::{Acting, Document, conversion};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

/// The `ResourceTypeId` of custom fields of Assets.
const CUSTOM_OF: &str = "asset";

/// `addAsset`: at the end, or at `position`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let Some(Value::Object(draft)) = arguments.get("asset").cloned() else {
        return Err(ApiError::internal());
    };
    let rules = acting.rules;
    let shapes = rules.model.object_by_name("AssetDraft").zip(rules.model.object_by_name("Asset"));
    let (draft_shape, shape) = shapes.ok_or_else(ApiError::internal)?;
    let place = format!("{}.asset", acting.place);
    let asset = Value::Object(conversion::object(draft_shape, shape, draft, &place, rules)?);
    let position = arguments.get("position").and_then(Value::as_u64);
    let at = position.and_then(|position| usize::try_from(position).ok()).unwrap_or(usize::MAX);
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
    let wanted = arguments.get("assetOrder").and_then(Value::as_array).cloned().unwrap_or_default();
    let place = acting.place;
    on_each(
        acting,
        arguments,
        || "Assets".to_owned(),
        |variant| {
            let Some(Value::Array(assets)) = variant.get_mut("assets") else { return Ok(None) };
            let mut arranged: Vec<Value> = Vec::with_capacity(assets.len());
            for id in &wanted {
                let found = assets.iter().find(|asset| asset["id"] == *id);
                arranged.extend(found.filter(|asset| !arranged.contains(asset)).cloned());
            }
            if arranged.len() != assets.len() || wanted.len() != assets.len() {
                let ids: Vec<&Value> = assets.iter().map(|asset| &asset["id"]).collect();
                return Err(ApiError::invalid_operation(format!(
                    "{place}.assetOrder: expected the id of each Asset once, which are {}.",
                    json!(ids)
                )));
            }
            *assets = arranged;
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
    let mut custom = None;
    if let Some(identifier) = arguments.get("type") {
        let mut draft = Document::new();
        draft.insert("type".into(), identifier.clone());
        draft.extend(arguments.get("fields").map(|fields| ("fields".to_owned(), fields.clone())));
        custom = Some(conversion::custom_fields(draft, CUSTOM_OF, acting.place, acting.rules)?);
    }
    in_asset(acting, arguments, |asset| {
        put(asset, "custom", custom.as_ref());
        Ok(())
    })
}

/// `setAssetCustomField`.
pub(super) fn set_custom_field(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (place, rules) = (acting.place, acting.rules);
    let name = text(arguments, &["name"]).unwrap_or_default();
    in_asset(acting, arguments, |asset| {
        let value = arguments.get("value").filter(|value| !value.is_null()).cloned();
        match asset.get_mut("custom") {
            Some(Value::Object(custom)) => {
                conversion::set_custom_field(custom, name, value, rules).map(|_| ())
            }
            _ => Err(ApiError::invalid_operation(format!(
                "{place}: the custom field '{name}' cannot be set because no custom type is set."
            ))),
        }
    })
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
    let (field, wanted) = match (arguments.get("assetId"), arguments.get("assetKey")) {
        (Some(id), _) => ("id", id),
        (None, Some(key)) => ("key", key),
        (None, None) => {
            return Err(ApiError::invalid_json(format!(
                "{}: one of assetId, assetKey is required",
                acting.place
            )));
        }
    };
    let missing = || format!("Asset with {field} {wanted}");
    on_each(acting, arguments, missing, |variant| {
        let Some(Value::Array(assets)) = variant.get_mut("assets") else { return Ok(None) };
        match assets.iter().position(|asset| asset.get(field) == Some(wanted)) {
            Some(index) => change(assets, index).map(|()| Some(true)),
            None => Ok(None),
        }
    })
}
