//! The objects with shipping fields: the Cart, or in Shipping Mode `Multiple` each entry of `shipping`.
//!
//! Each has the fields `shippingInfo`, `shippingAddress`, `shippingRateInput` and `shippingCustomFields`.
//!
//! Source: reference types `Cart`, `Shipping`, `ShippingInfo`.

use kontor_engine::document::{get, has_enum, list, text};
use kontor_engine::{Document, Rules};
use kontor_enums::{ShippingMode, TaxMode};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

pub(super) const INFO: &str = "shippingInfo";
pub(super) const ADDRESS: &str = "shippingAddress";
pub(super) const SHIPPING: &str = "shipping";
const RATE: &str = "taxRate";
const TAXED: &str = "taxedPrice";

/// Whether a Cart is shipped in several ways.
pub(super) fn is_multiple(cart: &Document) -> bool {
    has_enum(cart, &["shippingMode"], ShippingMode::Multiple)
}

/// Whether the platform chooses tax rates.
pub(super) fn is_taxed_by_platform(cart: &Document) -> bool {
    has_enum(cart, &["taxMode"], TaxMode::Platform)
}

/// Returns all objects that may have a `shippingInfo`.
pub(super) fn holders(cart: &mut Document) -> ApiResult<Vec<&mut Document>> {
    if !is_multiple(cart) {
        return Ok(vec![cart]);
    }
    let shipping = cart.entry(SHIPPING).or_insert_with(|| json!([]));
    let shipping = shipping.as_array_mut().ok_or_else(|| ApiError::bug("shipping that is no list"))?;
    Ok(shipping.iter_mut().filter_map(Value::as_object_mut).collect())
}

/// Returns the `shippingInfo` of each holder, in the same order.
pub(super) fn shipping_infos(cart: &Document) -> Vec<Option<&Document>> {
    match is_multiple(cart) {
        false => vec![cart.get(INFO).and_then(Value::as_object)],
        true => list(cart, &[SHIPPING]).iter().map(|holder| holder[INFO].as_object()).collect(),
    }
}

/// After a change of the shipping address, marks the rates for a new selection; without an address, removes
/// the shipping (reference type `ShippingInfo`, `estimatedDelivery`).
pub(super) fn choose_anew(cart: &mut Document) {
    if is_multiple(cart) {
        return;
    }
    if !cart.contains_key(ADDRESS) {
        cart.shift_remove(INFO);
        return;
    }
    let is_platform = is_taxed_by_platform(cart);
    if let Some(info) = cart.get_mut(INFO).and_then(Value::as_object_mut) {
        info.shift_remove("estimatedDelivery");
        if info.contains_key("shippingMethod") {
            info.shift_remove("shippingRate");
        }
        if is_platform {
            info.shift_remove(RATE);
        }
    }
}

/// Marks the rates of all Shipping Methods for a new selection; the rate of a deleted Shipping Method stays.
pub(super) fn choose_rates(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    for holder in holders(cart)? {
        let Some(info) = holder.get_mut(INFO).and_then(Value::as_object_mut) else { continue };
        let is_known = match text(info, &["shippingMethod", "id"]) {
            Some(id) => rules.peek_type("shipping-method", id)?.is_some(),
            None => false,
        };
        if is_known {
            info.shift_remove("shippingRate");
        }
    }
    Ok(())
}

/// Removes all tax values of shipping.
pub(super) fn forget_taxes(cart: &mut Document) -> ApiResult<()> {
    for holder in holders(cart)? {
        if let Some(info) = holder.get_mut(INFO).and_then(Value::as_object_mut) {
            info.shift_remove(RATE);
            info.shift_remove(TAXED);
        }
    }
    Ok(())
}

/// Returns the charged shipping price.
fn charged(info: &Document) -> Option<&Value> {
    get(info, &["discountedPrice", "value"]).or_else(|| info.get("price"))
}

/// Removes external tax amounts of shipping whose price has changed.
pub(super) fn forget_amounts_of_other_prices(before: &Document, after: &mut Document) -> ApiResult<bool> {
    let known: Vec<Option<Document>> = shipping_infos(before).into_iter().map(|info| info.cloned()).collect();
    let mut forgot = false;
    for (position, holder) in holders(after)?.into_iter().enumerate() {
        let Some(info) = holder.get_mut(INFO).and_then(Value::as_object_mut) else { continue };
        let Some(Some(known)) = known.get(position) else { continue };
        let gross = |info: &Document| info.get(TAXED).map(|taxed| taxed["totalGross"].clone());
        if charged(known) != charged(info) && info.contains_key(TAXED) && gross(known) == gross(info) {
            info.shift_remove(RATE);
            info.shift_remove(TAXED);
            forgot = true;
        }
    }
    Ok(forgot)
}
