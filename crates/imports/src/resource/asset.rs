//! Compares sent Assets with the stored ones, matched by key, and returns the update actions for the differences.

use crate::difference::{custom_type, is_same_value};
use crate::references::References;
use kontor_json::{Map, Value, json};

/// Returns the actions that bring a list of Assets to the imported state. `also` are the arguments that name the
/// variant of the Assets.
pub(super) fn actions(
    before: Option<&Value>,
    sent: Option<&Value>,
    also: &Map,
    references: &References,
) -> Vec<Value> {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let (before, sent) = (list(before), list(sent));
    let action = |name: &str, fields: Value| {
        let mut action = json!({"action": name});
        if let (Value::Object(action), Value::Object(fields)) = (&mut action, fields) {
            action.extend(also.clone());
            action.extend(fields);
        }
        action
    };
    let known = |list: &[Value], key: &Value| list.iter().find(|asset| asset["key"] == *key).cloned();
    let mut actions = Vec::new();
    for asset in before.iter().filter(|asset| known(&sent, &asset["key"]).is_none()) {
        actions.push(action("removeAsset", json!({"assetId": asset["id"]})));
    }
    for asset in &sent {
        let Some(old) = known(&before, &asset["key"]) else {
            actions.push(action("addAsset", json!({"asset": asset})));
            continue;
        };
        let id = &old["id"];
        let differs = |field: &str| {
            let value = |asset: &Value| asset.get(field).cloned().unwrap_or_default();
            !is_same_value(&value(&old), &value(asset), references)
        };
        for (field, name) in [("name", "changeAssetName"), ("sources", "setAssetSources")] {
            if differs(field) {
                actions.push(action(name, json!({"assetId": id, field: asset[field]})));
            }
        }
        for (field, name) in [("description", "setAssetDescription"), ("tags", "setAssetTags")] {
            if differs(field) {
                let value = asset.get(field);
                actions.push(action(
                    name,
                    match value {
                        Some(value) => json!({"assetId": id, field: value}),
                        None => json!({"assetId": id}),
                    },
                ));
            }
        }
        if differs("custom") {
            let mut whose = also.clone();
            whose.insert("assetId", id.clone());
            actions.push(custom_type("setAssetCustomType", asset.get("custom"), whose));
        }
    }
    actions
}
