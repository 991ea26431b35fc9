//! Assets (files that belong to a resource): conversion of drafts, insertion, lookup, reordering, and validation of
//! their keys. All resources with Assets share these functions.
//!
//! Source: reference types `Asset`, `AssetSource`.

use kontor_engine::{ActionContext, Document, conversion};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The `ResourceTypeId` of custom fields of Assets.
pub(crate) const CUSTOM_OF: &str = "asset";

/// The Asset that the argument `asset` describes.
pub(crate) fn asset_from_draft(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<Value> {
    let Some(Value::Object(draft)) = arguments.get("asset").cloned() else {
        return Err(ApiError::bug("an action without its Asset"));
    };
    let rules = context.rules;
    let shapes = rules.model.object_by_name("AssetDraft").zip(rules.model.object_by_name("Asset"));
    let (draft_shape, shape) =
        shapes.ok_or_else(|| ApiError::bug("the model lacks a shape that rules name"))?;
    let place = format!("{}.asset", context.place);
    conversion::convert_object(draft_shape, shape, draft, &place, rules).map(Value::Object)
}

/// Inserts a new Asset at the argument `position`, by default at the end. A position beyond the end is
/// `InvalidOperation`.
pub(crate) fn insert(
    assets: &mut Vec<Value>,
    asset: Value,
    arguments: &Document,
    place: &str,
) -> ApiResult<()> {
    let at = match arguments.get("position").and_then(Value::as_i64) {
        None => assets.len(),
        Some(given) => {
            let at = usize::try_from(given).ok().filter(|at| *at <= assets.len());
            at.ok_or_else(|| {
                ApiError::invalid_operation(format!(
                    "{place}.position: expected 0 to {}, found {given}.",
                    assets.len()
                ))
            })?
        }
    };
    assets.insert(at, asset);
    Ok(())
}

/// Returns the field that identifies an Asset (`id` or `key`) and its value, from the arguments `assetId` and
/// `assetKey`.
pub(crate) fn identifying_field<'a>(
    arguments: &'a Document,
    place: &str,
) -> ApiResult<(&'static str, &'a Value)> {
    match (arguments.get("assetId"), arguments.get("assetKey")) {
        (Some(id), _) => Ok(("id", id)),
        (None, Some(key)) => Ok(("key", key)),
        (None, None) => Err(ApiError::invalid_json(format!("{place}: one of assetId, assetKey is required"))),
    }
}

/// Sorts Assets in the order of the argument `assetOrder`, which must contain the id of each once. Returns true if the
/// order changed.
pub(crate) fn reorder_assets(assets: &mut [Value], arguments: &Document, place: &str) -> ApiResult<bool> {
    let wanted = arguments.get("assetOrder").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let places: HashMap<&Value, usize> = wanted.iter().zip(0..).collect();
    let place_of = |asset: &Value| places.get(&asset["id"]).copied();
    if places.len() != assets.len()
        || wanted.len() != assets.len()
        || assets.iter().any(|asset| place_of(asset).is_none())
    {
        let ids: Vec<&Value> = assets.iter().map(|asset| &asset["id"]).collect();
        return Err(ApiError::invalid_operation(format!(
            "{place}.assetOrder: expected the id of each Asset once, which are {}.",
            json!(ids)
        )));
    }
    let changed = !assets.is_sorted_by_key(place_of);
    assets.sort_by_key(place_of);
    Ok(changed)
}

/// Checks a list of Assets: keys differ within the list, and keys of sources within each Asset. A duplicate
/// is `DuplicateField`; `place` is the position of the list in the body.
pub(crate) fn admit_assets(assets: &[Value], place: &str) -> ApiResult<()> {
    admit_keys(assets, place).map_err(|error| duplicate_key_error(error, place))?;
    for (index, asset) in assets.iter().enumerate() {
        let sources = asset["sources"].as_array().map_or(&[][..], Vec::as_slice);
        admit_keys(sources, &format!("{place}[{index}].sources"))?;
    }
    Ok(())
}

/// Words the error as the platform does, with the place of the variant (`masterVariant`).
fn duplicate_key_error(error: ApiError, place: &str) -> ApiError {
    let key = error.objects().last().and_then(|object| object.fields.get("duplicateValue"));
    let key = key.and_then(Value::as_str).unwrap_or("");
    let message = match place.strip_suffix(".assets") {
        Some(variant) => {
            format!("The key '{key}' was used by multiple assets in product variant '{variant}'.")
        }
        None => format!("The key '{key}' was used by multiple assets."),
    };
    error.with_message(message)
}

fn admit_keys(items: &[Value], place: &str) -> ApiResult<()> {
    let mut seen = HashSet::new();
    match items.iter().filter_map(|item| item.get("key")).find(|key| !seen.insert(*key)) {
        Some(twice) => Err(ApiError::duplicate_field(&format!("{place}.key"), twice.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_errors::Code;
    use kontor_json::json;

    fn admitted(assets: Value) -> Result<(), (Code, Value)> {
        let Value::Array(assets) = assets else { panic!("not a list") };
        admit_assets(&assets, "assets")
            .map_err(|error| (error.code(), error.objects()[0].to_json()["field"].clone()))
    }

    #[test]
    fn keys_differ_within_a_list() {
        let asset = |key: &str, sources: Value| json!({"key": key, "sources": sources});
        let sources = json!([{"key": "large"}, {"key": "small"}, {}, {}]);
        // The same key in the sources of two Assets is no conflict.
        assert_eq!(admitted(json!([asset("one", sources.clone()), asset("two", sources), {}, {}])), Ok(()));
        let twice = json!([asset("one", json!([])), asset("one", json!([]))]);
        assert_eq!(admitted(twice), Err((Code::DuplicateField, json!("assets.key"))));
        let twice = json!([{}, asset("one", json!([{"key": "large"}, {"key": "large"}]))]);
        assert_eq!(admitted(twice), Err((Code::DuplicateField, json!("assets[1].sources.key"))));
    }
}
