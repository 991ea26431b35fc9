//! What was sent off: deliveries, in the `shippingInfo` of an Order or of each of its shipping methods.
//!
//! Source: reference types `OrderAddDeliveryAction`, `OrderRemoveDeliveryAction`, `OrderSetDelivery…Action`, `Delivery`.

use super::{address, custom, named, refused, stored};
use kontor_engine::document::{fields, text};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

/// The deliveries of one way of shipping.
pub(super) struct Deliveries<'d> {
    /// The key of it, in the shipping mode `Multiple`.
    pub(super) shipping_key: Option<Value>,
    pub(super) all: &'d mut Vec<Value>,
}

/// Those of each way of shipping that has a `shippingInfo`.
pub(super) fn each(order: &mut Document) -> Vec<Deliveries<'_>> {
    let mut found = Vec::new();
    let mut methods: Vec<(Option<Value>, &mut Value)> = Vec::new();
    for (name, value) in order.iter_mut() {
        match (name.as_str(), value) {
            ("shippingInfo", info @ Value::Object(_)) => methods.push((None, info)),
            ("shipping", Value::Array(all)) => {
                for method in all {
                    let key = method["shippingKey"].clone();
                    methods.push((Some(key), &mut method["shippingInfo"]));
                }
            }
            _ => {}
        }
    }
    for (shipping_key, info) in methods {
        let Value::Object(info) = info else { continue };
        let all = info.entry("deliveries").or_insert_with(|| json!([]));
        if let Value::Array(all) = all {
            found.push(Deliveries { shipping_key, all });
        }
    }
    found
}

/// `addDelivery`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let delivery = made(acting, arguments)?;
    let wanted = arguments.get("shippingKey");
    let place = acting.place;
    let is_multiple = text(acting.document, &["shippingMode"]) == Some("Multiple");
    let mut methods = each(acting.document);
    let method = match wanted.filter(|_| is_multiple) {
        Some(key) => methods.iter_mut().find(|method| method.shipping_key.as_ref() == Some(key)),
        None if is_multiple => None,
        None => methods.first_mut(),
    };
    let Some(method) = method else {
        let what = match wanted {
            Some(key) => format!("there is no shipping method with the key {key}."),
            None => "the Order has no shipping method.".to_owned(),
        };
        return Err(ApiError::invalid_operation(format!("{place}: {what}")));
    };
    method.all.push(delivery.clone());
    let shipping_key = method.shipping_key.clone();
    acting.emit("DeliveryAdded", fields([("delivery", Some(delivery)), ("shippingKey", shipping_key)]))
}

/// A delivery as it is stored.
fn made(acting: &Acting<'_, '_>, arguments: &Document) -> ApiResult<Value> {
    let mut parcels = Vec::new();
    for (index, sent) in arguments.get("parcels").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        let place = format!("{}.parcels[{index}]", acting.place);
        parcels.push(parcel(stored(sent, "ParcelDraft", "Parcel", &place, acting)?, acting));
    }
    let custom = custom(arguments, "order-delivery", acting)?;
    Ok(Value::Object(fields([
        ("id", Some(json!(acting.rules.new_id()))),
        ("key", arguments.get("deliveryKey").cloned()),
        ("createdAt", Some(json!(acting.rules.time()))),
        ("items", Some(arguments.get("items").cloned().unwrap_or_else(|| json!([])))),
        ("parcels", Some(Value::Array(parcels))),
        ("address", address(arguments, acting)?),
        ("custom", custom),
    ])))
}

/// A parcel that was sent, with what the platform knows of it.
pub(super) fn parcel(mut sent: Value, acting: &Acting<'_, '_>) -> Value {
    sent["createdAt"] = json!(acting.rules.time());
    if sent["id"].is_null() {
        sent["id"] = json!(acting.rules.new_id());
    }
    sent
}

/// `removeDelivery`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (field, wanted) = named(arguments, BY, acting)?;
    for method in each(acting.document) {
        if let Some(place) = method.all.iter().position(|delivery| delivery[field] == *wanted) {
            let delivery = method.all.remove(place);
            let told = fields([("delivery", Some(delivery)), ("shippingKey", method.shipping_key)]);
            return acting.emit("DeliveryRemoved", told);
        }
    }
    Err(missing(acting, field, wanted))
}

/// `setDeliveryAddress`.
pub(super) fn set_address(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = address(arguments, acting)?;
    change(acting, arguments, "address", new, "DeliveryAddressSet", "oldAddress")
}

/// `setDeliveryItems`.
pub(super) fn set_items(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    change(acting, arguments, "items", arguments.get("items").cloned(), "DeliveryItemsUpdated", "oldItems")
}

/// The arguments that identify a delivery.
pub(super) const BY: (&str, &str) = ("deliveryId", "deliveryKey");

/// Gives a field of a delivery another value, and tells of it.
fn change(
    acting: &mut Acting<'_, '_>,
    arguments: &Document,
    field: &str,
    new: Option<Value>,
    told: &str,
    called: &str,
) -> ApiResult<()> {
    let (by, wanted) = named(arguments, BY, acting)?;
    let mut found = None;
    for method in each(acting.document) {
        let Some(delivery) = method.all.iter_mut().find(|delivery| delivery[by] == *wanted) else { continue };
        let id = delivery["id"].clone();
        let Some(delivery) = delivery.as_object_mut() else { continue };
        let old = match &new {
            Some(new) => delivery.insert(field.to_owned(), new.clone()),
            None => delivery.shift_remove(field),
        };
        found = Some((id, old, method.shipping_key));
        break;
    }
    let Some((id, old, shipping_key)) = found else { return Err(missing(acting, by, wanted)) };
    if old == new {
        return Ok(());
    }
    let fields =
        fields([("deliveryId", Some(id)), (field, new), (called, old), ("shippingKey", shipping_key)]);
    acting.emit(told, fields)
}

/// 400 `InvalidOperation`: there is no such delivery.
pub(super) fn missing(acting: &Acting<'_, '_>, field: &str, wanted: &Value) -> ApiError {
    refused(acting, &format!("there is no delivery with {field} {wanted}."))
}
