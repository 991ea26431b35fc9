//! Price selection: sets `price` of each variant in a response, from the price parameters of the request. Start at
//! [`select_prices`].

use super::view::{StoredPrice, prices_in};
use kontor_engine::document::{get, has_enum, list, text};
use kontor_engine::{Document, FoundDocument, Rules, ViewOptions};
use kontor_enums::ProductPriceModeEnum;
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

/// The time for which a price is selected; by default now. It is an argument of GraphQL only (`ProductVariant.price`):
/// no REST path has this parameter.
const DATE: &str = "priceDate";

/// Refuses parameters that do not fit each other: `InvalidInput`.
pub(crate) fn admit_price_parameters(view_options: &ViewOptions) -> ApiResult<()> {
    let Some(currency) = view_options.parameter(CURRENCY) else {
        let alone = [COUNTRY, GROUP, GROUPS, CHANNEL, POLICY].into_iter();
        return match alone.clone().find(|name| view_options.parameter(name).is_some()) {
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
    match view_options.parameter(COUNTRY) {
        Some(country) if country.len() != 2 || !country.bytes().all(|letter| letter.is_ascii_uppercase()) => {
            Err(ApiError::invalid_input(format!(
                "Malformed parameter: {COUNTRY}: '{country}' was sent, expected two letters of ISO 3166-1."
            )))
        }
        _ => Ok(()),
    }
}

/// Whether a Product or a Product Projection uses Standalone Prices instead of embedded ones.
pub(crate) fn has_standalone_prices(product: &Document) -> bool {
    has_enum(product, &["priceMode"], ProductPriceModeEnum::Standalone)
}

/// Sets `price` of each variant that has a price for the caller, and `recurrencePrices` if there are any. Without a
/// currency in the request nothing is set.
pub(crate) fn select_prices<'v>(
    variants: impl IntoIterator<Item = &'v mut Document>,
    is_standalone: bool,
    view_options: &ViewOptions,
    rules: &Rules<'_>,
) -> ApiResult<()> {
    let Some(selection) = selection(view_options, rules)? else { return Ok(()) };
    for variant in variants {
        let chosen = if is_standalone {
            SelectedPrices::select(&active(&standalone(variant, rules)?)?, &selection, as_embedded)
        } else {
            SelectedPrices::select(&prices_in(list(variant, &["prices"]))?, &selection, Document::clone)
        };
        chosen.write_to(variant);
        // The older search does not consider Standalone Prices.
        if view_options.found_by_parameters && !is_standalone {
            put_scoped(variant);
        }
    }
    Ok(())
}

/// Returns the Standalone Price of a variant's SKU for the caller; `None` without a currency in the request.
pub(crate) fn standalone_price_for(
    variant: &Document,
    view_options: &ViewOptions,
    rules: &Rules<'_>,
) -> ApiResult<Option<Value>> {
    let Some(selection) = selection(view_options, rules)? else { return Ok(None) };
    let found = standalone(variant, rules)?;
    let prices = active(&found)?;
    Ok(select_price(&prices, &selection).map(|price| Value::Object(as_embedded(price.document))))
}

/// Returns the price of a variant for the buyer: an embedded one, or a Standalone Price of its SKU.
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

/// Reads the price selection from the parameters of the request; `None` without a currency.
fn selection<'a>(view_options: &'a ViewOptions, rules: &Rules<'_>) -> ApiResult<Option<PriceSelection<'a>>> {
    let Some(code) = view_options.parameter(CURRENCY) else { return Ok(None) };
    // In an unknown currency there are no prices.
    let Some(currency) = Currency::from_code(code) else { return Ok(None) };
    let at = match view_options.parameter(DATE).map(|date| (date, parse_date_time(date))) {
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
        country: view_options.parameter(COUNTRY),
        customer_groups: view_options.parameters(GROUP).chain(view_options.parameters(GROUPS)).collect(),
        channel: view_options.parameter(CHANNEL),
        recurrence_policy: view_options.parameter(POLICY),
        at,
    }))
}

/// The prices that are added to a variant of a response.
struct SelectedPrices {
    price: Option<Document>,
    of_policies: Vec<Document>,
}

impl SelectedPrices {
    /// Selects among prices; `shown` converts a stored price into its form within a variant.
    fn select(
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

    fn write_to(self, variant: &mut Document) {
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

/// Converts a selected price into a `scopedPrice`, with the amount to pay (`currentValue`).
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
        Some(sku) => rules.peek_by_value("standalone-price", "sku", sku),
        None => Ok(Vec::new()),
    }
}

/// Returns the active prices, which may be selected.
fn active(found: &[FoundDocument]) -> ApiResult<Vec<StoredPrice<'_>>> {
    let active = found.iter().filter(|found| found.document.get("active") == Some(&Value::Bool(true)));
    active.map(|found| StoredPrice::from_document(&found.document)).collect()
}

/// A Standalone Price as a variant shows it: with the fields of an embedded one.
fn as_embedded(price: &Document) -> Document {
    shown_fields(price).map(|(name, value)| (name, value.clone())).collect()
}

/// Returns the fields of a price that all its forms in responses share, in this order (reference type `Price`).
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
    use crate::test_shop::object;
    use kontor_json::json;

    #[test]
    fn a_scoped_price_has_the_amount_to_pay() {
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
