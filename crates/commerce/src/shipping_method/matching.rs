//! Finds the matching Shipping Methods, and marks their matching rates with `isMatching`.
//!
//! Source: reference, "Get matching ShippingMethods for a Cart", "… for a Location", "… for a Cart and
//! Location".

use super::IS_DEFAULT;
use super::rate::{ShippingRateView, shipping_rate_for};
use super::zone::zone_rate_for;
use crate::cart_predicate::CartPredicate;
use crate::destination::Destination;
use crate::kinds;
use crate::view::read;
use kontor_engine::document::{get, list, list_in, must_text, text};
use kontor_engine::{Document, Rules, ViewOptions};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_pricing::CentAmount;
use kontor_pricing::cart::ShippingRateInput;
use std::sync::Arc;

/// The endpoint `byLocation`. Shipping Methods with a predicate match Carts only.
pub(super) fn by_location(requested: &Document, rules: &Rules<'_>) -> ApiResult<Vec<Document>> {
    let place =
        Destination { country: must_text(requested, &["country"])?, state: text(requested, &["state"]) };
    let currency = text(requested, &["currency"]);
    let fits = |rate: &Value| currency.is_none_or(|currency| rate["price"]["currencyCode"] == currency);
    let mut found = Vec::new();
    for method in active(rules)?.iter().filter(|method| !method.contains_key("predicate")) {
        if let Some(zone) = zone_rate_for(method, place, rules)?
            && rates_of(&list(method, &["zoneRates"])[zone]).iter().any(fits)
        {
            found.push(marked(method, |at, _, rate| at == zone && fits(rate)));
        }
    }
    Ok(found)
}

/// The endpoint `byCart`: Shipping Methods that can ship the Cart to its shipping address.
pub(super) fn by_cart(requested: &Document, rules: &Rules<'_>) -> ApiResult<Vec<Document>> {
    let cart = cart_of(requested, rules)?;
    let to = cart.get("shippingAddress").and_then(Value::as_object).and_then(Destination::from_address);
    let to =
        to.ok_or_else(|| ApiError::invalid_operation("cartId: the Cart has no shipping address yet."))?;
    for_cart(&cart, to, rules)
}

/// The endpoint `byCartLocation`: Shipping Methods that can ship the Cart to a location.
pub(super) fn by_cart_and_location(requested: &Document, rules: &Rules<'_>) -> ApiResult<Vec<Document>> {
    let cart = cart_of(requested, rules)?;
    let to =
        Destination::from_address(requested).ok_or_else(|| ApiError::bug("a place without a country"))?;
    for_cart(&cart, to, rules)
}

/// The endpoint `byOrderEdit`: Shipping Methods that can ship the Order, as the edit would change it, to a location.
///
/// 400 `EditPreviewFailed`: the edit cannot be applied.
pub(super) fn by_order_edit(requested: &Document, rules: &Rules<'_>) -> ApiResult<Vec<Document>> {
    let id = must_text(requested, &["orderEditId"])?;
    let edit = rules.peek(kinds::ORDER_EDIT, id)?;
    let edit = edit.ok_or_else(|| ApiError::resource_not_found(&format!("with ID '{id}'")))?;
    let mut edit = (*edit).clone();
    if let Some(behaviour) = rules.behaviours.get(kinds::ORDER_EDIT) {
        behaviour.splice(&mut edit, &ViewOptions::default(), rules)?;
    }
    let to =
        Destination::from_address(requested).ok_or_else(|| ApiError::bug("a place without a country"))?;
    match (text(&edit, &["result", "type"]), get(&edit, &["result", "preview"])) {
        (_, Some(Value::Object(order))) => for_cart(order, to, rules),
        (Some("PreviewFailure"), _) => {
            let message = "Error while applying staged actions. ShippingMethods could not be determined.";
            Err(ApiError::new(Code::EditPreviewFailed, message)
                .with_field("result", edit.get("result").cloned()))
        }
        _ => {
            let order = must_text(&edit, &["resource", "id"])?;
            let gone = || ApiError::referenced_resource_not_found("order", Some(order), None);
            for_cart(&*rules.peek_type("order", order)?.ok_or_else(gone)?, to, rules)
        }
    }
}

/// Returns the requested Cart, if it is of the Store of the request and exists for the caller.
fn cart_of(requested: &Document, rules: &Rules<'_>) -> ApiResult<Arc<Document>> {
    let id = must_text(requested, &["cartId"])?;
    let store = rules.bounds.store.as_deref();
    let is_in_store =
        |cart: &Arc<Document>| store.is_none_or(|store| text(cart, &["store", "key"]) == Some(store));
    let cart = rules.peek_named("cart", id)?.filter(is_in_store);
    cart.ok_or_else(|| ApiError::resource_not_found(&format!("with ID '{id}'")))
}

fn for_cart(cart: &Document, to: Destination<'_>, rules: &Rules<'_>) -> ApiResult<Vec<Document>> {
    let currency = must_text(cart, &["totalPrice", "currencyCode"])?;
    let mut found = Vec::new();
    for method in active(rules)? {
        if is_for_store_of(&method, cart)
            && let Some((at, rate)) = shipping_rate_for(&method, to, currency, rules)?
            && matches(&method, cart, rules)?
        {
            let tier = read::<ShippingRateView<'_>>(rate)?.rate()?.tier_for(value_of(cart), input_of(cart));
            let mut shown = marked(&method, |zone, position, _| (zone, position) == (at.zone, at.rate));
            let rate = &mut shown["zoneRates"][at.zone]["shippingRates"][at.rate];
            for (position, tier_shown) in rate["tiers"].as_array_mut().into_iter().flatten().enumerate() {
                tier_shown["isMatching"] = json!(tier == Some(position));
            }
            found.push(shown);
        }
    }
    Ok(found)
}

/// Returns the price of its line items and custom line items after discounts.
fn value_of(cart: &Document) -> CentAmount {
    let items = list(cart, &["lineItems"]).iter().chain(list(cart, &["customLineItems"]));
    // Their sum was admitted when the Cart was calculated.
    CentAmount(
        items.filter_map(|item| item["totalPrice"]["centAmount"].as_i64()).fold(0, i64::saturating_add),
    )
}

fn input_of(cart: &Document) -> Option<ShippingRateInput<'_>> {
    let class = text(cart, &["shippingRateInput", "key"]).map(ShippingRateInput::Classification);
    let score = get(cart, &["shippingRateInput", "score"]).and_then(Value::as_i64);
    class.or(score.map(ShippingRateInput::Score))
}

/// Whether Carts of the Store of a Cart may be shipped so.
pub(crate) fn is_for_store_of(method: &Document, cart: &Document) -> bool {
    let stores = list(method, &["stores"]);
    let store = text(cart, &["store", "key"]);
    stores.is_empty() || stores.iter().any(|other| other["key"].as_str() == store)
}

/// Whether the predicate of a Shipping Method matches a calculated Cart; true without a predicate.
pub(crate) fn matches(method: &Document, cart: &Document, rules: &Rules<'_>) -> ApiResult<bool> {
    match text(method, &["predicate"]) {
        Some(predicate) => CartPredicate::read(predicate, rules)?.matches(cart, rules),
        None => Ok(true),
    }
}

/// Returns all active Shipping Methods, the default first, then the oldest.
fn active(rules: &Rules<'_>) -> ApiResult<Vec<Arc<Document>>> {
    let all = rules.peek_all("shipping-method")?;
    let mut active: Vec<_> =
        all.iter().filter(|method| method.get("active") != Some(&json!(false))).collect();
    active.sort_by_key(|method| (method.get(IS_DEFAULT) != Some(&json!(true)), text(method, &["createdAt"])));
    Ok(active.into_iter().map(Arc::clone).collect())
}

/// Returns the Shipping Method with `isMatching` at its rates, as `is_meant` decides by the indexes of zone rate and
/// rate.
fn marked(method: &Document, is_meant: impl Fn(usize, usize, &Value) -> bool) -> Document {
    let mut shown = method.clone();
    let zone_rates = shown.get_mut("zoneRates").and_then(Value::as_array_mut).into_iter().flatten();
    for (zone, zone_rate) in zone_rates.enumerate() {
        let rates = zone_rate["shippingRates"].as_array_mut().into_iter().flatten();
        for (position, rate) in rates.enumerate() {
            rate["isMatching"] = json!(is_meant(zone, position, rate));
        }
    }
    shown
}

fn rates_of(zone_rate: &Value) -> &[Value] {
    list_in(zone_rate, "shippingRates")
}
