//! The parcels of a delivery.
//!
//! Source: reference types `OrderAddParcelToDeliveryAction`, `OrderRemoveParcelFromDeliveryAction`,
//! `OrderSetParcel…Action`, `Parcel`.

use super::deliveries::{PARTS as DELIVERIES, each, parcel};
use super::part::{self, OrderPart, OrderParts, identified, missing};
use super::{custom, named};
use crate::delivery_items;
use kontor_engine::document::fields;
use kontor_engine::{Acting, Document};
use kontor_errors::ApiResult;
use serde_json::{Value, json};

/// All parcels of an Order.
pub(super) const PARTS: OrderParts = OrderParts {
    called: "parcel",
    by: ("parcelId", "parcelKey"),
    custom_of: "order-parcel",
    all: |order| {
        let mut all = Vec::new();
        for OrderPart { part: delivery, mut place } in (DELIVERIES.all)(order) {
            place.extend(delivery.get("id").map(|id| (DELIVERIES.by.0.to_owned(), id.clone())));
            let parcels = delivery.get_mut("parcels").and_then(Value::as_array_mut).into_iter().flatten();
            let parcels = parcels.filter_map(Value::as_object_mut);
            all.extend(parcels.map(|part| OrderPart { part, place: place.clone() }));
        }
        all
    },
};

/// `addParcelToDelivery`.
pub(super) fn add(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    delivery_items::admit(acting.document, arguments.get("items"), acting.place)?;
    let custom = custom(arguments, PARTS.custom_of, acting)?;
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
    let OrderPart { part: delivery, place } = identified(acting, arguments, &DELIVERIES)?;
    if let Some(Value::Array(parcels)) = delivery.get_mut("parcels") {
        parcels.push(parcel.clone());
    }
    let mut told = fields([("delivery", Some(Value::Object(delivery.clone()))), ("parcel", Some(parcel))]);
    told.extend(place);
    acting.emit("ParcelAddedToDelivery", told)
}

/// `removeParcelFromDelivery`.
pub(super) fn remove(acting: &mut Acting<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (field, wanted) = named(arguments, PARTS.by, acting.place)?;
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
    Err(missing(acting.place, &PARTS, field, wanted))
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

/// Gives a field of a parcel the value of the argument of its name, and tells of it.
fn change(acting: &mut Acting<'_, '_>, arguments: &Document, field: &str, told: &str) -> ApiResult<()> {
    let change = part::change(acting, arguments, &PARTS, field, arguments.get(field).cloned())?;
    if !change.is_one() {
        return Ok(());
    }
    let old = (field == "items").then(|| change.old.unwrap_or_else(|| json!([])));
    let mut fields = fields([(PARTS.by.0, change.id), (field, change.new), ("oldItems", old)]);
    fields.extend(change.place);
    acting.emit(told, fields)
}
