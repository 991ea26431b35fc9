//! Actions on the parcels of a delivery.
//!
//! Source: reference types `OrderAddParcelToDeliveryAction`, `OrderRemoveParcelFromDeliveryAction`,
//! `OrderSetParcel…Action`, `Parcel`.

use super::deliveries::{DELIVERIES, PARCELS, all_deliveries, stored_parcel};
use super::part::{self, OrderPart, admit_key, find_part, missing_part_error};
use super::{custom, identifying_argument};
use crate::delivery_items;
use crate::tracking_data;
use kontor_engine::document::fields;
use kontor_engine::{ActionContext, Document};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// `addParcelToDelivery`.
pub(super) fn add(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    delivery_items::check_items(context.document, arguments.get("items"), context.place)?;
    admit_key(context.document, &PARCELS, "parcelKey", arguments.get("parcelKey"))?;
    let custom = custom(arguments, PARCELS.custom_of, context)?;
    let mut tracking = arguments.get("trackingData").cloned();
    if let Some(Value::Object(tracking)) = &mut tracking {
        tracking_data::fill_in(tracking);
    }
    let parcel = stored_parcel(
        Value::Object(fields([
            ("key", arguments.get("parcelKey").cloned()),
            ("measurements", arguments.get("measurements").cloned()),
            ("trackingData", tracking),
            ("items", arguments.get("items").cloned()),
            ("custom", custom),
        ])),
        context,
    );
    let OrderPart { part: delivery, place } = find_part(context, arguments, &DELIVERIES)?;
    if let Some(Value::Array(parcels)) = delivery.get_mut("parcels") {
        parcels.push(parcel.clone());
    }
    let mut message_fields =
        fields([("delivery", Some(Value::Object(delivery.clone()))), ("parcel", Some(parcel))]);
    message_fields.extend(place);
    context.emit("ParcelAddedToDelivery", message_fields)
}

/// `removeParcelFromDelivery`.
pub(super) fn remove(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let (field, wanted) = identifying_argument(arguments, PARCELS.identifiers, context.place)?;
    for method in all_deliveries(context.document) {
        for delivery in method.all.iter_mut() {
            let id = delivery["id"].clone();
            let Some(parcels) = delivery["parcels"].as_array_mut() else { continue };
            let Some(place) = parcels.iter().position(|parcel| parcel[field] == *wanted) else { continue };
            let parcel = parcels.remove(place);
            let message_fields = fields([
                ("deliveryId", Some(id)),
                ("parcel", Some(parcel)),
                ("shippingKey", method.shipping_key),
            ]);
            return context.emit("ParcelRemovedFromDelivery", message_fields);
        }
    }
    Err(missing_part_error(context.place, &PARCELS, field, wanted))
}

/// `setParcelMeasurements`.
pub(super) fn set_measurements(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    change(context, arguments, "measurements", "ParcelMeasurementsUpdated")
}

/// `setParcelTrackingData`.
pub(super) fn set_tracking_data(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let mut arguments = arguments.clone();
    if let Some(Value::Object(tracking)) = arguments.get_mut("trackingData") {
        tracking_data::fill_in(tracking);
    }
    change(context, &arguments, "trackingData", "ParcelTrackingDataUpdated")
}

/// `setParcelItems`.
pub(super) fn set_items(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    delivery_items::check_items(context.document, arguments.get("items"), context.place)?;
    change(context, arguments, "items", "ParcelItemsUpdated")
}

/// Sets a field of a parcel to the argument of the same name, and creates its message.
fn change(
    context: &mut ActionContext<'_, '_>,
    arguments: &Document,
    field: &str,
    told: &str,
) -> ApiResult<()> {
    let change = part::change(context, arguments, &PARCELS, field, arguments.get(field).cloned())?;
    if !change.is_one() {
        return Ok(());
    }
    let old = (field == "items").then(|| change.old.unwrap_or_else(|| json!([])));
    let mut fields = fields([(PARCELS.identifiers.0, change.id), (field, change.new), ("oldItems", old)]);
    fields.extend(change.place);
    context.emit(told, fields)
}
