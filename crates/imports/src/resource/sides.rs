//! Shared parts of Products, Product Tailoring and Variants: sides, Attributes, images, publication.

use crate::difference::is_same_value;
use crate::references::References;
use kontor_engine::{Document, document};
use kontor_json::{Map, Value, json};

/// Returns the elements of a list; none if the value is not a list.
pub(super) fn list(value: Option<&Value>) -> Vec<Value> {
    value.and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Returns all product variants on a side of a Product, the master variant first.
pub(super) fn variants(product: &Document, side: &str) -> Vec<Value> {
    let side = document::get(product, &["masterData", side]);
    let master = side.and_then(|side| side.get("masterVariant")).cloned();
    master.into_iter().chain(list(side.and_then(|side| side.get("variants")))).collect()
}

/// Returns the highest id among the product variants of both sides.
pub(super) fn highest_variant_id(product: &Document) -> i64 {
    let all = ["staged", "current"].into_iter().flat_map(|side| variants(product, side));
    all.filter_map(|variant| variant["id"].as_i64()).max().unwrap_or(0)
}

/// Returns an action with additional arguments.
pub(super) fn action(name: &str, also: &Map, fields: Value) -> Value {
    let mut made = json!({"action": name});
    if let (Value::Object(made), Value::Object(fields)) = (&mut made, fields) {
        made.extend(also.clone());
        made.extend(fields);
    }
    made
}

/// Returns the actions that bring Attributes to the imported state; missing ones are removed.
pub(super) fn attributes(
    name: &str,
    also: &Map,
    before: Option<&Value>,
    sent: Option<&Value>,
    references: &References,
) -> Vec<Value> {
    let (before, sent) = (list(before), list(sent));
    let mut actions = Vec::new();
    for old in before.iter().filter(|old| !sent.iter().any(|new| new["name"] == old["name"])) {
        actions.push(action(name, also, json!({"name": old["name"]})));
    }
    for new in &sent {
        let old = before.iter().find(|old| old["name"] == new["name"]);
        if !old.is_some_and(|old| is_same_attribute_value(&old["value"], &new["value"], references)) {
            actions.push(action(name, also, json!({"name": new["name"], "value": new["value"]})));
        }
    }
    actions
}

/// Whether a stored Attribute equals the imported one: enum values are stored with their labels, and sent as keys.
fn is_same_attribute_value(before: &Value, sent: &Value, references: &References) -> bool {
    match (before, sent) {
        (Value::Object(before), Value::String(key)) => before.get("key").and_then(Value::as_str) == Some(key),
        (Value::Array(before), Value::Array(sent)) => {
            before.len() == sent.len()
                && before
                    .iter()
                    .zip(sent)
                    .all(|(before, sent)| is_same_attribute_value(before, sent, references))
        }
        (before, sent) => is_same_value(before, sent, references),
    }
}

/// Returns the actions for imported images, one by one; they are matched by address.
pub(super) fn images(also: &Map, before: Option<&Value>, sent: Option<&Value>) -> Vec<Value> {
    let (before, sent) = (list(before), list(sent));
    let stays = |old: &Value| {
        sent.iter().any(|new| new["url"] == old["url"] && new["dimensions"] == old["dimensions"])
    };
    let mut actions = Vec::new();
    let mut sequence: Vec<&Value> = Vec::new();
    for old in &before {
        if stays(old) {
            sequence.push(&old["url"]);
        } else {
            actions.push(action("removeImage", also, json!({"imageUrl": old["url"]})));
        }
    }
    for new in &sent {
        match before.iter().find(|old| stays(old) && old["url"] == new["url"]) {
            None => {
                actions.push(action("addExternalImage", also, json!({"image": new})));
                sequence.push(&new["url"]);
            }
            Some(old) if old.get("label") != new.get("label") => {
                let label = match new.get("label") {
                    Some(label) => json!({"imageUrl": new["url"], "label": label}),
                    None => json!({"imageUrl": new["url"]}),
                };
                actions.push(action("setImageLabel", also, label));
            }
            Some(_) => {}
        }
    }
    let wanted: Vec<&Value> = sent.iter().map(|new| &new["url"]).collect();
    if sequence != wanted {
        for (position, url) in wanted.into_iter().enumerate() {
            let fields = json!({"imageUrl": url, "position": position});
            actions.push(action("moveImageToPosition", also, fields));
        }
    }
    actions
}

/// Adds the action that publishes or unpublishes a document. Without `publish`, its state stays.
pub(super) fn publication(
    wanted: Option<bool>,
    is_published: bool,
    has_staged_changes: bool,
    actions: &mut Vec<Value>,
) {
    match wanted {
        Some(true) if !is_published || has_staged_changes || !actions.is_empty() => {
            actions.push(json!({"action": "publish"}));
        }
        Some(false) if is_published => actions.push(json!({"action": "unpublish"})),
        _ => {}
    }
}

/// Whether the value at a path of names is `true`.
pub(super) fn is_true(document: &Document, path: &[&str]) -> bool {
    kontor_engine::document::get(document, path).and_then(Value::as_bool).unwrap_or(false)
}
