//! Assets: files that belong to a resource.
//!
//! Source: reference types `Asset`, `AssetSource`.

use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;
use std::collections::HashSet;

/// Checks a list of Assets: keys differ within the list, and keys of sources within each Asset. What stands
/// twice is `DuplicateField`; `place` is that of the list.
pub(crate) fn admit_assets(assets: &[Value], place: &str) -> ApiResult<()> {
    admit_keys(assets, place)?;
    for (index, asset) in assets.iter().enumerate() {
        let sources = asset["sources"].as_array().map_or(&[][..], Vec::as_slice);
        admit_keys(sources, &format!("{place}[{index}].sources"))?;
    }
    Ok(())
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
    use serde_json::json;

    fn admitted(assets: Value) -> Result<(), (Code, Value)> {
        let Value::Array(assets) = assets else { panic!("not a list") };
        admit_assets(&assets, "assets")
            .map_err(|error| (error.code(), error.objects()[0].to_json()["field"].clone()))
    }

    #[test]
    fn keys_differ_within_a_list() {
        let asset = |key: &str, sources: Value| json!({"key": key, "sources": sources});
        let sources = json!([{"key": "large"}, {"key": "small"}, {}, {}]);
        // The same keys in two Assets do not meet.
        assert_eq!(admitted(json!([asset("one", sources.clone()), asset("two", sources), {}, {}])), Ok(()));
        let twice = json!([asset("one", json!([])), asset("one", json!([]))]);
        assert_eq!(admitted(twice), Err((Code::DuplicateField, json!("assets.key"))));
        let twice = json!([{}, asset("one", json!([{"key": "large"}, {"key": "large"}]))]);
        assert_eq!(admitted(twice), Err((Code::DuplicateField, json!("assets[1].sources.key"))));
    }
}
