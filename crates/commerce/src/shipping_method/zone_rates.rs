//! The Zones of a Shipping Method and their rates.
//!
//! Source: reference types `ZoneRate`, `ZoneRateDraft`, `ShippingRate`, `ShippingRatePriceTier`,
//! `ShippingMethodAddZoneAction` and its companions.

use super::rate_check::admit_rate;
use kontor_engine::conversion::convert_object;
use kontor_engine::document::{list, must_get};
use kontor_engine::{ActionContext, Document, Rules};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use std::collections::HashSet;

const ZONE_RATES: &str = "zoneRates";
const SHIPPING_RATES: &str = "shippingRates";

/// `addZone`: without any rate yet.
pub(super) fn add_zone(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let zone = zone_of(arguments)?;
    zone_rates(context.document)?.push(json!({"zone": zone, "shippingRates": []}));
    Ok(())
}

/// `removeZone`: removes the Zone and its rates. A missing Zone is no change.
pub(super) fn remove_zone(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let zone = zone_of(arguments)?;
    zone_rates(context.document)?.retain(|zone_rate| zone_rate["zone"] != zone);
    Ok(())
}

/// `addShippingRate`: adds a rate to an existing Zone.
pub(super) fn add_rate(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let rate = rate_of(context, arguments)?;
    rates_in(context, arguments)?.push(rate);
    Ok(())
}

/// `removeShippingRate`: removes the rate that equals the sent one. A missing rate is no change.
pub(super) fn remove_rate(context: &mut ActionContext<'_, '_>, arguments: &Document) -> ApiResult<()> {
    let rate = rate_of(context, arguments)?;
    rates_in(context, arguments)?.retain(|other| *other != rate);
    Ok(())
}

/// Checks that each Zone occurs once, and each currency once in a Zone. Existing rates are not checked again, even if
/// the Project's shipping rate input has changed.
pub(super) fn check_zone_rates(
    before: Option<&Document>,
    after: &Document,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let known: Vec<&Value> = before.map(rates).unwrap_or_default();
    let mut zones = HashSet::new();
    for (index, zone_rate) in list(after, &[ZONE_RATES]).iter().enumerate() {
        if !zones.insert(&zone_rate["zone"]["id"]) {
            return Err(ApiError::duplicate_field("zoneRates.zone", zone_rate["zone"].clone()));
        }
        let mut currencies = HashSet::new();
        for (position, rate) in zone_rate[SHIPPING_RATES].as_array().into_iter().flatten().enumerate() {
            let currency = &rate["price"]["currencyCode"];
            if !currencies.insert(currency) {
                let field = "zoneRates.shippingRates.price.currencyCode";
                return Err(ApiError::duplicate_field(field, currency.clone()));
            }
            if !known.contains(&rate) {
                let place = format!("{ZONE_RATES}[{index}].{SHIPPING_RATES}[{position}]");
                admit_rate(rate, &place, rules)?;
            }
        }
    }
    Ok(())
}

fn rates(method: &Document) -> Vec<&Value> {
    let zone_rates = list(method, &[ZONE_RATES]).iter();
    zone_rates.filter_map(|zone_rate| zone_rate[SHIPPING_RATES].as_array()).flatten().collect()
}

fn zone_of(arguments: &Document) -> ApiResult<Value> {
    must_get(arguments, &["zone"]).cloned()
}

/// Returns the stored form of the action's rate.
fn rate_of(context: &ActionContext<'_, '_>, arguments: &Document) -> ApiResult<Value> {
    let model = context.rules.model;
    let shapes = model.object_by_name("ShippingRateDraft").zip(model.object_by_name("ShippingRate"));
    match (arguments.get("shippingRate"), shapes) {
        (Some(Value::Object(sent)), Some((draft, stored))) => {
            let place = format!("{}.shippingRate", context.place);
            convert_object(draft, stored, sent.clone(), &place, context.rules).map(Value::Object)
        }
        _ => Err(ApiError::bug("an action without a shipping rate, or a model without its shapes")),
    }
}

/// The rates for the Zone of an action.
fn rates_in<'d>(
    context: &'d mut ActionContext<'_, '_>,
    arguments: &Document,
) -> ApiResult<&'d mut Vec<Value>> {
    let (zone, place) = (zone_of(arguments)?, context.place);
    let mut zone_rates = zone_rates(context.document)?.iter_mut();
    let meant = zone_rates.find(|zone_rate| zone_rate["zone"] == zone);
    meant.and_then(|zone_rate| zone_rate[SHIPPING_RATES].as_array_mut()).ok_or_else(|| {
        ApiError::invalid_operation(format!(
            "{place}: the Shipping Method does not have the Zone {}; addZone adds it.",
            zone["id"]
        ))
    })
}

fn zone_rates(method: &mut Document) -> ApiResult<&mut Vec<Value>> {
    let found = method.get_mut(ZONE_RATES).and_then(Value::as_array_mut);
    found.ok_or_else(|| ApiError::bug("a Shipping Method without zoneRates"))
}
