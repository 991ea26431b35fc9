//! What comes back.
//!
//! Source: reference types `OrderAddReturnInfoAction`, `OrderSetReturnInfoAction`, `OrderSetReturnShipmentStateAction`,
//! `OrderSetReturnPaymentStateAction`, `ReturnItemDraft`, `ReturnItem`.

use super::{list_of, named, refused, stored};
use kontor_engine::document::{fields, list};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

const FIELD: &str = "returnInfo";
/// The arguments that identify an item that comes back.
const BY: (&str, &str) = ("returnItemId", "returnItemKey");

/// `addReturnInfo`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let info = info(arguments, acting.place, acting)?;
    list_of(acting.document, FIELD)?.push(info.clone());
    acting.emit("ReturnInfoAdded", fields([("returnInfo", Some(info))]))
}

/// `setReturnInfo`: in place of all that was there.
pub(super) fn set_all(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut all = Vec::new();
    for (index, sent) in list(arguments, &["items"]).iter().enumerate() {
        let Value::Object(sent) = sent else { continue };
        all.push(info(sent, &format!("{}.items[{index}]", acting.place), acting)?);
    }
    acting.document.insert(FIELD.into(), Value::Array(all.clone()));
    acting.emit("ReturnInfoSet", fields([("returnInfo", Some(Value::Array(all)))]))
}

/// One `ReturnInfo` of what was sent.
fn info(sent: &Document, place: &str, acting: &Acting<'_, '_>) -> ApiResult<Value> {
    let mut items = Vec::new();
    for (index, item) in list(sent, &["items"]).iter().enumerate() {
        items.push(item_of(item, &format!("{place}.items[{index}]"), acting)?);
    }
    Ok(Value::Object(fields([
        ("items", Some(Value::Array(items))),
        ("returnTrackingId", sent.get("returnTrackingId").cloned()),
        ("returnDate", sent.get("returnDate").cloned()),
    ])))
}

/// One item: of a Line Item, or of a Custom Line Item.
fn item_of(sent: &Value, place: &str, acting: &Acting<'_, '_>) -> ApiResult<Value> {
    let refuse = |what: &str| Err(ApiError::invalid_operation(format!("{place}: {what}")));
    let (shape, of, field) = match (&sent["lineItemId"], &sent["customLineItemId"]) {
        (Value::String(_), Value::Null) => ("LineItemReturnItem", "lineItems", "lineItemId"),
        (Value::Null, Value::String(_)) => {
            ("CustomLineItemReturnItem", "customLineItems", "customLineItemId")
        }
        _ => return refuse("one of lineItemId, customLineItemId is needed."),
    };
    let there = list(acting.document, &[of]).iter().find(|item| item["id"] == sent[field]);
    let Some(there) = there else { return refuse(&format!("the Order has no {field} {}.", sent[field])) };
    if sent["quantity"].as_i64() > there["quantity"].as_i64() {
        return refuse(&format!(
            "{} are more than the {} of the Order.",
            sent["quantity"], there["quantity"]
        ));
    }
    let shipment = sent["shipmentState"].as_str().unwrap_or_default();
    let payment = match shipment {
        "Advised" => "NonRefundable",
        "Returned" => "Initial",
        _ => return refuse("shipmentState must be Advised or Returned."),
    };
    let mut item = stored(sent, "ReturnItemDraft", shape, place, acting)?;
    let now = json!(acting.rules.time());
    item["type"] = json!(shape);
    item["paymentState"] = json!(payment);
    item["createdAt"] = now.clone();
    item["lastModifiedAt"] = now;
    if item["id"].is_null() {
        item["id"] = json!(acting.rules.new_id());
    }
    Ok(item)
}

/// `setReturnShipmentState`: what has come back can be paid back.
pub(super) fn set_shipment_state(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let state = arguments.get("shipmentState").cloned().unwrap_or_default();
    let id = change(acting, arguments, |item| {
        item["shipmentState"] = state.clone();
        let is_first = item["paymentState"] == "NonRefundable";
        item["paymentState"] = match state.as_str() {
            Some("Advised" | "Unusable") => json!("NonRefundable"),
            _ if is_first => json!("Initial"),
            _ => item["paymentState"].clone(),
        };
        Ok(())
    })?;
    let told = fields([("returnItemId", Some(id)), ("returnShipmentState", Some(state))]);
    acting.emit("OrderReturnShipmentStateChanged", told)
}

/// `setReturnPaymentState`: not of what cannot be paid back.
pub(super) fn set_payment_state(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let state = arguments.get("paymentState").cloned().unwrap_or_default();
    change(acting, arguments, |item| {
        if item["paymentState"] == "NonRefundable" && state != "NonRefundable" {
            return Err("the item is NonRefundable until it was returned.");
        }
        item["paymentState"] = state.clone();
        Ok(())
    })?;
    Ok(())
}

/// Changes the item that the arguments identify; answers its id.
fn change(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    change: impl Fn(&mut Value) -> Result<(), &'static str>,
) -> ApiResult<Value> {
    let (by, wanted) = named(arguments, BY, acting)?;
    let now = json!(acting.rules.time());
    let mut done = None;
    for info in list_of(acting.document, FIELD)? {
        for item in info["items"].as_array_mut().into_iter().flatten() {
            if item[by] == *wanted {
                let changed = change(item);
                item["lastModifiedAt"] = now.clone();
                done = Some((changed, item["id"].clone()));
            }
        }
    }
    match done {
        Some((Ok(()), id)) => Ok(id),
        Some((Err(what), _)) => Err(refused(acting, what)),
        None => Err(refused(acting, &format!("there is no return item with {by} {wanted}."))),
    }
}
