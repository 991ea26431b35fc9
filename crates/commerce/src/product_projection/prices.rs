//! Price selection: `price` of each variant, for who asks.

use super::variants_mut;
use crate::pricing::{PriceSelection, recurrence_prices, scoped_price, select_price};
use jiff::Timestamp;
use kontor_engine::document::{list, text};
use kontor_engine::{Document, Rules, Sight};
use kontor_errors::{ApiError, ApiResult};
use serde_json::Value;

const CURRENCY: &str = "priceCurrency";
const COUNTRY: &str = "priceCountry";
const GROUP: &str = "priceCustomerGroup";
const GROUPS: &str = "priceCustomerGroupAssignments";
const CHANNEL: &str = "priceChannel";
const POLICY: &str = "priceRecurrencePolicy";

/// The moment that is asked about; without it, now. An argument of GraphQL (`ProductVariant.price`), which no path
/// takes as a parameter.
const DATE: &str = "priceDate";

/// Refuses parameters that do not fit each other: `InvalidInput`.
pub(crate) fn admit_price_parameters(asked: &Sight) -> ApiResult<()> {
    let Some(currency) = asked.parameter(CURRENCY) else {
        let alone = [COUNTRY, GROUP, GROUPS, CHANNEL, POLICY].into_iter();
        return match alone.clone().find(|name| asked.parameter(name).is_some()) {
            Some(name) => Err(ApiError::invalid_input(format!(
                "Malformed parameter: {name}: it can be used only in conjunction with {CURRENCY}."
            ))),
            None => Ok(()),
        };
    };
    if currency.len() != 3 || !currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
        return Err(ApiError::invalid_input(format!(
            "Malformed parameter: {CURRENCY}: '{currency}' was sent, expected three letters of ISO 4217."
        )));
    }
    match asked.parameter(COUNTRY) {
        Some(country) if country.len() != 2 || !country.bytes().all(|letter| letter.is_ascii_uppercase()) => {
            Err(ApiError::invalid_input(format!(
                "Malformed parameter: {COUNTRY}: '{country}' was sent, expected two letters of ISO 3166-1."
            )))
        }
        _ => Ok(()),
    }
}

/// Puts `price` into each variant of a side (or a projection) that has one for who asks, and `recurrencePrices` where
/// there are such. Without a currency nothing is put in.
pub(crate) fn select_prices(
    side: &mut Document,
    is_standalone: bool,
    asked: &Sight,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let Some(selection) = selection(asked, rules)? else { return Ok(()) };
    for variant in variants_mut(side) {
        if is_standalone {
            let prices = standalone(variant, rules)?;
            put(variant, prices.iter().collect(), &selection);
        } else {
            let prices = list(variant, &["prices"]).to_vec();
            put(variant, prices.iter().filter_map(Value::as_object).collect(), &selection);
        }
        if asked.found_by_parameters {
            put_scoped(variant);
        }
    }
    Ok(())
}

/// The Standalone Price for who asks of what has a SKU; `None` without a currency.
pub(crate) fn price_of(variant: &Document, asked: &Sight, rules: &Rules<'_>) -> ApiResult<Option<Value>> {
    let Some(selection) = selection(asked, rules)? else { return Ok(None) };
    let prices = standalone(variant, rules)?;
    Ok(select_price(prices.iter(), &selection).map(|price| Value::Object(price.clone())))
}

/// What price is asked for; `None` without a currency.
fn selection<'a>(asked: &'a Sight, rules: &Rules<'_>) -> ApiResult<Option<PriceSelection<'a>>> {
    let Some(currency) = asked.parameter(CURRENCY) else { return Ok(None) };
    let at = match asked.parameter(DATE).map(|date| (date, date.parse::<Timestamp>())) {
        None => rules.now,
        Some((_, Ok(at))) => at,
        Some((date, Err(_))) => {
            return Err(ApiError::invalid_input(format!(
                "date: '{date}' was sent, expected a date and time of ISO 8601 with a time zone."
            )));
        }
    };
    Ok(Some(PriceSelection {
        currency,
        country: asked.parameter(COUNTRY),
        customer_groups: asked.all(GROUP).chain(asked.all(GROUPS)).collect(),
        channel: asked.parameter(CHANNEL),
        recurrence_policy: asked.parameter(POLICY),
        at,
    }))
}

fn put(variant: &mut Document, prices: Vec<&Document>, selection: &PriceSelection<'_>) {
    if let Some(price) = select_price(prices.iter().copied(), selection) {
        variant.insert("price".into(), Value::Object(price.clone()));
    }
    let of_policies = recurrence_prices(prices.iter().copied(), selection);
    if !of_policies.is_empty() {
        let prices = of_policies.into_iter().map(|price| Value::Object(price.clone()));
        variant.insert("recurrencePrices".into(), prices.collect());
    }
}

/// The chosen price once more, as the older search shows it (reference types `ProductVariant`, `ScopedPrice`).
fn put_scoped(variant: &mut Document) {
    let Some(price) = variant.get("price").and_then(Value::as_object) else { return };
    let is_discounted = price.contains_key("discounted");
    let scoped = Value::Object(scoped_price(price));
    variant.insert("scopedPrice".into(), scoped);
    variant.insert("scopedPriceDiscounted".into(), Value::Bool(is_discounted));
}

/// The active Standalone Prices of a variant's SKU, as a variant shows them.
fn standalone(variant: &Document, rules: &Rules<'_>) -> ApiResult<Vec<Document>> {
    const OWN: [&str; 11] = [
        "id",
        "key",
        "value",
        "country",
        "customerGroup",
        "channel",
        "validFrom",
        "validUntil",
        "discounted",
        "tiers",
        "custom",
    ];
    let Some(sku) = text(variant, &["sku"]) else { return Ok(Vec::new()) };
    let found = rules.all_beside("standalone-price", "sku", sku)?;
    let active = found.iter().filter(|found| found.document.get("active") == Some(&Value::Bool(true)));
    let shown = active.map(|found| {
        let own = OWN.iter().chain(&["recurrencePolicy"]);
        own.filter_map(|name| Some(((*name).to_owned(), found.document.get(*name)?.clone()))).collect()
    });
    Ok(shown.collect())
}
