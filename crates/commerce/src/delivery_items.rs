//! Items of deliveries and parcels.
//!
//! The delivered quantity is not compared with the ordered one (reference type `OrderAddDeliveryAction`;
//! official clients deliver more).

use kontor_engine::Document;
use kontor_engine::document::list;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use std::collections::{HashMap, HashSet};

/// Checks that the items of a delivery or a parcel exist in the Order or the Cart.
///
/// 400 `InvalidOperation`.
pub(crate) fn check_items(order: &Document, items: Option<&Value>, place: &str) -> ApiResult<()> {
    admit_one_of(&item_ids(order), items, place)
}

/// The ids of all items of an Order, or of a Cart.
pub(crate) fn item_ids(order: &Document) -> HashSet<&Value> {
    let all = ["lineItems", "customLineItems"].into_iter().flat_map(|field| list(order, &[field]));
    all.map(|item| &item["id"]).collect()
}

/// As [`check_items`], of [`item_ids`] that were looked up once for many.
pub(crate) fn admit_one_of(ids: &HashSet<&Value>, items: Option<&Value>, place: &str) -> ApiResult<()> {
    for (index, sent) in items.and_then(Value::as_array).into_iter().flatten().enumerate() {
        if !ids.contains(&sent["id"]) {
            let what = format!("{place}.items[{index}]: there is no item with the id {}.", sent["id"]);
            return Err(ApiError::invalid_operation(what));
        }
    }
    Ok(())
}

/// Returns the delivered quantity of each item, for the items that deliveries list.
pub(crate) fn delivered_quantities(order: &Document) -> HashMap<&Value, i64> {
    let methods = list(order, &["shipping"]).iter().map(|method| &method["shippingInfo"]);
    let deliveries = methods
        .chain(order.get("shippingInfo"))
        .flat_map(|info| info["deliveries"].as_array().map_or(&[][..], Vec::as_slice));
    let items = deliveries.flat_map(|delivery| delivery["items"].as_array().map_or(&[][..], Vec::as_slice));
    let mut delivered = HashMap::new();
    for (item, quantity) in items.filter_map(|item| Some((item, item["quantity"].as_i64()?))) {
        let sum: &mut i64 = delivered.entry(&item["id"]).or_default();
        *sum = sum.saturating_add(quantity);
    }
    delivered
}
