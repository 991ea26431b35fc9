//! Price selection: `price` of each variant, for who asks.

use super::view::{StoredPrice, prices_in};
use kontor_engine::document::{get, list, text};
use kontor_engine::{Document, FoundDocument, Rules, ViewOptions};
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_model::parse_date_time;
use kontor_pricing::{Currency, PriceSelection, recurrence_prices, select_price};

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
pub(crate) fn admit_price_parameters(asked: &ViewOptions) -> ApiResult<()> {
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

/// True for a Product, or a Product Projection, whose prices are not embedded.
pub(crate) fn has_standalone_prices(product: &Document) -> bool {
    text(product, &["priceMode"]) == Some("Standalone")
}

/// Puts `price` into each variant that has one for who asks, and `recurrencePrices` where there are such. Without a
/// currency nothing is put in.
pub(crate) fn select_prices<'v>(
    variants: impl IntoIterator<Item = &'v mut Document>,
    is_standalone: bool,
    asked: &ViewOptions,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let Some(selection) = selection(asked, rules)? else { return Ok(()) };
    for variant in variants {
        let chosen = if is_standalone {
            ShownPrices::of(&active(&standalone(variant, rules)?)?, &selection, as_embedded)
        } else {
            ShownPrices::of(&prices_in(list(variant, &["prices"]))?, &selection, Document::clone)
        };
        chosen.put(variant);
        // Which Standalone Prices there are, the older search does not know.
        if asked.found_by_parameters && !is_standalone {
            put_scoped(variant);
        }
    }
    Ok(())
}

/// The Standalone Price for who asks of what has a SKU; `None` without a currency.
pub(crate) fn standalone_price_for(
    variant: &Document,
    asked: &ViewOptions,
    rules: &Rules<'_>,
) -> ApiResult<Option<Value>> {
    let Some(selection) = selection(asked, rules)? else { return Ok(None) };
    let found = standalone(variant, rules)?;
    let prices = active(&found)?;
    Ok(select_price(&prices, &selection).map(|price| Value::Object(as_embedded(price.document))))
}

/// The price of a variant for who buys: one of its own, or a Standalone Price of its SKU.
pub(crate) fn selected_price(
    variant: &Document,
    is_standalone: bool,
    selection: &PriceSelection<'_>,
    rules: &Rules<'_>,
) -> ApiResult<Option<Document>> {
    if is_standalone {
        let found = standalone(variant, rules)?;
        let prices = active(&found)?;
        return Ok(select_price(&prices, selection).map(|price| as_embedded(price.document)));
    }
    let prices = prices_in(list(variant, &["prices"]))?;
    Ok(select_price(&prices, selection).map(|price| price.document.clone()))
}

/// What price is asked for; `None` without a currency.
fn selection<'a>(asked: &'a ViewOptions, rules: &Rules<'_>) -> ApiResult<Option<PriceSelection<'a>>> {
    let Some(code) = asked.parameter(CURRENCY) else { return Ok(None) };
    // Nothing costs anything in a currency that there is not.
    let Some(currency) = Currency::from_code(code) else { return Ok(None) };
    let at = match asked.parameter(DATE).map(|date| (date, parse_date_time(date))) {
        None => rules.now,
        Some((_, Some(at))) => at,
        Some((date, None)) => {
            return Err(ApiError::invalid_input(format!(
                "date: '{date}' was sent, expected a date and time of ISO 8601."
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

/// What is put into a variant.
struct ShownPrices {
    price: Option<Document>,
    of_policies: Vec<Document>,
}

impl ShownPrices {
    /// Chooses among prices; `shown` makes of a stored one what a variant shows.
    fn of(
        prices: &[StoredPrice<'_>],
        selection: &PriceSelection<'_>,
        shown: fn(&Document) -> Document,
    ) -> Self {
        let of_policies = recurrence_prices(prices, selection);
        Self {
            price: select_price(prices, selection).map(|price| shown(price.document)),
            of_policies: of_policies.into_iter().map(|price| shown(price.document)).collect(),
        }
    }

    fn put(self, variant: &mut Document) {
        if let Some(price) = self.price {
            variant.insert("price", Value::Object(price));
        }
        if !self.of_policies.is_empty() {
            let prices = self.of_policies.into_iter().map(Value::Object);
            variant.insert("recurrencePrices", prices.collect());
        }
    }
}

/// The chosen price once more, as the older search shows it (reference types `ProductVariant`, `ScopedPrice`).
fn put_scoped(variant: &mut Document) {
    let Some(price) = variant.get("price").and_then(Value::as_object) else { return };
    let is_discounted = price.contains_key("discounted");
    let scoped = Value::Object(scoped_price(price));
    variant.insert("scopedPrice", scoped);
    variant.insert("scopedPriceDiscounted", Value::Bool(is_discounted));
}

/// A chosen price as `scopedPrice` shows it: with what is to be paid.
fn scoped_price(price: &Document) -> Document {
    const LEFT_OUT: [&str; 3] = ["key", "tiers", "recurrencePolicy"];
    let mut scoped = Document::new();
    for (name, value) in shown_fields(price).filter(|(name, _)| !LEFT_OUT.contains(name)) {
        scoped.insert(name, value.clone());
        if name == "value" {
            let current = get(price, &["discounted", "value"]).unwrap_or(value);
            scoped.insert("currentValue", current.clone());
        }
    }
    scoped
}

/// The Standalone Prices of a variant's SKU.
fn standalone(variant: &Document, rules: &Rules<'_>) -> ApiResult<Vec<FoundDocument>> {
    match text(variant, &["sku"]) {
        Some(sku) => rules.peek_each_with("standalone-price", "sku", sku),
        None => Ok(Vec::new()),
    }
}

/// Those that may be chosen.
fn active(found: &[FoundDocument]) -> ApiResult<Vec<StoredPrice<'_>>> {
    let active = found.iter().filter(|found| found.document.get("active") == Some(&Value::Bool(true)));
    active.map(|found| StoredPrice::of(&found.document)).collect()
}

/// A Standalone Price as a variant shows it: with the fields of an embedded one.
fn as_embedded(price: &Document) -> Document {
    shown_fields(price).map(|(name, value)| (name, value.clone())).collect()
}

/// The fields of a price that all ways to show it share, in this sequence (reference type `Price`).
fn shown_fields(price: &Document) -> impl Iterator<Item = (&'static str, &Value)> {
    const SHOWN: [&str; 12] = [
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
        "recurrencePolicy",
    ];
    SHOWN.into_iter().filter_map(|name| Some((name, price.get(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial_shop::object;
    use kontor_json::json;

    #[test]
    fn a_scoped_price_shows_what_is_to_be_paid() {
        let money = |cents: i64| json!({"type": "centPrecision", "currencyCode": "EUR", "centAmount": cents, "fractionDigits": 2});
        let mut chosen = object(json!({
            "id": "p0", "value": money(100), "country": "DE", "tiers": [],
            "customerGroup": {"typeId": "customer-group", "id": "vip"},
        }));
        let scoped = scoped_price(&chosen);
        assert_eq!(scoped["currentValue"], scoped["value"]);
        assert_eq!(scoped["country"], "DE");
        assert!(!scoped.contains_key("tiers"));
        let discount = json!({"typeId": "product-discount", "id": "d"});
        chosen.insert("discounted", json!({"value": money(90), "discount": discount}));
        assert_eq!(scoped_price(&chosen)["currentValue"]["centAmount"], 90);
    }
}
