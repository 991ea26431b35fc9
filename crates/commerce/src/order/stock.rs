//! What an Order takes from stock.
//!
//! Source: reference types `InventoryMode`, `InventoryEntry` (`availableQuantity`), `OutOfStockError`.

use crate::reservation;
use kontor_engine::document::{list, set, text};
use kontor_engine::{Document, Effects, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The entries that are found so: by SKU, and by the supply Channel, where one is named.
type StockPlace<'o> = (&'o str, Option<&'o str>);

/// What there must be of a Line Item, by its inventory mode; the strictest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// An entry, whatever is left of it.
    Entry,
    /// Enough, or an entry that is filled up again.
    StockOrRestock,
    /// Enough.
    Stock,
}

impl Need {
    /// `None`: nothing is counted.
    fn of(mode: &str) -> Option<Self> {
        match mode {
            "TrackOnly" => Some(Self::Entry),
            "ReserveOnOrder" => Some(Self::StockOrRestock),
            "ReserveOnCart" => Some(Self::Stock),
            _ => None,
        }
    }
}

/// Takes the Line Items from stock, where the Order (or the item) says so: `TrackOnly` takes what may not be there, as long as
/// an entry counts it; `ReserveOnOrder` refuses it, unless the entry says when there will be more.
///
/// 400 `OutOfStock`, with the ids of the Line Items and their SKUs.
pub(super) fn take(order: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let mut wanted: BTreeMap<StockPlace<'_>, (i64, Need, Vec<&str>)> = BTreeMap::new();
    for item in list(order, &["lineItems"]) {
        let mode = item["inventoryMode"].as_str().or_else(|| text(order, &["inventoryMode"]));
        let Some(need) = mode.and_then(Need::of) else { continue };
        if let Some(id) = item["reservation"]["id"].as_str()
            && reservation::commit(id, rules, effects)?
        {
            continue;
        }
        let Some(sku) = item["variant"]["sku"].as_str() else { continue };
        let place = (sku, item["supplyChannel"]["id"].as_str());
        let (quantity, strictest, items) = wanted.entry(place).or_insert((0, need, Vec::new()));
        *quantity += item["quantity"].as_i64().unwrap_or_default();
        *strictest = need.max(*strictest);
        items.extend(item["id"].as_str());
    }
    let (mut items_missing, mut skus_missing) = (Vec::new(), Vec::new());
    for ((sku, channel), (quantity, need, items)) in wanted {
        if !take_one((sku, channel), quantity, need, rules, effects)? {
            items_missing.extend(items);
            skus_missing.push(sku);
        }
    }
    if skus_missing.is_empty() {
        return Ok(());
    }
    let message = format!(
        "Some line items are out of stock at the time of placing the order: {}.",
        skus_missing.join(", ")
    );
    Err(ApiError::new(Code::OutOfStock, message)
        .with("lineItems", json!(items_missing))
        .with("skus", json!(skus_missing)))
}

/// Takes so many of one SKU; false where there are not as many.
fn take_one(
    (sku, channel): StockPlace<'_>,
    quantity: i64,
    need: Need,
    rules: &Rules<'_>,
    effects: &mut Effects,
) -> ApiResult<bool> {
    let Some(kind) = rules.model.kind_by_type_id("inventory-entry") else {
        return Err(ApiError::bug("the model has no inventory-entry"));
    };
    let Some(entry) = reservation::entry_of((sku, channel), rules, effects)? else { return Ok(false) };
    let number = |field: &str| entry.get(field).and_then(Value::as_i64).unwrap_or_default();
    let left = number("availableQuantity") - quantity;
    let suffices = match need {
        Need::Entry => true,
        Need::StockOrRestock => left >= 0 || entry.contains_key("restockableInDays"),
        Need::Stock => left >= 0,
    };
    if !suffices {
        return Ok(false);
    }
    let mut after = entry;
    set(&mut after, &["availableQuantity"], Some(json!(left)));
    effects.change_further(kind, after);
    Ok(true)
}
