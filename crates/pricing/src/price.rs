//! Price: the amount for one unit, its scope (buyers, regions, period) and its tiers.
//!
//! Source: reference types `Price`, `StandalonePrice`, `PriceTier`, `DiscountedPrice`.

use crate::money::Money;
use crate::scope::{PriceScope, Validity};

/// The price of one unit of a Product Variant: embedded in it, or standalone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price<'a> {
    /// Its id.
    pub id: &'a str,
    /// The buyers it applies to.
    pub scope: PriceScope<'a>,
    /// The period in which it may be selected.
    pub validity: Validity,
    /// The price of one unit, before discounts.
    pub value: Money,
    /// The price after a Product Discount.
    pub discounted: Option<DiscountedPrice<'a>>,
    /// Prices from a minimum quantity on, in any order; each quantity once.
    pub tiers: Vec<PriceTier>,
}

/// A price after a Product Discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscountedPrice<'a> {
    /// The reduced value.
    pub value: Money,
    /// The id of the Product Discount.
    pub discount: &'a str,
}

/// The price of a unit from some quantity on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceTier {
    /// The quantity.
    pub minimum_quantity: i64,
    /// The price of one unit.
    pub value: Money,
}

impl Price<'_> {
    /// Returns the price to pay for one unit: the discounted value, or the value.
    pub fn current_value(&self) -> Money {
        self.discounted.map_or(self.value, |discounted| discounted.value)
    }

    /// Returns the price to pay for each of `quantity` units: the discounted value; else that of the highest
    /// tier that the quantity reaches; else the value.
    pub fn value_for_quantity(&self, quantity: i64) -> Money {
        let reached = self.tiers.iter().filter(|tier| tier.minimum_quantity <= quantity);
        let tier = reached.max_by_key(|tier| tier.minimum_quantity);
        match (self.discounted, tier) {
            (Some(discounted), _) => discounted.value,
            (None, Some(tier)) => tier.value,
            (None, None) => self.value,
        }
    }
}

impl<'a> AsRef<Price<'a>> for Price<'a> {
    fn as_ref(&self) -> &Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CentAmount, Currency};

    fn euros(cents: i64) -> Money {
        Money::Cent { currency: Currency::EUR, cents: CentAmount(cents) }
    }

    #[test]
    fn a_tier_counts_from_its_quantity_on_unless_there_is_a_discount() {
        let tier = |minimum_quantity, cents| PriceTier { minimum_quantity, value: euros(cents) };
        let mut tiered = Price {
            id: "p",
            scope: PriceScope::for_all_buyers(Currency::EUR),
            validity: Validity::ALWAYS,
            value: euros(100),
            discounted: None,
            tiers: vec![tier(10, 70), tier(5, 80)],
        };
        for (quantity, cents) in [(1, 100), (4, 100), (5, 80), (9, 80), (10, 70), (1000, 70)] {
            assert_eq!(tiered.value_for_quantity(quantity), euros(cents), "{quantity}");
        }
        tiered.discounted = Some(DiscountedPrice { value: euros(90), discount: "tenth" });
        assert_eq!(tiered.value_for_quantity(10), euros(90));
        assert_eq!(tiered.current_value(), euros(90));
    }
}
