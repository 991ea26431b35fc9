//! Returns: the items of an Order that its buyer sends back, and the states of their shipment and payment. Start at
//! [`add`].
//!
//! Source: reference types `OrderAddReturnInfoAction`, `OrderSetReturnInfoAction`, `OrderSetReturnShipmentStateAction`,
//! `OrderSetReturnPaymentStateAction`, `ReturnItemDraft`, `ReturnItem`.

use super::part::{self, OrderPart, OrderParts, PartChange, find_part};
use super::{invalid_operation, list_of, stored};
use crate::delivery_items;
use kontor_engine::document::{fields, list, must_enum, must_enum_in, must_get, must_integer_field};
use kontor_engine::{ActionContext, Document};
use kontor_enums::{ReturnPaymentState, ReturnShipmentState};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::{HashMap, HashSet};

const FIELD: &str = "returnInfo";
/// The return items of an Order.
const PARTS: OrderParts = OrderParts {
    called: "return item",
    identifiers: ("returnItemId", "returnItemKey"),
    custom_of: "order-return-item",
    all: |order| {
        let infos = order.get_mut(FIELD).and_then(Value::as_array_mut).into_iter().flatten();
        let items = infos.filter_map(|info| info["items"].as_array_mut()).flatten();
        let items = items.filter_map(Value::as_object_mut);
        items.map(|part| OrderPart { part, place: Document::new() }).collect()
    },
};

/// `addReturnInfo`: the date defaults to the current time.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut info =
        info(arguments, context.place, context, &mut ReturnableItems::from_order(context.document))?;
    if info["returnDate"].is_null() {
        info["returnDate"] = json!(context.rules.time());
    }
    list_of(context.document, FIELD)?.push(info.clone());
    context.emit("ReturnInfoAdded", fields([("returnInfo", Some(info))]))
}

/// `setReturnInfo`: replaces all return infos, or removes them.
pub(super) fn set_all(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let old = context.document.shift_remove(FIELD);
    if !arguments.contains_key("items") {
        return if old.is_some() { context.emit("ReturnInfoSet", Document::new()) } else { Ok(()) };
    }
    let mut all = Vec::new();
    let mut returning = ReturnableItems::from_order(context.document);
    for (index, sent) in list(arguments, &["items"]).iter().enumerate() {
        let Value::Object(sent) = sent else { continue };
        all.push(info(sent, &format!("{}.items[{index}]", context.place), context, &mut returning)?);
    }
    list_of(context.document, FIELD)?.clone_from(&all);
    context.emit("ReturnInfoSet", fields([("returnInfo", Some(Value::Array(all)))]))
}

/// Creates one `ReturnInfo` from its draft.
fn info<'d>(
    sent: &Document,
    place: &str,
    context: &'d ActionContext<'_, '_>,
    returning: &mut ReturnableItems<'d>,
) -> ApiResult<Value> {
    let mut items = Vec::new();
    for (index, item) in list(sent, &["items"]).iter().enumerate() {
        items.push(item_of(item, &format!("{place}.items[{index}]"), context, returning)?);
    }
    Ok(Value::Object(fields([
        ("items", Some(Value::Array(items))),
        ("returnTrackingId", sent.get("returnTrackingId").cloned()),
        ("returnDate", sent.get("returnDate").cloned()),
    ])))
}

/// Returns all return items of an Order.
fn returned(order: &Document) -> impl Iterator<Item = &Value> {
    list(order, &[FIELD]).iter().filter_map(|info| info["items"].as_array()).flatten()
}

/// The lists of items, each with the field of a return item that refers to it.
const OF: [(&str, &str); 2] = [("lineItems", "lineItemId"), ("customLineItems", "customLineItemId")];

/// The items of an Order, prepared for lookups: each is looked up once for all return items of a request.
struct ReturnableItems<'d> {
    /// By the referring field and the id.
    items: HashMap<(&'static str, &'d Value), &'d Value>,
    delivered: HashMap<&'d Value, i64>,
    /// The quantities in return items so far.
    returned: HashMap<(&'static str, &'d Value), i64>,
    /// The keys of all return items.
    keys: HashSet<Value>,
}

impl<'d> ReturnableItems<'d> {
    fn from_order(order: &'d Document) -> Self {
        let items = OF.into_iter().flat_map(|(all, field)| {
            list(order, &[all]).iter().map(move |item| ((field, &item["id"]), item))
        });
        let (mut returned_items, mut keys) = (HashMap::new(), HashSet::new());
        for item in returned(order) {
            keys.extend(item.get("key").cloned());
            for (_, field) in OF {
                let Some((id, quantity)) = item.get(field).zip(item["quantity"].as_i64()) else { continue };
                let all: &mut i64 = returned_items.entry((field, id)).or_default();
                *all = all.saturating_add(quantity);
            }
        }
        let delivered = delivery_items::delivered_quantities(order);
        Self { items: items.collect(), delivered, returned: returned_items, keys }
    }
}

/// Creates one return item, of a line item or of a custom line item.
fn item_of<'d>(
    sent: &Value,
    place: &str,
    context: &'d ActionContext<'_, '_>,
    returning: &mut ReturnableItems<'d>,
) -> ApiResult<Value> {
    let refuse = |what: &str| Err(ApiError::invalid_operation(format!("{place}: {what}")));
    let (shape, field) = match (&sent["lineItemId"], &sent["customLineItemId"]) {
        (Value::String(_), Value::Null) => ("LineItemReturnItem", "lineItemId"),
        (Value::Null, Value::String(_)) => ("CustomLineItemReturnItem", "customLineItemId"),
        _ => return refuse("one of lineItemId, customLineItemId is needed."),
    };
    let Some(there) = returning.items.get(&(field, &sent[field])).copied() else {
        return refuse(&format!("the Order has no {field} {}.", sent[field]));
    };
    let key = sent.get("key").filter(|key| !key.is_null());
    if let Some(key) = key.filter(|key| !returning.keys.insert((*key).clone())) {
        return Err(ApiError::duplicate_field("key", key.clone()));
    }
    let id = &there["id"];
    let all = returning.returned.entry((field, id)).or_default();
    *all = all.saturating_add(must_integer_field(sent, "quantity")?);
    let ordered = must_integer_field(there, "quantity")?;
    let most = returning.delivered.get(id).map_or(ordered, |delivered| ordered.min(*delivered));
    let all = *all;
    if all > most {
        let what = if most < ordered { "delivered" } else { "ordered" };
        return refuse(&format!("{all} would be returned, more than the {most} that were {what}."));
    }
    let payment = match must_enum_in::<ReturnShipmentState>(sent, "shipmentState")? {
        ReturnShipmentState::Advised => ReturnPaymentState::NonRefundable,
        ReturnShipmentState::Returned => ReturnPaymentState::Initial,
        ReturnShipmentState::BackInStock | ReturnShipmentState::Unusable => {
            return refuse("shipmentState must be Advised or Returned.");
        }
    };
    let mut item = stored(sent, "ReturnItemDraft", shape, place, context)?;
    let now = json!(context.rules.time());
    item["type"] = json!(shape);
    item["paymentState"] = json!(payment);
    item["createdAt"] = now.clone();
    item["lastModifiedAt"] = now;
    if item["id"].is_null() {
        item["id"] = json!(context.rules.new_id());
    }
    Ok(item)
}

/// `setReturnShipmentState`: from `Returned` to `BackInStock` or `Unusable`; other changes are refused.
pub(super) fn set_shipment_state(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let state = must_get(arguments, &["shipmentState"])?.clone();
    let is_next = match must_enum(arguments, &["shipmentState"])? {
        ReturnShipmentState::BackInStock | ReturnShipmentState::Unusable => true,
        ReturnShipmentState::Advised | ReturnShipmentState::Returned => false,
    };
    let id = change(context, arguments, |item| {
        if !is_next || item["shipmentState"] != ReturnShipmentState::Returned.as_str() {
            return Err("only what was Returned becomes BackInStock or Unusable, and nothing else.");
        }
        item["shipmentState"] = state.clone();
        Ok(())
    })?;
    let message_fields = fields([("returnItemId", Some(id)), ("returnShipmentState", Some(state))]);
    context.emit("OrderReturnShipmentStateChanged", message_fields)
}

/// `setReturnPaymentState`: refused for an item that is `NonRefundable`.
pub(super) fn set_payment_state(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let state = must_get(arguments, &["paymentState"])?.clone();
    change(context, arguments, |item| {
        let fixed = ReturnPaymentState::NonRefundable.as_str();
        if item["paymentState"] == fixed && state != fixed {
            return Err("the item is NonRefundable until it was returned.");
        }
        item["paymentState"] = state.clone();
        Ok(())
    })?;
    Ok(())
}

/// `setReturnItemCustomType`.
pub(super) fn set_custom_type(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let change = part::set_custom_type(context, arguments, &PARTS)?;
    note_time(context, arguments, &change)
}

/// `setReturnItemCustomField`.
pub(super) fn set_custom_field(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let change = part::set_custom_field(context, arguments, &PARTS)?;
    note_time(context, arguments, &change)
}

/// Sets `lastModifiedAt` of the item that the arguments identify (reference type `ReturnItem`).
fn note_time(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    change: &PartChange,
) -> ApiResult<()> {
    if change.is_one() {
        let now = json!(context.rules.time());
        find_part(context, arguments, &PARTS)?.part.insert("lastModifiedAt", now);
    }
    Ok(())
}

/// Changes the item that the arguments identify, and returns its id.
fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    change: impl Fn(&mut Document) -> Result<(), &'static str>,
) -> ApiResult<Value> {
    let now = json!(context.rules.time());
    let item = find_part(context, arguments, &PARTS)?.part;
    let changed = change(item);
    item["lastModifiedAt"] = now;
    let id = must_get(item, &["id"])?.clone();
    match changed {
        Ok(()) => Ok(id),
        Err(what) => Err(invalid_operation(context, what)),
    }
}
