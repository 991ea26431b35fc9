//! Selects the rate of a Tax Category for a destination.
//!
//! Source: reference types `TaxMode` (`Platform`), `TaxRate` (states are compared as they are written),
//! `CartsConfiguration` (`countryTaxRateFallbackEnabled`), `MissingTaxRateForCountryError`.

use crate::destination::Destination;
use kontor_engine::document::{get, list, must_text};
use kontor_engine::{Document, Rules};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_json::{Value, json};

/// The rate for a destination.
///
/// # Errors
/// 400 `MissingTaxRateForCountry`, with the Tax Category, the country and the state.
pub(crate) fn tax_rate_for<'d>(
    category: &'d Document,
    to: Destination<'_>,
    rules: &Rules<'_>,
) -> ApiResult<&'d Value> {
    let falls_back = get(rules.project, &["carts", "countryTaxRateFallbackEnabled"]) == Some(&json!(true));
    let rate_of = |state: Option<&str>| {
        let mut rates = list(category, &["rates"]).iter();
        rates.find(|rate| rate["country"] == to.country && rate["state"].as_str() == state)
    };
    match rate_of(to.state).or_else(|| rate_of(None).filter(|_| falls_back)) {
        Some(rate) => Ok(rate),
        None => Err(missing_rate_error(must_text(category, &["id"])?, to)),
    }
}

fn missing_rate_error(category: &str, to: Destination<'_>) -> ApiError {
    let place = match to.state {
        Some(state) => format!("{} and state {state}", to.country),
        None => to.country.to_owned(),
    };
    let message = format!("Tax category {category} is missing a tax rate for country {place}.");
    ApiError::new(Code::MissingTaxRateForCountry, message)
        .with_field("taxCategoryId", json!(category))
        .with_field("country", json!(to.country))
        .with_field("state", to.state.map(|state| json!(state)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_shop::{TestShop, object};
    use kontor_engine::document::must_field;

    fn category() -> Document {
        let rate = |id: &str, country: &str, state: Option<&str>| match state {
            Some(state) => json!({"id": id, "country": country, "state": state}),
            None => json!({"id": id, "country": country}),
        };
        object(json!({"id": "standard", "rates": [
            rate("de", "DE", None), rate("us", "US", None), rate("ny", "US", Some("New York")), rate("on", "CA", Some("Ontario")),
        ]}))
    }

    fn find_rate_id(country: &str, state: Option<&str>, falls_back: bool) -> Result<String, ApiError> {
        let mut shop = TestShop::new();
        shop.project.insert("carts", json!({"countryTaxRateFallbackEnabled": falls_back}));
        let category = category();
        shop.rules(|rules| {
            let rate = tax_rate_for(&category, Destination { country, state }, rules)?;
            must_field(rate, "id").map(str::to_owned)
        })
    }

    #[test]
    fn a_rate_is_for_a_country_or_a_state_of_it() {
        for (country, state, falls_back, rate) in [
            ("DE", None, false, "de"),
            ("US", None, false, "us"),
            ("US", Some("New York"), false, "ny"),
            ("US", Some("New York"), true, "ny"),
            ("US", Some("Iowa"), true, "us"),
            ("US", Some("new york"), true, "us"),
        ] {
            assert_eq!(find_rate_id(country, state, falls_back).unwrap(), rate, "{country} {state:?}");
        }
    }

    #[test]
    fn the_error_names_the_missing_rate() {
        for (country, state, falls_back) in [
            ("FR", None, true),
            ("US", Some("Iowa"), false),
            ("CA", None, true),
            ("CA", Some("Quebec"), true),
        ] {
            let error = find_rate_id(country, state, falls_back).unwrap_err();
            assert_eq!(error.code(), Code::MissingTaxRateForCountry, "{country} {state:?}");
            let said = error.objects()[0].to_json();
            assert_eq!(said["taxCategoryId"], "standard");
            assert_eq!((said["country"].as_str(), said["state"].as_str()), (Some(country), state));
        }
    }
}
