//! What deliveries and parcels hold.
//!
//! How many of an item are delivered is not compared with what was ordered (reference type `OrderAddDeliveryAction`; official clients
//! deliver more).

use kontor_engine::Document;
use kontor_engine::document::list;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;

/// Whether items of a delivery or a parcel are of the Order, or of the Cart.
///
/// 400 `InvalidOperation`.
pub(crate) fn admit(order: &Document, items: Option<&Value>, place: &str) -> ApiResult<()> {
    for (index, sent) in items.and_then(Value::as_array).into_iter().flatten().enumerate() {
        if item(order, &sent["id"]).is_none() {
            let what = format!("{place}.items[{index}]: there is no item with the id {}.", sent["id"]);
            return Err(ApiError::invalid_operation(what));
        }
    }
    Ok(())
}

/// The Line Item or Custom Line Item with an id.
fn item<'d>(order: &'d Document, id: &Value) -> Option<&'d Value> {
    let all = ["lineItems", "customLineItems"].into_iter().flat_map(|field| list(order, &[field]));
    all.into_iter().find(|item| item["id"] == *id)
}

/// How many of an item were delivered, where deliveries say so.
pub(crate) fn delivered(order: &Document, id: &Value) -> Option<i64> {
    let methods = list(order, &["shipping"]).iter().map(|method| &method["shippingInfo"]);
    let deliveries = methods
        .chain(order.get("shippingInfo"))
        .flat_map(|info| info["deliveries"].as_array().map_or(&[][..], Vec::as_slice));
    let items = deliveries.flat_map(|delivery| delivery["items"].as_array().map_or(&[][..], Vec::as_slice));
    items
        .filter(|item| item["id"] == *id)
        .filter_map(|item| item["quantity"].as_i64())
        .reduce(|sum, quantity| sum.saturating_add(quantity))
}
