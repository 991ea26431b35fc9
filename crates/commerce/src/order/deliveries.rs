//! Deliveries, in the `shippingInfo` of an Order or of each of its shipping methods. Start at [`add`].
//!
//! Source: reference types `OrderAddDeliveryAction`, `OrderRemoveDeliveryAction`, `OrderSetDelivery…Action`,
//! `Delivery`.

use super::part::{self, OrderPart, OrderParts, admit_key, find_part, missing_part_error};
use super::{address, custom, identifying_argument, stored};
use crate::custom_fields::{custom_of, set_custom_field as put_custom_field};
use crate::delivery_items;
use kontor_engine::document::{fields, has_enum, must_text, set};
use kontor_engine::{ActionContext, Document};
use kontor_enums::ShippingMode;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::HashSet;

/// The deliveries of an Order.
pub(super) const DELIVERIES: OrderParts = OrderParts {
    called: "delivery",
    identifiers: ("deliveryId", "deliveryKey"),
    custom_of: "order-delivery",
    all: |order| {
        let methods = all_deliveries(order).into_iter().flat_map(|method| {
            let place = fields([("shippingKey", method.shipping_key)]);
            method.all.iter_mut().map(move |delivery| (delivery, place.clone()))
        });
        methods
            .filter_map(|(delivery, place)| Some(OrderPart { part: delivery.as_object_mut()?, place }))
            .collect()
    },
};

/// The parcels of an Order.
pub(super) const PARCELS: OrderParts = OrderParts {
    called: "parcel",
    identifiers: ("parcelId", "parcelKey"),
    custom_of: "order-parcel",
    all: |order| {
        let mut all = Vec::new();
        for OrderPart { part: delivery, mut place } in (DELIVERIES.all)(order) {
            place.extend(delivery.get("id").map(|id| (DELIVERIES.identifiers.0.to_owned(), id.clone())));
            let parcels = delivery.get_mut("parcels").and_then(Value::as_array_mut).into_iter().flatten();
            let parcels = parcels.filter_map(Value::as_object_mut);
            all.extend(parcels.map(|part| OrderPart { part, place: place.clone() }));
        }
        all
    },
};

/// The deliveries of one way of shipping.
pub(super) struct Deliveries<'d> {
    /// The key of the shipping entry, in the shipping mode `Multiple`.
    pub(super) shipping_key: Option<Value>,
    pub(super) all: &'d mut Vec<Value>,
}

/// Returns the deliveries of each shipping entry with a `shippingInfo`.
pub(super) fn all_deliveries(order: &mut Document) -> Vec<Deliveries<'_>> {
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
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    delivery_items::check_items(context.document, arguments.get("items"), context.place)?;
    let delivery = create_delivery(context, arguments)?;
    admit_key(context.document, &DELIVERIES, "deliveryKey", arguments.get("deliveryKey"))?;
    let there = (PARCELS.all)(context.document);
    let mut keys: HashSet<Value> = there.iter().filter_map(|other| other.part.get("key").cloned()).collect();
    for (index, parcel) in delivery["parcels"].as_array().into_iter().flatten().enumerate() {
        let Some(key) = parcel.get("key") else { continue };
        let field = format!("parcels[{index}].key");
        if !keys.insert(key.clone()) {
            return Err(ApiError::duplicate_field(&field, key.clone()));
        }
    }
    let wanted = arguments.get("shippingKey");
    let place = context.place;
    let is_multiple = has_enum(context.document, &["shippingMode"], ShippingMode::Multiple);
    let mut methods = all_deliveries(context.document);
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
    // Parcels have their own messages.
    let mut without_parcels = delivery.clone();
    without_parcels["parcels"] = json!([]);
    let message_fields = fields([("delivery", Some(without_parcels)), ("shippingKey", shipping_key.clone())]);
    context.emit("DeliveryAdded", message_fields)?;
    for parcel in delivery["parcels"].as_array().into_iter().flatten() {
        let message_fields = fields([
            ("delivery", Some(delivery.clone())),
            ("parcel", Some(parcel.clone())),
            ("shippingKey", shipping_key.clone()),
        ]);
        context.emit("ParcelAddedToDelivery", message_fields)?;
    }
    Ok(())
}

/// Returns the stored form of a delivery.
fn create_delivery(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<Value> {
    let mut parcels = Vec::new();
    let ids = delivery_items::item_ids(context.document);
    for (index, sent) in arguments.get("parcels").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        let place = format!("{}.parcels[{index}]", context.place);
        delivery_items::admit_one_of(&ids, sent.get("items"), &place)?;
        parcels.push(stored_parcel(stored(sent, "ParcelDraft", "Parcel", &place, context)?, context));
    }
    let custom = custom(arguments, DELIVERIES.custom_of, context)?;
    Ok(Value::Object(fields([
        ("id", Some(json!(context.rules.new_id()))),
        ("key", arguments.get("deliveryKey").cloned()),
        ("createdAt", Some(json!(context.rules.time()))),
        ("items", Some(arguments.get("items").cloned().unwrap_or_else(|| json!([])))),
        ("parcels", Some(Value::Array(parcels))),
        ("address", address(arguments, context)?),
        ("custom", custom),
    ])))
}

/// Returns the stored form of a parcel, with the fields set by the platform.
pub(super) fn stored_parcel(mut sent: Value, context: &ActionContext<'_, '_>) -> Value {
    sent["createdAt"] = json!(context.rules.time());
    if sent["id"].is_null() {
        sent["id"] = json!(context.rules.new_id());
    }
    sent
}

/// `removeDelivery`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (field, wanted) = identifying_argument(arguments, DELIVERIES.identifiers, context.place)?;
    for method in all_deliveries(context.document) {
        if let Some(place) = method.all.iter().position(|delivery| delivery[field] == *wanted) {
            let delivery = method.all.remove(place);
            let message_fields = fields([("delivery", Some(delivery)), ("shippingKey", method.shipping_key)]);
            return context.emit("DeliveryRemoved", message_fields);
        }
    }
    Err(missing_part_error(context.place, &DELIVERIES, field, wanted))
}

/// `setDeliveryAddress`.
pub(super) fn set_address(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = address(arguments, context)?;
    change(context, arguments, "address", new, "DeliveryAddressSet", "oldAddress")
}

/// `setDeliveryItems`.
pub(super) fn set_items(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    delivery_items::check_items(context.document, arguments.get("items"), context.place)?;
    change(context, arguments, "items", arguments.get("items").cloned(), "DeliveryItemsUpdated", "oldItems")
}

/// Sets a field of a delivery and creates its message.
fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    field: &str,
    new: Option<Value>,
    told: &str,
    called: &str,
) -> ApiResult<()> {
    let change = part::change(context, arguments, &DELIVERIES, field, new)?;
    if !change.is_one() {
        return Ok(());
    }
    let mut fields =
        fields([(DELIVERIES.identifiers.0, change.id), (field, change.new), (called, change.old)]);
    fields.extend(change.place);
    context.emit(told, fields)
}

/// `setDeliveryCustomType`.
pub(super) fn set_custom_type(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let change = part::set_custom_type(context, arguments, &DELIVERIES)?;
    if !change.is_one() {
        return Ok(());
    }
    let name = if change.new.is_some() { "DeliveryCustomTypeSet" } else { "DeliveryCustomTypeRemoved" };
    let previous = change.old.as_ref().map(|old| old["type"]["id"].clone());
    let message_fields =
        [("customFields", change.new), ("previousTypeId", previous), (DELIVERIES.identifiers.0, change.id)];
    context.emit(name, fields(message_fields))
}

/// `setDeliveryCustomField`.
pub(super) fn set_custom_field(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let change = part::set_custom_field(context, arguments, &DELIVERIES)?;
    if !change.is_one() {
        return Ok(());
    }
    let told_as = match (&change.old, &change.new) {
        (_, None) => "DeliveryCustomFieldRemoved",
        (None, Some(_)) => "DeliveryCustomFieldAdded",
        (Some(_), Some(_)) => "DeliveryCustomFieldChanged",
    };
    let previous = change.old.filter(|_| change.new.is_some());
    let name = Some(json!(must_text(arguments, &["name"])?));
    let message_fields = [
        ("name", name),
        ("value", change.new),
        ("previousValue", previous),
        (DELIVERIES.identifiers.0, change.id),
    ];
    context.emit(told_as, fields(message_fields))
}

/// `setDeliveryAddressCustomType`.
pub(super) fn set_address_custom_type(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let new = custom_of(context, arguments, "address")?;
    set(address_of(context, arguments)?, &["custom"], new);
    Ok(())
}

/// `setDeliveryAddressCustomField`.
pub(super) fn set_address_custom_field(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<()> {
    let (place, rules) = (context.place, context.rules);
    put_custom_field(address_of(context, arguments)?, arguments, place, rules).map(drop)
}

/// The address of the delivery that the arguments identify.
fn address_of<'d>(
    context: &'d mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<&'d mut Document> {
    let place = context.place;
    let delivery = find_part(context, arguments, &DELIVERIES)?.part;
    let address = delivery.get_mut("address").and_then(Value::as_object_mut);
    address.ok_or_else(|| ApiError::invalid_operation(format!("{place}: the delivery has no address.")))
}
