//! How many of an item go to which address, in Carts and Orders.
//!
//! Source: reference types `ItemShippingDetails`, `ItemShippingTarget`, `InvalidItemShippingDetailsError`.

use kontor_engine::Document;
use kontor_engine::document::{list, must_field, text};
use kontor_errors::{ApiError, ApiResult, Code};
use serde_json::{Value, json};

/// The field of an item.
pub(crate) const DETAILS: &str = "shippingDetails";

/// Targets as they are kept: each address once, and nothing that nothing goes to.
pub(crate) fn targets(sent: &[Value], place: &str) -> ApiResult<Vec<Value>> {
    let mut kept: Vec<Value> = Vec::new();
    for target in sent {
        let key = must_field(target, "addressKey")?;
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

/// Gives an item its targets; whether these are all of it is for [`settle`].
pub(crate) fn put(item: &mut Document, targets: Vec<Value>) {
    item.insert(DETAILS.into(), json!({"targets": targets, "valid": false}));
}

/// Whether two targets are of one address and one shipping method.
pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    ["addressKey", "shippingMethodKey"].iter().all(|name| one.get(*name) == other.get(*name))
}

/// How many go there.
pub(crate) fn count(target: &Value) -> i64 {
    target["quantity"].as_i64().unwrap_or_default()
}

/// Whether an item is shipped to an address.
pub(crate) fn goes_to(item: &Document, key: &str) -> bool {
    list(item, &[DETAILS, "targets"]).iter().any(|target| target["addressKey"] == key)
}

/// Says whether all of an item goes somewhere.
///
/// 400 `InvalidOperation`: an address that is not there, or no shipping method where there are several.
pub(crate) fn settle(item: &mut Document, addresses: &[String], is_multiple: bool) -> ApiResult<()> {
    let quantity = item.get("quantity").and_then(Value::as_i64).unwrap_or_default();
    let Some(details) = item.get_mut(DETAILS).and_then(Value::as_object_mut) else { return Ok(()) };
    let mut sum = 0_i64;
    for target in list(details, &["targets"]) {
        let key = must_field(target, "addressKey")?;
        if !addresses.iter().any(|address| address == key) {
            return Err(ApiError::invalid_operation(format!(
                "shippingDetails: there is no item shipping address with the key '{key}'."
            )));
        }
        if is_multiple && text_of(target, "shippingMethodKey").is_none() {
            return Err(ApiError::invalid_operation(format!(
                "shippingDetails: the target '{key}' has no shippingMethodKey, which the Shipping Mode 'Multiple' \
                 needs."
            )));
        }
        sum = sum.saturating_add(count(target));
    }
    details.insert("valid".into(), json!(sum == quantity));
    Ok(())
}

/// Refuses what is ordered where not all of an item goes somewhere, although it says where some of it goes.
///
/// 400 `InvalidItemShippingDetails`, with the item.
pub(crate) fn admit_complete(order: &Document) -> ApiResult<()> {
    for (field, subject) in [("lineItems", "LineItem"), ("customLineItems", "CustomLineItem")] {
        let Some(item) = list(order, &[field]).iter().find(|item| item[DETAILS]["valid"] == false) else {
            continue;
        };
        let id = item["id"].as_str().unwrap_or_default();
        let targets = item[DETAILS]["targets"].as_array().into_iter().flatten();
        let sum = targets.map(count).fold(0, i64::saturating_add);
        return Err(ApiError::new(
            Code::InvalidItemShippingDetails,
            format!(
                "Inconsistent shipping details for {subject} with ID {id}. {subject} quantity is {} and \
                 shippingTargets quantity sum is {sum}.",
                item["quantity"]
            ),
        )
        .with("subject", json!(subject))
        .with("itemId", json!(id)));
    }
    Ok(())
}

fn text_of<'v>(target: &'v Value, name: &str) -> Option<&'v str> {
    text(target.as_object()?, &[name])
}
