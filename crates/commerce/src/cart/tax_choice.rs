//! Tax rates in Tax Mode `Platform`: selected by the shipping address, for items without one.
//!
//! Source: reference types `TaxMode`, `LineItem` (`taxRate`, `perMethodTaxRate`), `ShippingInfo`,
//! `CartSetShippingAddressAction`.

use super::items::{CUSTOM, CartItemKind, LINES};
use super::shipping_holders;
use crate::destination::Destination;
use crate::tax_selection::tax_rate_for;
use kontor_engine::document::{list, must_text, text};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const RATE: &str = "taxRate";
const RATES: &str = "perMethodTaxRate";
const METHOD_KEY: &str = "shippingMethodKey";

/// The shipping addresses of a Cart, each with the key of its shipping method in Shipping Mode `Multiple`.
type ShippingAddresses = Vec<(Option<String>, Document)>;

/// Selects missing rates where the shipping address is known. An item without a Tax Category gets none.
///
/// 400 `MissingTaxRateForCountry`: a Tax Category has no rate there.
pub(super) fn select_tax_rates(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    if !shipping_holders::is_taxed_by_platform(cart) {
        return Ok(());
    }
    let places = shipping_addresses(cart);
    if places.is_empty() {
        return Ok(());
    }
    for holder in shipping_holders::holders(cart)? {
        choose_for_shipping(holder, rules)?;
    }
    for of in [&LINES, &CUSTOM] {
        for item in of.each_mut(cart)? {
            choose_for_item(item, of, &places, rules)?;
        }
    }
    Ok(())
}

fn shipping_addresses(cart: &Document) -> ShippingAddresses {
    let address = |holder: &Document| holder.get("shippingAddress").and_then(Value::as_object).cloned();
    if !shipping_holders::is_multiple(cart) {
        return address(cart).map(|address| (None, address)).into_iter().collect();
    }
    let holders = list(cart, &["shipping"]).iter().filter_map(Value::as_object);
    let key = |holder: &Document| text(holder, &["shippingKey"]).map(str::to_owned);
    holders.filter_map(|holder| Some((key(holder), address(holder)?))).collect()
}

fn choose_for_shipping(holder: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    let Some(address) = holder.get("shippingAddress").and_then(Value::as_object).cloned() else {
        return Ok(());
    };
    let Some(info) = holder.get_mut("shippingInfo").and_then(Value::as_object_mut) else { return Ok(()) };
    if info.contains_key(RATE) {
        return Ok(());
    }
    if let Some(id) = text(info, &["taxCategory", "id"])
        && let Some(rate) = rate_at(id, &address, rules)?
    {
        info.insert(RATE, rate);
    }
    Ok(())
}

fn choose_for_item(
    item: &mut Document,
    of: &CartItemKind,
    places: &ShippingAddresses,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let is_single = matches!(places.as_slice(), [(None, _)]);
    if is_single && item.contains_key(RATE) {
        return Ok(());
    }
    let missing: Vec<&str> = if is_single { Vec::new() } else { missing_methods(item) };
    if !is_single && missing.is_empty() {
        return Ok(());
    }
    let Some(category) = category_of(item, of, rules)? else { return Ok(()) };
    let mut rates = list(item, &[RATES]).to_vec();
    for (key, address) in places {
        let is_meant = key.as_deref().is_none_or(|key| missing.contains(&key));
        let rate = if is_meant { rate_at(&category, address, rules)? } else { None };
        match (key, rate) {
            (_, None) => {}
            (None, Some(rate)) => {
                item.insert(RATE, rate);
                return Ok(());
            }
            (Some(key), Some(rate)) => rates.push(json!({METHOD_KEY: key, RATE: rate})),
        }
    }
    item.insert(RATES, Value::Array(rates));
    Ok(())
}

/// Returns the shipping methods of an item for which it has no rate.
fn missing_methods(item: &Document) -> Vec<&str> {
    let known = list(item, &[RATES]);
    let targets = list(item, &["shippingDetails", "targets"]).iter();
    let keys = targets.filter_map(|target| target[METHOD_KEY].as_str());
    keys.filter(|key| known.iter().all(|rate| rate[METHOD_KEY] != *key)).collect()
}

/// Whether the platform can tax all items and their shipping: it knows the rates of Tax Categories alone.
///
/// 400 `InvalidOperation`: a Product has none (official clients expect a refusal), a Custom Line Item, or a shipping
/// method of the Cart's own (reference type `CartChangeTaxModeAction`).
pub(super) fn admit_categories(cart: &Document, place: &str, rules: &Rules<'_>) -> ApiResult<()> {
    for item in list(cart, &[LINES.field]).iter().filter_map(Value::as_object) {
        if category_of(item, &LINES, rules)?.is_none() {
            let id = must_text(item, &["productId"])?;
            let what = format!("{place}: the Product with ID '{id}' has no Tax Category.");
            return Err(ApiError::invalid_operation(what));
        }
    }
    for item in list(cart, &[CUSTOM.field]).iter().filter_map(Value::as_object) {
        if category_of(item, &CUSTOM, rules)?.is_none() {
            let id = must_text(item, &["id"])?;
            let what = format!("{place}: the Custom Line Item with ID '{id}' has no Tax Category.");
            return Err(ApiError::invalid_operation(what));
        }
    }
    let mut infos = shipping_holders::shipping_infos(cart).into_iter().flatten();
    let is_own = |info: &&Document| !info.contains_key("shippingMethod");
    match infos.find(|info| is_own(info) && !info.contains_key("taxCategory")) {
        Some(info) => Err(ApiError::invalid_operation(format!(
            "{place}: the shipping method '{}' has no Tax Category.",
            text(info, &["shippingMethodName"]).unwrap_or_default()
        ))),
        None => Ok(()),
    }
}

/// The Tax Category of a Custom Line Item, or of the Product of a Line Item.
fn category_of(item: &Document, of: &CartItemKind, rules: &Rules<'_>) -> ApiResult<Option<String>> {
    let owned = |holder: &Document| text(holder, &["taxCategory", "id"]).map(str::to_owned);
    if of.field == CUSTOM.field {
        return Ok(owned(item));
    }
    let product = rules.peek_type("product", must_text(item, &["productId"])?)?;
    Ok(product.and_then(|product| owned(&product)))
}

fn rate_at(category: &str, address: &Document, rules: &Rules<'_>) -> ApiResult<Option<Value>> {
    let (Some(to), Some(category)) =
        (Destination::from_address(address), rules.peek_type("tax-category", category)?)
    else {
        return Ok(None);
    };
    tax_rate_for(&category, to, rules).map(|rate| Some(rate.clone()))
}
