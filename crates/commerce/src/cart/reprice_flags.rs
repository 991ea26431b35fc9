//! Marks values of a Cart that must be selected when it is settled:
//!
//! - **`price` is `null`**: select a price;
//! - `price` is `false`: the same, but remove the line item if no price matches;
//! - no `taxRate`, in Tax Mode `Platform`: select a tax rate.

use super::items::{self, CUSTOM, LINES};
use super::shipping_holders;
use kontor_engine::Document;
use kontor_engine::document::has_enum;
use kontor_enums::{CartState, FreezeStrategy, LineItemPriceMode};
use kontor_errors::ApiResult;
use kontor_json::{Value, json};

/// How the price of a line item was set: by the platform or externally.
pub(super) const PRICE_MODE: &str = "priceMode";

/// Returns whether the Cart is frozen (`cartState`), softly or hard: its prices stay as they are.
pub(super) fn is_frozen(cart: &Document) -> bool {
    has_enum(cart, &["cartState"], CartState::Frozen)
}

/// Returns whether the `freezeStrategy` of the Cart is `HardFreeze`: discounts and shipping stay as they are, too.
pub(super) fn is_hard_frozen(cart: &Document) -> bool {
    has_enum(cart, &["freezeStrategy"], FreezeStrategy::HardFreeze)
}

/// Marks the price of a line item, so that it is selected when the Cart is settled.
pub(super) fn choose_price(line: &mut Document) {
    line.insert(PRICE_MODE, json!(LineItemPriceMode::Platform));
    line.insert("price", Value::Null);
}

/// Marks the price of a line item for a new selection, unless it is external or that of a gift.
pub(super) fn choose_price_of_platform(line: &mut Document) {
    if is_priced_by_platform(line) {
        choose_price(line);
    }
}

/// Whether the price of a line item is neither external nor that of a gift.
pub(super) fn is_priced_by_platform(line: &Document) -> bool {
    has_enum(line, &[PRICE_MODE], LineItemPriceMode::Platform) && !items::is_gift(line)
}

/// Marks all prices for a new selection that are not external, unless the Cart is frozen.
pub(super) fn choose_prices(cart: &mut Document) -> ApiResult<()> {
    if !is_frozen(cart) {
        LINES.each_mut(cart)?.for_each(choose_price_of_platform);
    }
    Ok(())
}

/// Like [`choose_prices`]; line items for which no Price fits will be removed.
pub(super) fn choose_prices_or_remove(cart: &mut Document) -> ApiResult<()> {
    if !is_frozen(cart) {
        for line in LINES.each_mut(cart)?.filter(|line| is_priced_by_platform(line)) {
            line.insert("price", json!(false));
        }
    }
    Ok(())
}

/// Whether a line item is marked by [`choose_prices_or_remove`].
pub(super) fn is_removed_without_price(line: &Document) -> bool {
    line.get("price") == Some(&Value::Bool(false))
}

/// Marks all tax rates for a new selection that are not external.
pub(super) fn choose_tax_rates(cart: &mut Document) -> ApiResult<()> {
    if !shipping_holders::is_taxed_by_platform(cart) {
        return Ok(());
    }
    for of in [&LINES, &CUSTOM] {
        for item in of.each_mut(cart)? {
            item.shift_remove("taxRate");
            item.insert("perMethodTaxRate", json!([]));
        }
    }
    shipping_holders::forget_taxes(cart)
}
