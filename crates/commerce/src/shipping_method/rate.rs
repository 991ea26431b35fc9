//! Selects the rate of a Shipping Method for a Cart: by currency and shipping address.
//!
//! Source: reference types `ShippingRate`, `ShippingRatePriceTier`, `CartSetShippingMethodAction`.

use super::zone::zone_rate_for;
use crate::destination::Destination;
use crate::price::MoneyView;
use crate::view::views;
use kontor_engine::document::list;
use kontor_engine::{Document, Rules};
use kontor_enums::ShippingRatePriceTierTag;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::Value;
use kontor_pricing::cart::{PriceFunction, ScorePrice, ShippingRate, ShippingRatePriceTier};
use kontor_pricing::{CentAmount, Money};

views! {
    /// A rate, of a Shipping Method or of a Cart.
    pub(crate) struct ShippingRateView<'d> of "ShippingRate" {
        #[serde(borrow)]
        price: MoneyView<'d>,
        free_above: Option<MoneyView<'d>>,
        tiers: Vec<TierView<'d>>,
    }

    /// A tier of any type.
    struct TierView<'d> of "CartValueTier" | "CartClassificationTier" | "CartScoreTier" {
        r#type: ShippingRatePriceTierTag,
        minimum_cent_amount: Option<i64>,
        value: Option<&'d str>,
        score: Option<i64>,
        #[serde(borrow)]
        price: Option<MoneyView<'d>>,
        price_function: Option<PriceFunctionView<'d>>,
    }

    /// A function of the score.
    struct PriceFunctionView<'d> of "PriceFunction" {
        function: &'d str,
    }
}

/// The position of a rate in a Shipping Method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RatePosition {
    /// Among the zone rates.
    pub(crate) zone: usize,
    /// Among the rates of that one.
    pub(crate) rate: usize,
}

/// Returns the rate for a destination in a currency, and its position; `None` if the Shipping Method does not ship
/// there.
pub(crate) fn shipping_rate_for<'d>(
    method: &'d Document,
    to: Destination<'_>,
    currency: &str,
    rules: &Rules<'_>,
) -> ApiResult<Option<(RatePosition, &'d Document)>> {
    let Some(zone) = zone_rate_for(method, to, rules)? else { return Ok(None) };
    let zone_rate = &list(method, &["zoneRates"])[zone];
    let rates = zone_rate["shippingRates"].as_array().into_iter().flatten().filter_map(Value::as_object);
    let meant = rates.enumerate().find(|(_, rate)| rate["price"]["currencyCode"] == currency);
    Ok(meant.map(|(rate, document)| (RatePosition { zone, rate }, document)))
}

impl<'d> ShippingRateView<'d> {
    /// The rate.
    pub(crate) fn rate(&self) -> ApiResult<ShippingRate<'d>> {
        let cents = |money: &MoneyView<'_>| money.money().map(Money::cents);
        Ok(ShippingRate {
            price: cents(&self.price)?,
            free_above: self.free_above.as_ref().map(cents).transpose()?,
            tiers: self.tiers.iter().map(TierView::tier).collect::<ApiResult<_>>()?,
        })
    }
}

impl<'d> TierView<'d> {
    fn tier(&self) -> ApiResult<ShippingRatePriceTier<'d>> {
        let price = self.price.as_ref().map(|price| price.money().map(Money::cents)).transpose()?;
        Ok(match (self.r#type, self.minimum_cent_amount, self.value, self.score, price) {
            (ShippingRatePriceTierTag::CartValue, Some(minimum), _, _, Some(price)) => {
                ShippingRatePriceTier::CartValue { minimum: CentAmount(minimum), price }
            }
            (ShippingRatePriceTierTag::CartClassification, _, Some(value), _, Some(price)) => {
                ShippingRatePriceTier::CartClassification { value, price }
            }
            (ShippingRatePriceTierTag::CartScore, _, _, Some(score), Some(price)) => {
                ShippingRatePriceTier::CartScore { score, price: ScorePrice::Price(price) }
            }
            (ShippingRatePriceTierTag::CartScore, _, _, Some(score), None) => {
                let function = self.price_function.as_ref().map_or("", |function| function.function);
                let function = PriceFunction::parse(function)
                    .map_err(|problem| ApiError::bug(format!("a stored price function: {problem}")))?;
                ShippingRatePriceTier::CartScore { score, price: ScorePrice::Function(function) }
            }
            (
                ShippingRatePriceTierTag::CartValue
                | ShippingRatePriceTierTag::CartClassification
                | ShippingRatePriceTierTag::CartScore,
                ..,
            ) => {
                return Err(ApiError::bug(format!(
                    "a stored tier {} without its required fields",
                    self.r#type
                )));
            }
        })
    }
}
