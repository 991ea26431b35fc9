//! Reduces the stock when an Order is created, by the inventory mode of each line item, and refuses Orders that are out
//! of stock.
//!
//! Source: reference types `InventoryMode`, `InventoryEntry` (`availableQuantity`), `OutOfStockError`.

use crate::inventory_entry::INVENTORY;
use crate::kinds;
use crate::reservation;
use kontor_engine::document::{enum_at, enum_in, list, must_integer_field, must_text};
use kontor_engine::{Claim, Document, Effects, Rules};
use kontor_enums::InventoryMode;
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::KindId;
use std::collections::BTreeMap;

/// The SKU and the optional supply Channel by which entries are found.
type StockPlace<'o> = (&'o str, Option<&'o str>);

/// The stock that a line item needs, by its inventory mode; the strictest need is last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StockRequirement {
    /// An entry must exist, whatever its quantity.
    Entry,
    /// Enough, or an entry that is filled up again.
    StockOrRestock,
    /// Enough.
    Stock,
}

impl StockRequirement {
    /// Returns `None` if the stock is not tracked.
    fn from_mode(mode: InventoryMode) -> Option<Self> {
        match mode {
            InventoryMode::None => None,
            InventoryMode::TrackOnly => Some(Self::Entry),
            InventoryMode::ReserveOnOrder => Some(Self::StockOrRestock),
            InventoryMode::ReserveOnCart => Some(Self::Stock),
        }
    }
}

/// Returns the stock that a line item of an Order (or of its source) needs; `None`: its stock is not tracked.
fn need_of(item: &Value, order: &Document) -> ApiResult<Option<StockRequirement>> {
    let of_item = enum_in(item, "inventoryMode")?;
    let mode = if of_item.is_some() { of_item } else { enum_at(order, &["inventoryMode"])? };
    Ok(mode.and_then(StockRequirement::from_mode))
}

/// Returns the claims of an Order that is created from this document: the stock of its SKUs.
pub(super) fn stock_claims(of: &Document) -> ApiResult<Vec<Claim>> {
    let mut claims = Vec::new();
    for item in list(of, &["lineItems"]) {
        if need_of(item, of)?.is_some() {
            claims.extend(item["variant"]["sku"].as_str().map(|sku| Claim::new(INVENTORY, sku)));
        }
    }
    Ok(claims)
}

/// Reduces the stock by the line items of an Order, by the inventory mode of the item or the Order: `TrackOnly` needs
/// an entry, whose quantity may become negative; `ReserveOnOrder` needs enough stock, or an entry with a restock time.
///
/// 400 `OutOfStock`, with the ids of the line items and their SKUs.
pub(super) fn reduce_stock(order: &Document, rules: &Rules<'_>, effects: &mut Effects) -> ApiResult<()> {
    let mut wanted: BTreeMap<StockPlace<'_>, (i64, StockRequirement, Vec<&str>)> = BTreeMap::new();
    for item in list(order, &["lineItems"]) {
        let Some(need) = need_of(item, order)? else { continue };
        if let Some(id) = item["reservation"]["id"].as_str()
            && reservation::commit(id, rules, effects)?
        {
            continue;
        }
        let Some(sku) = item["variant"]["sku"].as_str() else { continue };
        let place = (sku, item["supplyChannel"]["id"].as_str());
        let (quantity, strictest, items) = wanted.entry(place).or_insert((0, need, Vec::new()));
        *quantity = quantity.saturating_add(must_integer_field(item, "quantity")?);
        *strictest = need.max(*strictest);
        items.extend(item["id"].as_str());
    }
    let mut skus: Vec<&str> = wanted.keys().map(|(sku, _)| *sku).collect();
    skus.dedup();
    let kind = kinds::INVENTORY_ENTRY;
    let entries = rules.find_by_values(kind, "sku", &skus)?;
    let (mut items_missing, mut skus_missing) = (Vec::new(), Vec::new());
    for ((sku, channel), (quantity, need, items)) in wanted {
        let of_sku = entries.get(sku).map_or(&[][..], Vec::as_slice);
        let is_taken = match reservation::entry_in_channel(of_sku, channel) {
            Some(entry) => take_one(entry, kind, quantity, need, effects)?,
            None => false,
        };
        if !is_taken {
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
        .with_field("lineItems", json!(items_missing))
        .with_field("skus", json!(skus_missing)))
}

/// Reduces the stock of an entry by `quantity`; returns false if it does not suffice for the need.
fn take_one(
    entry: &Document,
    kind: KindId,
    quantity: i64,
    need: StockRequirement,
    effects: &mut Effects,
) -> ApiResult<bool> {
    let mut after = effects.changed_document(kind, must_text(entry, &["id"])?).unwrap_or(entry).clone();
    let left = reservation::number(&after, "availableQuantity").saturating_sub(quantity);
    let suffices = match need {
        StockRequirement::Entry => true,
        StockRequirement::StockOrRestock => left >= 0 || after.contains_key("restockableInDays"),
        StockRequirement::Stock => left >= 0,
    };
    if suffices {
        let on_stock = reservation::number(&after, "quantityOnStock").saturating_sub(quantity);
        after.insert("availableQuantity", json!(left));
        after.insert("quantityOnStock", json!(on_stock));
        // Orders do not increase the version of an entry, so that clients can delete it in the version they created.
        effects.change_within_version(kind, after);
    }
    Ok(suffices)
}
