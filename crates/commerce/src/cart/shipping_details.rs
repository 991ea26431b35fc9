//! How many of an item go to which address.
//!
//! Source: reference types `ItemShippingDetails`, `ItemShippingTarget`, `CartSetLineItemShippingDetailsAction`,
//! `CartApplyDeltaToLineItemShippingDetailsTargetsAction`.

use super::items::{self, Items};
use kontor_engine::document::{list, text};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

const DETAILS: &str = "shippingDetails";

/// Takes what was sent with a new item.
pub(super) fn begin(item: &mut Document, place: &str) -> ApiResult<()> {
    if let Some(Value::Object(sent)) = item.shift_remove(DETAILS) {
        put(item, targets(list(&sent, &["targets"]), place)?);
    }
    Ok(())
}

/// `setLineItemShippingDetails` and its like.
pub(super) fn set(acting: &mut Acting<'_, '_>, arguments: &Document, of: &Items) -> ApiResult<()> {
    let targets = match arguments.get(DETAILS) {
        Some(Value::Object(sent)) => Some(targets(list(sent, &["targets"]), acting.place)?),
        _ => None,
    };
    let item = of.identified(acting, arguments)?;
    match targets {
        Some(targets) => put(item, targets),
        None => {
            item.shift_remove(DETAILS);
        }
    }
    Ok(())
}

/// `applyDeltaToLineItemShippingDetailsTargets` and its like.
pub(super) fn apply_delta(acting: &mut Acting<'_, '_>, arguments: &Document, of: &Items) -> ApiResult<()> {
    let place = acting.place;
    let item = of.identified(acting, arguments)?;
    add(item, list(arguments, &["targetsDelta"]), place)
}

/// Adds the targets of an item that is alike.
pub(super) fn merge(item: &mut Document, other: &Document, place: &str) -> ApiResult<()> {
    add(item, list(other, &[DETAILS, "targets"]), place)
}

/// Takes targets away, as far as they are there.
pub(super) fn take_away(item: &mut Document, details: &Document) {
    let mut left = list(item, &[DETAILS, "targets"]).to_vec();
    for gone in list(details, &["targets"]) {
        for target in left.iter_mut().filter(|target| is_same(target, gone)) {
            target["quantity"] = json!((count(target) - count(gone)).max(0));
        }
    }
    left.retain(|target| count(target) > 0);
    put(item, left);
}

/// Sums up what goes to one address; less than nothing is `InvalidOperation`.
fn add(item: &mut Document, more: &[Value], place: &str) -> ApiResult<()> {
    if more.is_empty() {
        return Ok(());
    }
    let mut all = list(item, &[DETAILS, "targets"]).to_vec();
    for target in more {
        match all.iter_mut().find(|other| is_same(other, target)) {
            Some(other) => other["quantity"] = json!(items::more(count(other), count(target), place)?),
            None => all.push(target.clone()),
        }
    }
    let all = targets(&all, place)?;
    put(item, all);
    Ok(())
}

/// Targets as they are kept: each address once, and nothing that nothing goes to.
fn targets(sent: &[Value], place: &str) -> ApiResult<Vec<Value>> {
    let mut kept: Vec<Value> = Vec::new();
    for target in sent {
        let key = target["addressKey"].as_str().unwrap_or_default();
        let refuse =
            |what: &str| Err(ApiError::invalid_operation(format!("{place}: the target '{key}' {what}.")));
        match count(target) {
            _ if kept.iter().any(|other| is_same(other, target)) => return refuse("stands twice"),
            quantity if quantity < 0 => return refuse(&format!("has the quantity {quantity}")),
            0 => {}
            _ => kept.push(target.clone()),
        }
    }
    Ok(kept)
}

/// Whether there is anything to say of it is for [`settle`].
fn put(item: &mut Document, targets: Vec<Value>) {
    item.insert(DETAILS.into(), json!({"targets": targets, "valid": false}));
}

fn is_same(one: &Value, other: &Value) -> bool {
    ["addressKey", "shippingMethodKey"].iter().all(|name| one.get(*name) == other.get(*name))
}

fn count(target: &Value) -> i64 {
    target["quantity"].as_i64().unwrap_or_default()
}

/// Whether an item is shipped to an address.
pub(super) fn goes_to(item: &Document, key: &str) -> bool {
    list(item, &[DETAILS, "targets"]).iter().any(|target| target["addressKey"] == key)
}

/// Says whether all of an item goes somewhere.
///
/// 400 `InvalidOperation`: an address that the Cart does not have, or no shipping method where there are several.
pub(super) fn settle(item: &mut Document, addresses: &[String], is_multiple: bool) -> ApiResult<()> {
    let quantity = items::quantity(item);
    let Some(details) = item.get_mut(DETAILS).and_then(Value::as_object_mut) else { return Ok(()) };
    let mut sum = 0_i64;
    for target in list(details, &["targets"]) {
        let key = target["addressKey"].as_str().unwrap_or_default();
        if !addresses.iter().any(|address| address == key) {
            return Err(ApiError::invalid_operation(format!(
                "shippingDetails: the Cart has no item shipping address with the key '{key}'."
            )));
        }
        if is_multiple && text_of(target, "shippingMethodKey").is_none() {
            return Err(ApiError::invalid_operation(format!(
                "shippingDetails: the target '{key}' has no shippingMethodKey, which a Cart with the Shipping Mode \
                 'Multiple' needs."
            )));
        }
        sum = sum.saturating_add(count(target));
    }
    details.insert("valid".into(), json!(sum == quantity));
    Ok(())
}

fn text_of<'v>(target: &'v Value, name: &str) -> Option<&'v str> {
    text(target.as_object()?, &[name])
}
