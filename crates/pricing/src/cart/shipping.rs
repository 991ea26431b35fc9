//! Shipping prices: the price of a rate or of a tier that the Cart reaches, or free shipping.
//!
//! Source: reference types `ShippingInfo`, `ShippingRate`, `ShippingRatePriceTier`, `ShippingRateInput`.

use super::price_function::PriceFunction;
use crate::cent_amount::CentAmount;
use crate::item::Tax;
use kontor_errors::ApiResult;

/// A way by which a Cart is shipped: one in the shipping mode `Single`, several in `Multiple`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shipping<'a> {
    /// The price of this shipping entry.
    pub price: ShippingPrice<'a>,
    /// Its tax, if it is known.
    pub tax: Option<Tax<'a>>,
}

/// A shipping price before discounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShippingPrice<'a> {
    /// The price stored before, unchanged.
    Fixed(CentAmount),
    /// The price of a rate, which depends on the Cart.
    Rate {
        /// The rate.
        rate: ShippingRate<'a>,
        /// The classification or score that selects a tier.
        input: Option<ShippingRateInput<'a>>,
    },
}

/// The price list of a Shipping Method in a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShippingRate<'a> {
    /// The price if no tier is reached.
    pub price: CentAmount,
    /// The sum of line items and custom line items from which on shipping is free.
    pub free_above: Option<CentAmount>,
    /// In any order.
    pub tiers: Vec<ShippingRatePriceTier<'a>>,
}

/// Another price for some Carts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShippingRatePriceTier<'a> {
    /// A tier from a value of the Cart on.
    CartValue {
        /// The value.
        minimum: CentAmount,
        /// The price.
        price: CentAmount,
    },
    /// A tier for a class of Carts.
    CartClassification {
        /// The key of the class.
        value: &'a str,
        /// The price.
        price: CentAmount,
    },
    /// A tier from a score on.
    CartScore {
        /// The score.
        score: i64,
        /// The price.
        price: ScorePrice,
    },
}

/// The price of a score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScorePrice {
    /// A fixed price for each score of the tier.
    Price(CentAmount),
    /// The result of a function of the score.
    Function(PriceFunction),
}

/// The value that selects a tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShippingRateInput<'a> {
    /// The key of a class.
    Classification(&'a str),
    /// A score.
    Score(i64),
}

impl ShippingRate<'_> {
    /// Returns the shipping price of a Cart whose items cost `value` after their discounts: 0 from
    /// `free_above` on, else the price of the [tier](Self::tier_for), else the price of the rate.
    /// Fails with `MoneyOverflow` if the result of a function exceeds 64 bits.
    pub fn price_for(
        &self,
        value: CentAmount,
        input: Option<ShippingRateInput<'_>>,
    ) -> ApiResult<CentAmount> {
        if self.free_above.is_some_and(|free_above| value >= free_above) {
            return Ok(CentAmount::ZERO);
        }
        let Some(tier) = self.tier_for(value, input) else {
            return Ok(self.price);
        };
        match (&self.tiers[tier], input) {
            (
                ShippingRatePriceTier::CartScore { price: ScorePrice::Function(function), .. },
                Some(ShippingRateInput::Score(score)),
            ) => function.price_at(score),
            (
                ShippingRatePriceTier::CartValue { price, .. }
                | ShippingRatePriceTier::CartClassification { price, .. }
                | ShippingRatePriceTier::CartScore { price: ScorePrice::Price(price), .. },
                _,
            ) => Ok(*price),
            (ShippingRatePriceTier::CartScore { .. }, _) => Ok(self.price),
        }
    }

    /// Returns the index of the tier that is reached: the highest minimum at most `value` (also 0 for an empty Cart),
    /// the class of the input, or the highest score at most its own.
    pub fn tier_for(&self, value: CentAmount, input: Option<ShippingRateInput<'_>>) -> Option<usize> {
        let reached = |tier: &ShippingRatePriceTier<'_>| match (tier, input) {
            (ShippingRatePriceTier::CartValue { minimum, .. }, _) if *minimum <= value => Some(minimum.0),
            (
                ShippingRatePriceTier::CartClassification { value, .. },
                Some(ShippingRateInput::Classification(class)),
            ) if *value == class => Some(0),
            (ShippingRatePriceTier::CartScore { score: from, .. }, Some(ShippingRateInput::Score(score)))
                if *from <= score =>
            {
                Some(*from)
            }
            _ => None,
        };
        let tiers = self.tiers.iter().enumerate();
        tiers.filter_map(|(index, tier)| Some((reached(tier)?, index))).max().map(|(_, index)| index)
    }
}

impl Shipping<'_> {
    /// Returns the price before discounts in a Cart whose goods cost `value`.
    pub(crate) fn price_for(&self, value: CentAmount) -> ApiResult<CentAmount> {
        match &self.price {
            ShippingPrice::Fixed(price) => Ok(*price),
            ShippingPrice::Rate { rate, input } => rate.price_for(value, *input),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(rate: &ShippingRate<'_>, value: i64, input: Option<ShippingRateInput<'_>>) -> i64 {
        rate.price_for(CentAmount(value), input).unwrap().0
    }

    #[test]
    fn shipping_is_free_from_the_value_on_whatever_the_tier() {
        let tier = |minimum, price| ShippingRatePriceTier::CartValue {
            minimum: CentAmount(minimum),
            price: CentAmount(price),
        };
        let tiers = vec![tier(500, 200), tier(0, 300)];
        let rate = ShippingRate { price: CentAmount(1000), free_above: Some(CentAmount(800)), tiers };
        for (value, cents) in [(-5, 1000), (0, 300), (499, 300), (500, 200), (799, 200), (800, 0), (900, 0)] {
            assert_eq!(price(&rate, value, None), cents, "{value}");
        }
    }

    #[test]
    fn a_class_and_a_score_choose_their_tier() {
        let class =
            |value, price| ShippingRatePriceTier::CartClassification { value, price: CentAmount(price) };
        let score = |score, price| ShippingRatePriceTier::CartScore { score, price };
        let tiers = vec![
            class("heavy", 900),
            class("light", 200),
            score(1, ScorePrice::Price(CentAmount(500))),
            score(3, ScorePrice::Function(PriceFunction::parse("50 * x + 4000").unwrap())),
        ];
        let rate = ShippingRate { price: CentAmount(1000), free_above: None, tiers };
        for (input, cents) in [
            (None, 1000),
            (Some(ShippingRateInput::Classification("light")), 200),
            (Some(ShippingRateInput::Classification("huge")), 1000),
            (Some(ShippingRateInput::Score(0)), 1000),
            (Some(ShippingRateInput::Score(2)), 500),
            (Some(ShippingRateInput::Score(4)), 4200),
        ] {
            assert_eq!(price(&rate, 0, input), cents, "{input:?}");
        }
    }
}
