//! What a Cart holds: Line Items and Custom Line Items, with what one unit costs and how it is taxed.
//!
//! Source: reference types `LineItem`, `CustomLineItem`, `LineItemPriceMode`, `CustomLineItemPriceMode`,
//! `ExternalTaxAmountDraft`, `MethodTaxRate`, `ItemShippingTarget`.

use crate::cent_amount::CentAmount;
use crate::money::Money;
use crate::price::{Price, PriceTier};
use crate::tax::TaxRate;

/// A Line Item or a Custom Line Item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<'a> {
    /// How many units, at least 1.
    pub quantity: i64,
    /// What they cost.
    pub price: ItemPrice,
    /// How they are taxed.
    pub tax: ItemTax<'a>,
}

/// What the units of an [`Item`] cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemPrice {
    /// A price that the platform selected.
    Platform(UnitPrice),
    /// A price of one unit that was given.
    ExternalPrice(Money),
    /// A price and a total that were given: the total alone counts, and no Cart Discount takes from it.
    ExternalTotal {
        /// Of one unit, as it is shown.
        price: Money,
        /// Of all units.
        total: CentAmount,
    },
    /// A gift: it costs nothing, and no other discount takes from it.
    Gift {
        /// What it would cost.
        price: UnitPrice,
        /// The index of the discount that gives it among [`Cart::discounts`](crate::cart::Cart::discounts); none where it is
        /// unknown.
        discount: Option<usize>,
    },
    /// The money of a Custom Line Item, also below zero.
    Custom {
        /// Of one unit.
        money: Money,
        /// Whether Cart Discounts take from it: its price mode is `Standard`, and not `External`.
        is_discountable: bool,
    },
}

/// A price of one unit that the platform selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitPrice {
    /// Before discounts, for less than the lowest tier.
    pub value: Money,
    /// What a Product Discount left of it.
    pub discounted: Option<Money>,
    /// From some quantity on; each quantity once.
    pub tiers: Vec<PriceTier>,
}

impl UnitPrice {
    /// A price without a discount and without tiers.
    pub fn of(value: Money) -> Self {
        Self { value, discounted: None, tiers: Vec::new() }
    }

    /// What `price.value` shows for so many: the value of the highest tier that is reached, or the plain one. A price
    /// with a Product Discount has no tiers (reference type `Price`, field `tiers`).
    pub fn value_for(&self, quantity: i64) -> Money {
        if self.discounted.is_some() { self.value } else { self.tier_for(quantity) }
    }

    fn tier_for(&self, quantity: i64) -> Money {
        let reached = self.tiers.iter().filter(|tier| tier.minimum_quantity <= quantity);
        reached.max_by_key(|tier| tier.minimum_quantity).map_or(self.value, |tier| tier.value)
    }
}

impl From<&Price<'_>> for UnitPrice {
    fn from(price: &Price<'_>) -> Self {
        let discounted = price.discounted.map(|discounted| discounted.value);
        Self { value: price.value, discounted, tiers: price.tiers.clone() }
    }
}

impl ItemPrice {
    /// What `price.value` of the Line Item shows, or `money` of the Custom Line Item.
    pub fn value_for(&self, quantity: i64) -> Money {
        match self {
            Self::Platform(price) | Self::Gift { price, .. } => price.value_for(quantity),
            Self::ExternalPrice(price) | Self::ExternalTotal { price, .. } => *price,
            Self::Custom { money, .. } => *money,
        }
    }

    /// What one unit costs before Cart Discounts: the value, or what a Product Discount left of it.
    pub fn unit_price_for(&self, quantity: i64) -> Money {
        match self {
            Self::Platform(UnitPrice { discounted: Some(discounted), .. })
            | Self::Gift { price: UnitPrice { discounted: Some(discounted), .. }, .. } => *discounted,
            _ => self.value_for(quantity),
        }
    }

    /// What one unit would cost without its Product Discount: the value, or that of the tier which the discount hides.
    pub fn undiscounted_price_for(&self, quantity: i64) -> Money {
        match self {
            Self::Platform(price) | Self::Gift { price, .. } => price.tier_for(quantity),
            _ => self.value_for(quantity),
        }
    }

    /// Whether Cart Discounts that target it take from it.
    pub fn is_discountable(&self) -> bool {
        match self {
            Self::Platform(_) | Self::ExternalPrice(_) => true,
            Self::ExternalTotal { .. } | Self::Gift { .. } => false,
            Self::Custom { is_discountable, .. } => *is_discountable,
        }
    }
}

/// How an [`Item`] is taxed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemTax<'a> {
    /// All units alike, in the shipping mode `Single`; none as long as nothing is known.
    Whole(Option<Tax<'a>>),
    /// The units of each shipping method for themselves, in the shipping mode `Multiple`. Each key once.
    PerMethod(Vec<MethodTax<'a>>),
}

/// What is known of the tax of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tax<'a> {
    /// Its rate, in the tax modes `Platform` and `External`.
    Rate(TaxRate<'a>),
    /// What it costs with tax, in the tax mode `ExternalAmount`: the net amount is what it costs.
    Amount {
        /// With tax.
        gross: CentAmount,
        /// What makes the portions; neither rate nor `included_in_price` change an amount.
        rate: TaxRate<'a>,
    },
}

/// The units of an [`Item`] that go by one shipping method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodTax<'a> {
    /// The key of the shipping method.
    pub shipping_method_key: &'a str,
    /// How many units: the sum of the targets with this key.
    pub quantity: i64,
    /// Their tax, where it is known.
    pub tax: Option<Tax<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Currency;

    fn euros(cents: i64) -> Money {
        Money::Cent { currency: Currency::EUR, cents: CentAmount(cents) }
    }

    /// Recorded: 100, from two on 10, from three on 1, and back.
    #[test]
    fn a_tier_counts_from_its_quantity_on_unless_there_is_a_discount() {
        let tier = |minimum_quantity, cents| PriceTier { minimum_quantity, value: euros(cents) };
        let mut price = UnitPrice { tiers: vec![tier(3, 1), tier(2, 10)], ..UnitPrice::of(euros(100)) };
        let shown = |price: &UnitPrice, quantity| {
            let price = ItemPrice::Platform(price.clone());
            (price.value_for(quantity).units(), price.unit_price_for(quantity).units())
        };
        for (quantity, cents) in [(1, 100), (2, 10), (3, 1), (1000, 1)] {
            assert_eq!(shown(&price, quantity), (cents, cents), "{quantity}");
        }
        price.discounted = Some(euros(90));
        assert_eq!(shown(&price, 3), (100, 90));
    }
}
