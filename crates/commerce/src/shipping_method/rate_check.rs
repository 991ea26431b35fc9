//! Validates shipping rates: one currency, and tiers that fit the Project.
//!
//! Source: reference types `ShippingRateDraft`, `CartValueTier`, `CartClassificationTier`, `CartScoreTier`,
//! `CartClassificationType`; public documentation, "Tiered shipping rates".

use kontor_engine::Rules;
use kontor_engine::document::{enum_in, list, text};
use kontor_enums::ShippingRatePriceTierTag;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_pricing::cart::PriceFunction;

/// Checks a rate in its stored form; `place` is its position.
///
/// # Errors
/// 400 `InvalidOperation`: amounts of several currencies, tiers of another type than that of the Project, or a score
/// tier with both or neither of price and function. 400 `InvalidField`: a class that the Project does not have, or an
/// invalid function.
pub(crate) fn admit_rate(rate: &Value, place: &str, rules: &Rules<'_>) -> ApiResult<()> {
    let currency = &rate["price"]["currencyCode"];
    let same = |amount: &Value, name: &str| match &amount["currencyCode"] {
        Value::Null => Ok(()),
        other if other == currency => Ok(()),
        other => Err(ApiError::invalid_operation(format!(
            "{place}.{name}: the currency is {other}, expected {currency} as in {place}.price."
        ))),
    };
    same(&rate["freeAbove"], "freeAbove")?;
    for (index, tier) in rate["tiers"].as_array().into_iter().flatten().enumerate() {
        let name = format!("tiers[{index}]");
        admit_tier(tier, &format!("{place}.{name}"), rules)?;
        same(&tier["price"], &format!("{name}.price"))?;
        same(&tier["priceFunction"], &format!("{name}.priceFunction"))?;
    }
    Ok(())
}

/// Checks that the type of a tier is that of the Project's `shippingRateInputType`.
fn admit_tier(tier: &Value, place: &str, rules: &Rules<'_>) -> ApiResult<()> {
    let wanted = text(rules.project, &["shippingRateInputType", "type"]);
    let given = tier["type"].as_str();
    // The Project may configure it later; until then the tiers apply to no Cart.
    if let Some(expected) = wanted.filter(|wanted| Some(*wanted) != given) {
        return Err(ApiError::invalid_operation(format!(
            "{place}.type: {} was sent, expected '{expected}', the type of the Project's shippingRateInputType.",
            tier["type"]
        )));
    }
    match enum_in(tier, "type")? {
        Some(ShippingRatePriceTierTag::CartClassification) => admit_class(&tier["value"], place, rules),
        Some(ShippingRatePriceTierTag::CartScore) => admit_score(tier, place),
        Some(ShippingRatePriceTierTag::CartValue) | None => Ok(()),
    }
}

fn admit_class(class: &Value, place: &str, rules: &Rules<'_>) -> ApiResult<()> {
    let classes = list(rules.project, &["shippingRateInputType", "values"]).iter().map(|class| &class["key"]);
    let classes: Vec<Value> = classes.cloned().collect();
    if classes.contains(class) {
        return Ok(());
    }
    let expected = "It is no key of the Project's shippingRateInputType.";
    Err(ApiError::invalid_field(&format!("{place}.value"), class, expected, Some(json!(classes))))
}

/// A price or a function, and a function that can be read.
fn admit_score(tier: &Value, place: &str) -> ApiResult<()> {
    match (tier.get("price"), tier.get("priceFunction")) {
        (Some(_), None) => Ok(()),
        (None, Some(function)) => admit_function(&function["function"], place),
        (price, _) => Err(ApiError::invalid_operation(format!(
            "{place}: {} of price and priceFunction stand here, expected one.",
            if price.is_some() { "both" } else { "neither" }
        ))),
    }
}

fn admit_function(function: &Value, place: &str) -> ApiResult<()> {
    let written = function.as_str().ok_or_else(|| ApiError::bug("a price function that is no text"))?;
    let read = PriceFunction::parse(written);
    read.map(drop).map_err(|unreadable| {
        let expected = format!("At position {} expected {}.", unreadable.position, unreadable.expected);
        ApiError::invalid_field(&format!("{place}.priceFunction.function"), function, &expected, None)
    })
}
