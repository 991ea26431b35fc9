//! What comes back.
//!
//! Source: reference types `OrderAddReturnInfoAction`, `OrderSetReturnInfoAction`, `OrderSetReturnShipmentStateAction`,
//! `OrderSetReturnPaymentStateAction`, `ReturnItemDraft`, `ReturnItem`.

use super::part::{OrderPart, OrderParts, identified};
use super::{list_of, refused, stored};
use crate::delivery_items;
use kontor_engine::document::{fields, list, must_field, must_get, must_integer_field};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const FIELD: &str = "returnInfo";
/// All items of an Order that come back.
pub(super) const PARTS: OrderParts = OrderParts {
    called: "return item",
    by: ("returnItemId", "returnItemKey"),
    custom_of: "order-return-item",
    all: |order| {
        let infos = order.get_mut(FIELD).and_then(Value::as_array_mut).into_iter().flatten();
        let items = infos.filter_map(|info| info["items"].as_array_mut()).flatten();
        let items = items.filter_map(Value::as_object_mut);
        items.map(|part| OrderPart { part, place: Document::new() }).collect()
    },
};

/// `addReturnInfo`: now, where no date was sent.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut info = info(arguments, acting.place, acting)?;
    if info["returnDate"].is_null() {
        info["returnDate"] = json!(acting.rules.time());
    }
    list_of(acting.document, FIELD)?.push(info.clone());
    acting.emit("ReturnInfoAdded", fields([("returnInfo", Some(info))]))
}

/// `setReturnInfo`: in place of all that was there, or nothing.
pub(super) fn set_all(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let old = acting.document.shift_remove(FIELD);
    if !arguments.contains_key("items") {
        return if old.is_some() { acting.emit("ReturnInfoSet", Document::new()) } else { Ok(()) };
    }
    for (index, sent) in list(arguments, &["items"]).iter().enumerate() {
        let Value::Object(sent) = sent else { continue };
        let info = info(sent, &format!("{}.items[{index}]", acting.place), acting)?;
        list_of(acting.document, FIELD)?.push(info);
    }
    let all = list_of(acting.document, FIELD)?.clone();
    acting.emit("ReturnInfoSet", fields([("returnInfo", Some(Value::Array(all)))]))
}

/// One `ReturnInfo` of what was sent.
fn info(sent: &Document, place: &str, acting: &Acting<'_, '_>) -> ApiResult<Value> {
    let mut items = Vec::new();
    for (index, item) in list(sent, &["items"]).iter().enumerate() {
        let place = format!("{place}.items[{index}]");
        if items.iter().any(|other: &Value| !item["key"].is_null() && other["key"] == item["key"]) {
            return Err(ApiError::duplicate_field("key", item["key"].clone()));
        }
        items.push(item_of(item, &items, &place, acting)?);
    }
    Ok(Value::Object(fields([
        ("items", Some(Value::Array(items))),
        ("returnTrackingId", sent.get("returnTrackingId").cloned()),
        ("returnDate", sent.get("returnDate").cloned()),
    ])))
}

/// All that is said to come back so far.
fn returned(order: &Document) -> impl Iterator<Item = &Value> {
    list(order, &[FIELD]).iter().filter_map(|info| info["items"].as_array()).flatten()
}

/// One item: of a Line Item, or of a Custom Line Item.
fn item_of(sent: &Value, beside: &[Value], place: &str, acting: &Acting<'_, '_>) -> ApiResult<Value> {
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
    let key = sent.get("key").filter(|key| !key.is_null());
    if let Some(key) = key.filter(|key| returned(acting.document).any(|item| item["key"] == **key)) {
        return Err(ApiError::duplicate_field("key", key.clone()));
    }
    let before: i64 = returned(acting.document)
        .chain(beside)
        .filter(|item| item[field] == sent[field])
        .filter_map(|item| item["quantity"].as_i64())
        .sum();
    let all = must_integer_field(sent, "quantity")?.saturating_add(before);
    let ordered = must_integer_field(there, "quantity")?;
    let delivered = delivery_items::delivered(acting.document, &sent[field]);
    let most = delivered.map_or(ordered, |delivered| delivered.min(ordered));
    if all > most {
        let what = if most < ordered { "delivered" } else { "ordered" };
        return refuse(&format!("{all} would be returned, more than the {most} that were {what}."));
    }
    let shipment = must_field(sent, "shipmentState")?;
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

/// `setReturnShipmentState`: what is there of it then.
pub(super) fn set_shipment_state(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let state = must_get(arguments, &["shipmentState"])?.clone();
    let id = change(acting, arguments, |item| {
        let is_next = matches!(state.as_str(), Some("BackInStock" | "Unusable"));
        if !is_next || item["shipmentState"] != "Returned" {
            return Err("only what was Returned becomes BackInStock or Unusable, and nothing else.");
        }
        item["shipmentState"] = state.clone();
        Ok(())
    })?;
    let told = fields([("returnItemId", Some(id)), ("returnShipmentState", Some(state))]);
    acting.emit("OrderReturnShipmentStateChanged", told)
}

/// `setReturnPaymentState`: not of what cannot be paid back.
pub(super) fn set_payment_state(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let state = must_get(arguments, &["paymentState"])?.clone();
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
    change: impl Fn(&mut Document) -> Result<(), &'static str>,
) -> ApiResult<Value> {
    let now = json!(acting.rules.time());
    let item = identified(acting, arguments, &PARTS)?.part;
    let changed = change(item);
    item["lastModifiedAt"] = now;
    let id = must_get(item, &["id"])?.clone();
    match changed {
        Ok(()) => Ok(id),
        Err(what) => Err(refused(acting, what)),
    }
}
