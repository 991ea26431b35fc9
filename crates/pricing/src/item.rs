//! The items of a Cart: line items and custom line items, with their unit price and tax.
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
    /// The number of units, at least 1.
    pub quantity: i64,
    /// The price of the units.
    pub price: ItemPrice,
    /// How they are taxed.
    pub tax: ItemTax<'a>,
}

/// The price of the units of an [`Item`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemPrice {
    /// A price that the platform selected.
    Platform(UnitPrice),
    /// An external price of one unit.
    ExternalPrice(Money),
    /// An external price and an external total: only the total is used, and no Cart Discount reduces it.
    ExternalTotal {
        /// The displayed price of one unit.
        price: Money,
        /// The price of all units.
        total: CentAmount,
    },
    /// A gift: its price is 0, and no other discount reduces it.
    Gift {
        /// The regular price of the gift.
        price: UnitPrice,
        /// The index of its discount in [`Cart::discounts`](crate::cart::Cart::discounts); `None` if it is unknown.
        discount: Option<usize>,
    },
    /// The money of a Custom Line Item, also below zero.
    Custom {
        /// The price of one unit.
        money: Money,
        /// Whether Cart Discounts reduce it: its price mode is `Standard`, not `External`.
        is_discountable: bool,
    },
}

/// A price of one unit that the platform selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitPrice {
    /// Before discounts, for less than the lowest tier.
    pub value: Money,
    /// The value after a Product Discount.
    pub discounted: Option<Money>,
    /// Prices from a quantity on; each quantity once.
    pub tiers: Vec<PriceTier>,
}

impl UnitPrice {
    /// A price without a discount and without tiers.
    pub fn new(value: Money) -> Self {
        Self { value, discounted: None, tiers: Vec::new() }
    }

    /// Returns the `price.value` for a quantity: the value of the highest tier that it reaches, or the plain
    /// value. A price with a Product Discount has no tiers (reference type `Price`, field `tiers`).
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
    /// Returns the `price.value` of the line item, or the `money` of the custom line item.
    pub fn value_for(&self, quantity: i64) -> Money {
        match self {
            Self::Platform(price) | Self::Gift { price, .. } => price.value_for(quantity),
            Self::ExternalPrice(price) | Self::ExternalTotal { price, .. } => *price,
            Self::Custom { money, .. } => *money,
        }
    }

    /// Returns the price of one unit before Cart Discounts: the value after a Product Discount, or the plain
    /// value.
    pub fn unit_price_for(&self, quantity: i64) -> Money {
        match self {
            Self::Platform(UnitPrice { discounted: Some(discounted), .. })
            | Self::Gift { price: UnitPrice { discounted: Some(discounted), .. }, .. } => *discounted,
            _ => self.value_for(quantity),
        }
    }

    /// Returns the price of one unit without its Product Discount: the plain value, or that of the tier
    /// hidden by the discount.
    pub fn undiscounted_price_for(&self, quantity: i64) -> Money {
        match self {
            Self::Platform(price) | Self::Gift { price, .. } => price.tier_for(quantity),
            _ => self.value_for(quantity),
        }
    }

    /// Returns whether matching Cart Discounts reduce its price.
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
    /// One tax for all units, in the shipping mode `Single`; `None` while it is unknown.
    Single(Option<Tax<'a>>),
    /// The units of each shipping method for themselves, in the shipping mode `Multiple`. Each key once.
    PerMethod(Vec<MethodTax<'a>>),
}

/// The tax of an item or a shipping entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tax<'a> {
    /// Its rate, in the tax modes `Platform` and `External`.
    Rate(TaxRate<'a>),
    /// The gross amount, in the tax mode `ExternalAmount`; the price is the net amount.
    Amount {
        /// The price with tax.
        gross: CentAmount,
        /// The rate that the tax portions name; neither its rate nor its `included_in_price` changes an
        /// amount.
        rate: TaxRate<'a>,
    },
}

/// The units of an [`Item`] with one shipping method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodTax<'a> {
    /// The key of the shipping method.
    pub shipping_method_key: &'a str,
    /// The number of units: the sum of the targets with this key.
    pub quantity: i64,
    /// Their tax, if it is known.
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
        let mut price = UnitPrice { tiers: vec![tier(3, 1), tier(2, 10)], ..UnitPrice::new(euros(100)) };
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
