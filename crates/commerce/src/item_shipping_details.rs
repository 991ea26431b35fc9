//! The distribution of items over shipping addresses, in Carts and Orders. Start at [`settle`].
//!
//! Source: reference types `ItemShippingDetails`, `ItemShippingTarget`, `InvalidItemShippingDetailsError`.

use kontor_engine::Document;
use kontor_engine::document::{
    get, integer_field_or_log, integer_or_log, list, must_field, set, text, text_or_log,
};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// The field of an item.
pub(crate) const DETAILS: &str = "shippingDetails";
/// The field of a Cart or an Order with the addresses.
pub(crate) const ITEM_SHIPPING: &str = "itemShippingAddresses";

/// Returns targets in their stored form: each address once, without quantities of 0.
pub(crate) fn normalize_targets(sent: &[Value], place: &str) -> ApiResult<Vec<Value>> {
    let (mut kept, mut seen) = (Vec::new(), HashSet::new());
    for target in sent {
        let key = must_field(target, "addressKey")?;
        let refuse =
            |what: &str| Err(ApiError::invalid_operation(format!("{place}: the target '{key}' {what}.")));
        match count(target) {
            _ if seen.contains(&target_key(target)) => return refuse("occurs twice"),
            quantity if quantity < 0 => return refuse(&format!("has the quantity {quantity}")),
            0 => {}
            _ => {
                seen.insert(target_key(target));
                kept.push(target.clone());
            }
        }
    }
    Ok(kept)
}

/// Sets the targets of an item; [`settle`] checks whether they cover its quantity.
pub(crate) fn set_targets(item: &mut Document, targets: Vec<Value>) {
    item.insert(DETAILS, json!({"targets": targets, "valid": false}));
}

/// Returns the address and the shipping method, which identify a target.
pub(crate) fn target_key(target: &Value) -> [Option<&Value>; 2] {
    ["addressKey", "shippingMethodKey"].map(|name| target.get(name))
}

/// Returns the quantity of a target.
pub(crate) fn count(target: &Value) -> i64 {
    integer_field_or_log(target, "quantity")
}

/// The keys of the item shipping addresses of a Cart or an Order.
///
/// 400 `InvalidOperation`: one has none; `DuplicateField`: two have one.
pub(crate) fn address_keys(holder: &Document) -> ApiResult<HashSet<String>> {
    let mut keys = HashSet::new();
    for address in list(holder, &[ITEM_SHIPPING]) {
        let Some(key) = address["key"].as_str() else {
            return Err(ApiError::invalid_operation(format!(
                "{ITEM_SHIPPING}: each address needs a key, by which items name it."
            )));
        };
        if !keys.insert(key.to_owned()) {
            return Err(ApiError::duplicate_field(&format!("{ITEM_SHIPPING}.key"), json!(key)));
        }
    }
    Ok(keys)
}

/// Whether an item is shipped to an address.
pub(crate) fn is_shipped_to(item: &Document, key: &str) -> bool {
    list(item, &[DETAILS, "targets"]).iter().any(|target| target["addressKey"] == key)
}

/// Sets `valid`: whether the targets of an item cover its quantity.
///
/// 400 `InvalidOperation`: an address does not exist, or the shipping method is missing although there are several.
pub(crate) fn settle(item: &mut Document, addresses: &HashSet<String>, is_multiple: bool) -> ApiResult<()> {
    let Some(details) = item.get(DETAILS).and_then(Value::as_object) else { return Ok(()) };
    for target in list(details, &["targets"]) {
        let key = must_field(target, "addressKey")?;
        if !addresses.contains(key) {
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
    }
    let is_all = json!(sum(list(details, &["targets"])) == quantity(item));
    if details.get("valid") != Some(&is_all) {
        set(item, &[DETAILS, "valid"], Some(is_all));
    }
    Ok(())
}

/// Checks that each item with shipping details distributes its whole quantity, as an Order requires.
///
/// 400 `InvalidItemShippingDetails`, with the first item that does not.
pub(crate) fn admit_complete(holder: &Document) -> ApiResult<()> {
    let mut invalid = items(holder).filter(|(_, item)| get(item, &[DETAILS, "valid"]) == Some(&json!(false)));
    invalid.next().map_or(Ok(()), |(subject, item)| Err(inconsistent(subject, item)))
}

/// Checks that the targets of an Order's items cover their quantities, for items whose targets just changed.
///
/// 400 `InvalidItemShippingDetails`, with the first item that differs. Reference type `ItemShippingDetailsDraft`.
pub(crate) fn admit_change(before: &Document, after: &Document) -> ApiResult<()> {
    let is_invalid = |item: &Document| get(item, &[DETAILS, "valid"]) == Some(&json!(false));
    for (subject, item) in items(after).filter(|(_, item)| is_invalid(item)) {
        let was = items(before).find(|(_, was)| was.get("id") == item.get("id"));
        let path = [DETAILS, "targets"];
        if was.is_none_or(|(_, was)| list(was, &path) != list(item, &path)) {
            return Err(inconsistent(subject, item));
        }
    }
    Ok(())
}

/// Checks that an item of a Cart, a `LineItem` or a `CustomLineItem`, distributes no more than its quantity;
/// it may distribute less until it is ordered.
///
/// 400 `InvalidItemShippingDetails`. Reference type `InvalidItemShippingDetailsError`: for creations, and for
/// actions that add, set or remove; deltas are not listed.
pub(crate) fn admit_item(subject: &str, item: &Document) -> ApiResult<()> {
    match sum(list(item, &[DETAILS, "targets"])) > quantity(item) {
        true => Err(inconsistent(subject, item)),
        false => Ok(()),
    }
}

/// Returns all items, each with its type name for errors.
fn items(holder: &Document) -> impl Iterator<Item = (&'static str, &Document)> {
    [("lineItems", "LineItem"), ("customLineItems", "CustomLineItem")].into_iter().flat_map(
        move |(field, subject)| {
            list(holder, &[field]).iter().filter_map(move |item| Some((subject, item.as_object()?)))
        },
    )
}

fn inconsistent(subject: &str, item: &Document) -> ApiError {
    let id = text_or_log(item, &["id"]);
    let (quantity, sum) = (quantity(item), sum(list(item, &[DETAILS, "targets"])));
    let message = format!(
        "Inconsistent shipping details for {subject} with ID {id}. {subject} quantity is {quantity} and shippingTargets \
         quantity sum is {sum}."
    );
    ApiError::new(Code::InvalidItemShippingDetails, message)
        .with_field("subject", json!(subject))
        .with_field("itemId", json!(id))
}

fn quantity(item: &Document) -> i64 {
    integer_or_log(item, &["quantity"])
}

fn sum(targets: &[Value]) -> i64 {
    targets.iter().map(count).fold(0, i64::saturating_add)
}

fn text_of<'v>(target: &'v Value, name: &str) -> Option<&'v str> {
    text(target.as_object()?, &[name])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With this number, comparing all pairs would take minutes.
    const MANY: usize = 100_000;

    #[test]
    fn many_targets_are_looked_up_and_not_compared_in_pairs() {
        let sent: Vec<Value> =
            (0..MANY).map(|at| json!({"addressKey": format!("to-{at}"), "quantity": 1})).collect();
        let kept = normalize_targets(&sent, "actions[0]").unwrap();
        assert_eq!(kept, sent);
        let addresses = (0..MANY).map(|at| format!("to-{at}")).collect();
        let mut item = Document::new();
        item.insert("quantity", json!(MANY));
        set_targets(&mut item, kept);
        settle(&mut item, &addresses, false).unwrap();
        assert_eq!(item[DETAILS]["valid"], json!(true));
    }

    #[test]
    fn targets_are_told_apart_by_address_and_shipping_method() {
        let target = |method: &str, quantity: i64| json!({"addressKey": "home", "shippingMethodKey": method, "quantity": quantity});
        let kept =
            normalize_targets(&[target("ship", 1), target("fly", 0), target("fly", 2)], "lineItems[0]")
                .unwrap();
        assert_eq!(kept, [target("ship", 1), target("fly", 2)]);
        let twice = normalize_targets(&[target("ship", 1), target("ship", 2)], "lineItems[0]").unwrap_err();
        assert!(twice.message().contains("'home' occurs twice"), "{}", twice.message());
    }
}
