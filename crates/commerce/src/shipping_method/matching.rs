//! Which Shipping Methods can be chosen, and at which rate: those rates have `isMatching`.
//!
//! Source: reference, "Get matching ShippingMethods for a Location".

use super::IS_DEFAULT;
use super::zone::zone_rate_for;
use crate::destination::Destination;
use kontor_engine::document::{list, text};
use kontor_engine::{Document, Rules};
use kontor_errors::ApiResult;
use serde_json::{Value, json};
use std::sync::Arc;

/// The endpoint `byLocation`. Those with a predicate are for Carts alone.
pub(super) fn by_location(asked: &Document, rules: &Rules<'_>) -> ApiResult<Vec<Document>> {
    let place = Destination {
        country: text(asked, &["country"]).unwrap_or_default(),
        state: text(asked, &["state"]),
    };
    let currency = text(asked, &["currency"]);
    let fits = |rate: &Value| currency.is_none_or(|currency| rate["price"]["currencyCode"] == currency);
    let mut found = Vec::new();
    for method in active(rules)?.iter().filter(|method| !method.contains_key("predicate")) {
        if let Some(zone) = zone_rate_for(method, place, rules)?
            && rates_of(&list(method, &["zoneRates"])[zone]).iter().any(fits)
        {
            found.push(marked(method, zone, fits));
        }
    }
    Ok(found)
}

/// All that can be chosen now, the default first, then the oldest.
fn active(rules: &Rules<'_>) -> ApiResult<Vec<Arc<Document>>> {
    let all = rules.peek_all("shipping-method")?;
    let mut active: Vec<_> =
        all.iter().filter(|method| method.get("active") != Some(&json!(false))).collect();
    active.sort_by_key(|method| (method.get(IS_DEFAULT) != Some(&json!(true)), text(method, &["createdAt"])));
    Ok(active.into_iter().map(Arc::clone).collect())
}

/// The document as it is shown: which rates are meant, those of one zone rate that fit.
fn marked(method: &Document, zone: usize, fits: impl Fn(&Value) -> bool) -> Document {
    let mut shown = method.clone();
    let zone_rates = shown.get_mut("zoneRates").and_then(Value::as_array_mut).into_iter().flatten();
    for (position, zone_rate) in zone_rates.enumerate() {
        for rate in zone_rate["shippingRates"].as_array_mut().into_iter().flatten() {
            rate["isMatching"] = json!(position == zone && fits(rate));
        }
    }
    shown
}

fn rates_of(zone_rate: &Value) -> &[Value] {
    zone_rate["shippingRates"].as_array().map(Vec::as_slice).unwrap_or_default()
}
