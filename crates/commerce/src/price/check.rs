//! Validates prices: each on its own, and together in the list of one product variant. Start at [`check_prices`].
//!
//! Source: reference types `PriceDraft`, `PriceTierDraft`, `DuplicatePriceScopeError`, `DuplicatePriceKeyError`,
//! `OverlappingPriceValidityError`.

use super::view::StoredPrice;
use kontor_engine::Document;
use kontor_engine::document::{must_get, reference, text};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};
use kontor_model::Location;
use kontor_pricing::{Currency, Price, PriceScope, ScopeConflict, find_conflict};
use std::collections::{HashMap, HashSet};

/// Checks the stored prices of one product variant. `place` is the position of the list, for messages.
///
/// `DuplicatePriceKey`: two prices have one key. `DuplicatePriceScope`: two prices apply to the same customers at the
/// same time. `OverlappingPriceValidity`: two prices of one scope have overlapping periods. Otherwise as
/// [`check_price`].
pub(crate) fn check_prices(prices: &[Value], location: &Location<'_>) -> ApiResult<()> {
    let mut keys: HashMap<&str, &Document> = HashMap::new();
    // A variant has few prices: comparing all pairs is faster than grouping them.
    let mut before: Vec<StoredPrice<'_>> = Vec::with_capacity(prices.len());
    for (index, price) in prices.iter().enumerate() {
        let Value::Object(document) = price else { continue };
        let StoredPrice { price, .. } = StoredPrice::from_document(document)?;
        check_price(document, &price, &Location::Element(location, index))?;
        if let Some(key) = text(document, &["key"])
            && let Some(other) = keys.insert(key, document)
        {
            return Err(duplicate_key(key, other));
        }
        for other in before.iter().filter(|other| other.price.scope == price.scope) {
            match find_conflict(&price.validity, &other.price.validity) {
                Some(ScopeConflict::SameScope) => return Err(duplicate_scope(&price.scope, other.document)),
                Some(ScopeConflict::Overlap) => return Err(overlap(&price.scope, document, other.document)),
                None => {}
            }
        }
        before.push(StoredPrice { price, document });
    }
    Ok(())
}

/// Checks one stored price, embedded or standalone, on its own. `place` is its position; it may be empty.
///
/// `InvalidField`: the end is not after the beginning; two tiers have one quantity; a tier or a discounted value is in
/// another currency.
pub(crate) fn check_price(document: &Document, price: &Price<'_>, location: &Location<'_>) -> ApiResult<()> {
    if !price.validity.is_forward() {
        let until = must_get(document, &["validUntil"])?;
        let expected = "validFrom must be at least 1 ms earlier than validUntil.";
        return Err(ApiError::invalid_field(
            &Location::Member(location, "validUntil").to_string(),
            until,
            expected,
            None,
        ));
    }
    let currency = price.value.currency();
    let mut quantities = HashSet::new();
    let tiers = Location::Member(location, "tiers");
    for (index, tier) in price.tiers.iter().enumerate() {
        let tier_at = Location::Element(&tiers, index);
        if !quantities.insert(tier.minimum_quantity) {
            let expected = "There is another tier with this minimumQuantity.";
            let field = Location::Member(&tier_at, "minimumQuantity").to_string();
            return Err(ApiError::invalid_field(&field, &json!(tier.minimum_quantity), expected, None));
        }
        same_currency(currency, tier.value.currency(), &tier_at)?;
    }
    match &price.discounted {
        Some(discounted) => {
            same_currency(currency, discounted.value.currency(), &Location::Member(location, "discounted"))
        }
        None => Ok(()),
    }
}

/// Refuses an object at `place` whose `value` is in another currency than its price.
pub(crate) fn same_currency(currency: Currency, other: Currency, location: &Location<'_>) -> ApiResult<()> {
    if other == currency {
        return Ok(());
    }
    let expected = format!("The price is in {}.", currency.code());
    let field = Location::Member(&Location::Member(location, "value"), "currencyCode").to_string();
    Err(ApiError::invalid_field(&field, &json!(other.code()), &expected, None))
}

fn duplicate_key(key: &str, other: &Document) -> ApiError {
    let message = format!("Duplicate price key: {key}. The price key must be unique per variant.");
    ApiError::new(Code::DuplicatePriceKey, message)
        .with_field("conflictingPrice", Value::Object(other.clone()))
}

fn duplicate_scope(scope: &PriceScope<'_>, other: &Document) -> ApiError {
    let message = format!(
        "Duplicate price scope: {scope}. The combination of currency, country, customerGroup and channel must be \
         unique for each price of a product variant."
    );
    ApiError::new(Code::DuplicatePriceScope, message)
        .with_field("conflictingPrice", Value::Object(other.clone()))
}

fn overlap(scope: &PriceScope<'_>, price: &Document, other: &Document) -> ApiError {
    let error =
        ApiError::new(Code::OverlappingPriceValidity, "Two prices have overlapping validity periods.")
            .with_field("conflictingPrice", other.get("id").cloned());
    with_periods(error, scope, price, other)
}

/// Adds the scope, and the periods of the sent price and of the conflicting one, to an error.
pub(crate) fn with_periods(
    error: ApiError,
    scope: &PriceScope<'_>,
    price: &Document,
    other: &Document,
) -> ApiError {
    with_scope(error, scope)
        .with_field("validFrom", price.get("validFrom").cloned())
        .with_field("validUntil", price.get("validUntil").cloned())
        .with_field("conflictingValidFrom", other.get("validFrom").cloned())
        .with_field("conflictingValidUntil", other.get("validUntil").cloned())
}

/// Adds the fields that errors about scopes have.
pub(crate) fn with_scope(error: ApiError, scope: &PriceScope<'_>) -> ApiError {
    error
        .with_field("currency", json!(scope.currency.code()))
        .with_field("country", scope.country.map(|country| json!(country)))
        .with_field("customerGroup", scope.customer_group.map(|id| reference("customer-group", id)))
        .with_field("channel", scope.channel.map(|id| reference("channel", id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(id: &str, more: Value) -> Value {
        let mut price = json!({"id": id, "value": {"currencyCode": "EUR", "centAmount": 100}});
        price.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        price
    }

    fn price_error(prices: &[Value]) -> ApiError {
        check_prices(prices, &Location::Text("masterVariant.prices")).unwrap_err()
    }

    fn year(from: i32, until: i32) -> Value {
        json!({"validFrom": format!("{from}-01-01T00:00:00.000Z"), "validUntil": format!("{until}-01-01T00:00:00.000Z")})
    }

    #[test]
    fn prices_of_different_scopes_do_not_conflict() {
        let prices = [
            price("a", json!({})),
            price("b", json!({"country": "DE"})),
            price("c", json!({"customerGroup": {"typeId": "customer-group", "id": "vip"}})),
            price("d", json!({"channel": {"typeId": "channel", "id": "shop"}})),
            price("e", json!({"recurrencePolicy": {"typeId": "recurrence-policy", "id": "monthly"}})),
            price("f", year(2026, 2027)),
            price("g", year(2027, 2028)),
        ];
        check_prices(&prices, &Location::Text("prices")).unwrap();
    }

    #[test]
    fn one_scope_has_one_price_at_a_time() {
        let error =
            price_error(&[price("a", json!({"country": "DE"})), price("b", json!({"country": "DE"}))]);
        assert_eq!(error.code(), Code::DuplicatePriceScope);
        assert_eq!(error.objects()[0].fields["conflictingPrice"]["id"], "a");
        let error = price_error(&[price("a", year(2026, 2027)), price("b", year(2026, 2027))]);
        assert_eq!(error.code(), Code::DuplicatePriceScope);
    }

    #[test]
    fn periods_that_overlap_are_told_apart_by_their_times() {
        let error = price_error(&[price("a", year(2026, 2028)), price("b", year(2027, 2029))]);
        assert_eq!(error.code(), Code::OverlappingPriceValidity);
        let fields = &error.objects()[0].fields;
        assert_eq!(fields["conflictingPrice"], "a");
        assert_eq!(fields["currency"], "EUR");
        assert_eq!(fields["validFrom"], "2027-01-01T00:00:00.000Z");
        assert_eq!(fields["conflictingValidUntil"], "2028-01-01T00:00:00.000Z");
        assert!(!fields.contains_key("country"));
    }

    #[test]
    fn keys_are_unique_in_the_list() {
        let error = price_error(&[
            price("a", json!({"key": "k1"})),
            price("b", json!({"key": "k1", "country": "DE"})),
        ]);
        assert_eq!(error.code(), Code::DuplicatePriceKey);
        assert_eq!(error.message(), "Duplicate price key: k1. The price key must be unique per variant.");
    }

    #[test]
    fn tiers_have_quantities_of_their_own_and_the_currency_of_the_price() {
        let tier = |quantity: i64, currency: &str| json!({"minimumQuantity": quantity, "value": {"currencyCode": currency, "centAmount": 90}});
        check_prices(
            &[price("a", json!({"tiers": [tier(5, "EUR"), tier(2, "EUR")]}))],
            &Location::Text("prices"),
        )
        .unwrap();
        let error = price_error(&[price("a", json!({"tiers": [tier(2, "EUR"), tier(2, "EUR")]}))]);
        assert_eq!(error.code(), Code::InvalidField);
        assert_eq!(error.objects()[0].fields["field"], "masterVariant.prices[0].tiers[1].minimumQuantity");
        let error = price_error(&[price("a", json!({"tiers": [tier(2, "USD")]}))]);
        assert_eq!(error.objects()[0].fields["field"], "masterVariant.prices[0].tiers[0].value.currencyCode");
    }

    #[test]
    fn an_end_comes_after_the_beginning() {
        let error = price_error(&[price("a", year(2027, 2027))]);
        assert_eq!(error.code(), Code::InvalidField);
        assert_eq!(error.objects()[0].fields["field"], "masterVariant.prices[0].validUntil");
    }
}
