//! What was sent off: deliveries, in the `shippingInfo` of an Order or of each of its shipping methods.
//!
//! Source: reference types `OrderAddDeliveryAction`, `OrderRemoveDeliveryAction`, `OrderSetDelivery…Action`, `Delivery`.

use super::{address, custom, named, stored};
use crate::custom_fields::{custom_of, set_custom_field as put_custom_field};
use crate::delivery_items;
use kontor_engine::document::{fields, get, must_text, set, text};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

/// What a Type of their custom fields must be for.
const OF: &str = "order-delivery";

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
    delivery_items::admit(acting.document, arguments.get("items"), acting.place)?;
    let delivery = made(acting, arguments)?;
    admit_key(acting.document, arguments.get("deliveryKey"))?;
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
    let told = fields([("delivery", Some(delivery.clone())), ("shippingKey", shipping_key.clone())]);
    acting.emit("DeliveryAdded", told)?;
    for parcel in delivery["parcels"].as_array().into_iter().flatten() {
        let told = fields([
            ("delivery", Some(delivery.clone())),
            ("parcel", Some(parcel.clone())),
            ("shippingKey", shipping_key.clone()),
        ]);
        acting.emit("ParcelAddedToDelivery", told)?;
    }
    Ok(())
}

/// A delivery as it is stored.
fn made(acting: &Acting<'_, '_>, arguments: &Document) -> ApiResult<Value> {
    let mut parcels = Vec::new();
    for (index, sent) in arguments.get("parcels").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        let place = format!("{}.parcels[{index}]", acting.place);
        delivery_items::admit(acting.document, sent.get("items"), &place)?;
        parcels.push(parcel(stored(sent, "ParcelDraft", "Parcel", &place, acting)?, acting));
    }
    let custom = custom(arguments, OF, acting)?;
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
    let (field, wanted) = named(arguments, BY, acting.place)?;
    for method in each(acting.document) {
        if let Some(place) = method.all.iter().position(|delivery| delivery[field] == *wanted) {
            let delivery = method.all.remove(place);
            let told = fields([("delivery", Some(delivery)), ("shippingKey", method.shipping_key)]);
            return acting.emit("DeliveryRemoved", told);
        }
    }
    Err(missing(acting.place, field, wanted))
}

/// `setDeliveryAddress`.
pub(super) fn set_address(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = address(arguments, acting)?;
    change(acting, arguments, "address", new, "DeliveryAddressSet", "oldAddress")
}

/// `setDeliveryItems`.
pub(super) fn set_items(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    delivery_items::admit(acting.document, arguments.get("items"), acting.place)?;
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
    let (by, wanted) = named(arguments, BY, acting.place)?;
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
    let Some((id, old, shipping_key)) = found else { return Err(missing(acting.place, by, wanted)) };
    if old == new {
        return Ok(());
    }
    let fields =
        fields([("deliveryId", Some(id)), (field, new), (called, old), ("shippingKey", shipping_key)]);
    acting.emit(told, fields)
}

/// No two deliveries of an Order have one key.
fn admit_key(order: &mut Document, key: Option<&Value>) -> ApiResult<()> {
    let Some(key) = key else { return Ok(()) };
    let taken = each(order).iter().any(|method| method.all.iter().any(|delivery| delivery["key"] == *key));
    if taken { Err(ApiError::duplicate_field("deliveryKey", key.clone())) } else { Ok(()) }
}

/// The delivery that the arguments identify.
fn identified<'d>(acting: &'d mut Acting<'_, '_>, arguments: &Document) -> ApiResult<&'d mut Document> {
    let place = acting.place;
    let (by, wanted) = named(arguments, BY, place)?;
    let mut all = each(acting.document).into_iter().flat_map(|method| method.all);
    let found = all.find(|delivery| delivery[by] == *wanted);
    found.and_then(Value::as_object_mut).ok_or_else(|| missing(place, by, wanted))
}

/// `setDeliveryCustomType`.
pub(super) fn set_custom_type(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = custom_of(acting, arguments, OF)?;
    let delivery = identified(acting, arguments)?;
    let (id, old) = (delivery.get("id").cloned(), delivery.get("custom").cloned());
    if old == new {
        return Ok(());
    }
    set(delivery, &["custom"], new.clone());
    let name = if new.is_some() { "DeliveryCustomTypeSet" } else { "DeliveryCustomTypeRemoved" };
    let previous = old.as_ref().map(|old| old["type"]["id"].clone());
    let told = [("customFields", new), ("previousTypeId", previous), ("deliveryId", id)];
    acting.emit(name, fields(told))
}

/// `setDeliveryCustomField`.
pub(super) fn set_custom_field(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (place, rules) = (acting.place, acting.rules);
    let name = must_text(arguments, &["name"])?;
    let delivery = identified(acting, arguments)?;
    let old = get(delivery, &["custom", "fields", name]).cloned();
    if !put_custom_field(delivery, arguments, place, rules)? {
        return Ok(());
    }
    let new = get(delivery, &["custom", "fields", name]).cloned();
    let told_as = match (&old, &new) {
        (_, None) => "DeliveryCustomFieldRemoved",
        (None, Some(_)) => "DeliveryCustomFieldAdded",
        (Some(_), Some(_)) => "DeliveryCustomFieldChanged",
    };
    let previous = old.filter(|_| new.is_some());
    let id = delivery.get("id").cloned();
    let told = [("name", Some(json!(name))), ("value", new), ("previousValue", previous), ("deliveryId", id)];
    acting.emit(told_as, fields(told))
}

/// `setDeliveryAddressCustomType`.
pub(super) fn set_address_custom_type(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = custom_of(acting, arguments, "address")?;
    set(address_of(acting, arguments)?, &["custom"], new);
    Ok(())
}

/// `setDeliveryAddressCustomField`.
pub(super) fn set_address_custom_field(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (place, rules) = (acting.place, acting.rules);
    put_custom_field(address_of(acting, arguments)?, arguments, place, rules).map(drop)
}

/// The address of the delivery that the arguments identify.
fn address_of<'d>(acting: &'d mut Acting<'_, '_>, arguments: &Document) -> ApiResult<&'d mut Document> {
    let place = acting.place;
    let address = identified(acting, arguments)?.get_mut("address").and_then(Value::as_object_mut);
    address.ok_or_else(|| ApiError::invalid_operation(format!("{place}: the delivery has no address.")))
}

/// 400 `InvalidOperation`: there is no such delivery.
pub(super) fn missing(place: &str, field: &str, wanted: &Value) -> ApiError {
    ApiError::invalid_operation(format!("{place}: there is no delivery with {field} {wanted}."))
}
