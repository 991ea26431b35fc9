//! Selects the rate of the Shipping Method for a Cart, and checks that the Cart can be shipped with it.
//!
//! A `shippingInfo` without a `shippingRate` must still get one; one without a `price` is new.
//!
//! Source: reference types `ShippingInfo`, `ShippingMethodState`, `CartSetShippingMethodAction`.

use super::items::{self, in_model_order};
use super::shipping_holders::{INFO, holders, shipping_infos};
use crate::destination::Destination;
use crate::shipping_method::{matches, shipping_rate_for};
use kontor_engine::document::{must_text, text};
use kontor_engine::{Document, Rules};
use kontor_enums::ShippingMethodState;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};

const SHAPE: &str = "ShippingInfo";

/// Selects the missing rates; returns the indexes of new entries.
///
/// 400 `InvalidOperation`: a new Shipping Method does not ship there in the currency of the Cart. An existing one is
/// removed from the Cart in that case.
pub(super) fn select_shipping_rates(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<Vec<usize>> {
    let currency = items::currency(cart)?.to_owned();
    let mut new = Vec::new();
    for (position, holder) in holders(cart)?.into_iter().enumerate() {
        let address = holder.get("shippingAddress").and_then(Value::as_object).cloned();
        let Some(info) = holder.get_mut(INFO).and_then(Value::as_object_mut) else { continue };
        let is_new = !info.contains_key("price");
        new.extend(is_new.then_some(position));
        if info.contains_key("shippingRate") {
            continue;
        }
        match with_current_rate(info, address.as_ref(), &currency, rules)? {
            Some(chosen) => *info = chosen,
            None if is_new => {
                let id = must_text(info, &["shippingMethod", "id"])?;
                return Err(ApiError::invalid_operation(format!(
                    "The Shipping Method '{id}' has no rate in {currency} for the shipping address."
                )));
            }
            None => drop(holder.shift_remove(INFO)),
        }
    }
    Ok(new)
}

/// Returns the shipping fields with the rate of the current Shipping Method.
fn with_current_rate(
    info: &Document,
    address: Option<&Document>,
    currency: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<Document>> {
    let id = must_text(info, &["shippingMethod", "id"])?;
    let (Some(to), Some(method)) =
        (address.and_then(Destination::from_address), rules.peek_type("shipping-method", id)?)
    else {
        return Ok(None);
    };
    let Some((_, rate)) = shipping_rate_for(&method, to, currency, rules)? else { return Ok(None) };
    let mut chosen = info.clone();
    chosen.insert("shippingMethodName", json!(must_text(&method, &["name"])?));
    chosen.insert("shippingRate", Value::Object(rate.clone()));
    chosen.extend(method.get("taxCategory").map(|category| ("taxCategory".to_owned(), category.clone())));
    Ok(Some(chosen))
}

/// Restores the field order of the model after the calculation.
pub(super) fn restore_field_order(cart: &mut Document, rules: &Rules<'_>) -> ApiResult<()> {
    for holder in holders(cart)? {
        if let Some(info) = holder.get_mut(INFO).and_then(Value::as_object_mut) {
            *info = in_model_order(SHAPE, std::mem::take(info), rules)?;
        }
    }
    Ok(())
}

/// Writes for each Shipping Method whether its predicate matches the calculated Cart.
///
/// 400 `InvalidOperation`: the predicate of a new one does not match.
pub(super) fn match_predicates(cart: &mut Document, new: &[usize], rules: &Rules<'_>) -> ApiResult<()> {
    let mut states = Vec::new();
    for (position, holder) in shipping_infos(cart).into_iter().enumerate() {
        let Some(id) = holder.and_then(|info| text(info, &["shippingMethod", "id"])) else {
            states.push(None);
            continue;
        };
        let method = rules.peek_type("shipping-method", id)?;
        let matches = match &method {
            Some(method) => matches(method, cart, rules)?,
            None => true,
        };
        if !matches && new.contains(&position) {
            return Err(ApiError::invalid_operation(format!(
                "The predicate of the Shipping Method '{id}' does not match the cart."
            )));
        }
        states.push(Some(if matches {
            ShippingMethodState::MatchesCart.as_str()
        } else {
            ShippingMethodState::DoesNotMatchCart.as_str()
        }));
    }
    for (holder, state) in holders(cart)?.into_iter().zip(states) {
        if let (Some(info), Some(state)) = (holder.get_mut(INFO).and_then(Value::as_object_mut), state) {
            info.insert("shippingMethodState", json!(state));
        }
    }
    Ok(())
}
