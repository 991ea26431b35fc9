//! The parcels of a delivery.
//!
//! Source: reference types `OrderAddParcelToDeliveryAction`, `OrderRemoveParcelFromDeliveryAction`,
//! `OrderSetParcel…Action`, `Parcel`.

use super::deliveries::{BY as OF_DELIVERIES, each, missing, parcel};
use super::{custom, named, refused};
use crate::custom_fields::{custom_of, set_custom_field as put_custom_field};
use crate::delivery_items;
use kontor_engine::document::{fields, set};
use kontor_engine::{Acting, Document};
use kontor_errors::{ApiError, ApiResult};
use serde_json::{Value, json};

/// The arguments that identify a parcel.
const BY: (&str, &str) = ("parcelId", "parcelKey");
/// What a Type of their custom fields must be for.
const OF: &str = "order-parcel";

/// `addParcelToDelivery`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (by, wanted) = named(arguments, OF_DELIVERIES, acting.place)?;
    delivery_items::admit(acting.document, arguments.get("items"), acting.place)?;
    let custom = custom(arguments, OF, acting)?;
    let parcel = parcel(
        Value::Object(fields([
            ("key", arguments.get("parcelKey").cloned()),
            ("measurements", arguments.get("measurements").cloned()),
            ("trackingData", arguments.get("trackingData").cloned()),
            ("items", arguments.get("items").cloned()),
            ("custom", custom),
        ])),
        acting,
    );
    let mut found = None;
    for method in each(acting.document) {
        let Some(delivery) = method.all.iter_mut().find(|delivery| delivery[by] == *wanted) else { continue };
        if let Some(parcels) = delivery["parcels"].as_array_mut() {
            parcels.push(parcel.clone());
        }
        found = Some((delivery.clone(), method.shipping_key));
        break;
    }
    let Some((delivery, shipping_key)) = found else { return Err(missing(acting.place, by, wanted)) };
    let told =
        fields([("delivery", Some(delivery)), ("parcel", Some(parcel)), ("shippingKey", shipping_key)]);
    acting.emit("ParcelAddedToDelivery", told)
}

/// `removeParcelFromDelivery`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (field, wanted) = named(arguments, BY, acting.place)?;
    for method in each(acting.document) {
        for delivery in method.all.iter_mut() {
            let id = delivery["id"].clone();
            let Some(parcels) = delivery["parcels"].as_array_mut() else { continue };
            let Some(place) = parcels.iter().position(|parcel| parcel[field] == *wanted) else { continue };
            let parcel = parcels.remove(place);
            let told = fields([
                ("deliveryId", Some(id)),
                ("parcel", Some(parcel)),
                ("shippingKey", method.shipping_key),
            ]);
            return acting.emit("ParcelRemovedFromDelivery", told);
        }
    }
    Err(refused(acting, &format!("there is no parcel with {field} {wanted}.")))
}

/// `setParcelMeasurements`.
pub(super) fn set_measurements(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    change(acting, arguments, "measurements", "ParcelMeasurementsUpdated")
}

/// `setParcelTrackingData`.
pub(super) fn set_tracking_data(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    change(acting, arguments, "trackingData", "ParcelTrackingDataUpdated")
}

/// `setParcelItems`.
pub(super) fn set_items(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    delivery_items::admit(acting.document, arguments.get("items"), acting.place)?;
    change(acting, arguments, "items", "ParcelItemsUpdated")
}

/// `setParcelCustomType`.
pub(super) fn set_custom_type(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let new = custom_of(acting, arguments, OF)?;
    set(identified(acting, arguments)?, &["custom"], new);
    Ok(())
}

/// `setParcelCustomField`.
pub(super) fn set_custom_field(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (place, rules) = (acting.place, acting.rules);
    put_custom_field(identified(acting, arguments)?, arguments, place, rules).map(drop)
}

/// The parcel that the arguments identify.
fn identified<'d>(acting: &'d mut Acting<'_, '_>, arguments: &Document) -> ApiResult<&'d mut Document> {
    let place = acting.place;
    let (by, wanted) = named(arguments, BY, place)?;
    let deliveries = each(acting.document).into_iter().flat_map(|method| method.all);
    let mut parcels = deliveries.filter_map(|delivery| delivery["parcels"].as_array_mut()).flatten();
    let found = parcels.find(|parcel| parcel[by] == *wanted).and_then(Value::as_object_mut);
    found.ok_or_else(|| {
        ApiError::invalid_operation(format!("{place}: there is no parcel with {by} {wanted}."))
    })
}

/// Gives a field of a parcel the value of the argument of its name, and tells of it.
fn change(acting: &mut Acting<'_, '_>, arguments: &Document, field: &str, told: &str) -> ApiResult<()> {
    let (by, wanted) = named(arguments, BY, acting.place)?;
    let new = arguments.get(field).cloned();
    let mut found = None;
    for method in each(acting.document) {
        for delivery in method.all.iter_mut() {
            let delivery_id = delivery["id"].clone();
            let parcels = delivery["parcels"].as_array_mut();
            let parcel = parcels.and_then(|parcels| parcels.iter_mut().find(|parcel| parcel[by] == *wanted));
            let Some(parcel) = parcel.and_then(Value::as_object_mut) else { continue };
            let old = match &new {
                Some(new) => parcel.insert(field.to_owned(), new.clone()),
                None => parcel.shift_remove(field),
            };
            found = Some((delivery_id, parcel.get("id").cloned(), old, method.shipping_key.clone()));
        }
    }
    let Some((delivery_id, parcel_id, old, shipping_key)) = found else {
        return Err(refused(acting, &format!("there is no parcel with {by} {wanted}.")));
    };
    if old == new {
        return Ok(());
    }
    let is_list = field == "items";
    let told_fields = fields([
        ("deliveryId", Some(delivery_id)),
        ("parcelId", parcel_id),
        (field, new),
        ("oldItems", is_list.then(|| old.unwrap_or_else(|| json!([])))),
        ("shippingKey", shipping_key),
    ]);
    acting.emit(told, told_fields)
}
