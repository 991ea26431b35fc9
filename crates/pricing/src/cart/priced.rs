//! What each item costs before taxes: the unit price times the quantity, or what discounts left of each unit.
//!
//! Source: reference types `LineItem` and `CustomLineItem`, fields `totalPrice` and `discountedPricePerQuantity`;
//! `DiscountedLineItemPrice`.

use super::item::{Item, ItemPrice};
use crate::cent_amount::{CentAmount, Rounding};
use crate::money::Money;
use kontor_errors::ApiResult;

/// As many units of an item that cost the same after discounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscountedLineItemPriceForQuantity {
    /// How many, at least 1.
    pub quantity: i64,
    /// What each of them costs.
    pub discounted_price: DiscountedLineItemPrice,
}

/// What discounts left of a unit, or of a shipping price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscountedLineItemPrice {
    /// What is left, as exact as the price.
    pub value: Money,
    /// What each discount took, in the sequence in which they were applied.
    pub included_discounts: Vec<DiscountedLineItemPortion>,
}

/// What one discount took off a unit, or off a shipping price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscountedLineItemPortion {
    /// Its index among the discounts of the Cart.
    pub discount: usize,
    /// What it took, as exact as the price; zero where it applies and found nothing to take.
    pub discounted_amount: Money,
}

/// An item with what it costs before taxes.
#[derive(Debug, Clone)]
pub(crate) struct PricedItem {
    /// Of one unit, before Cart Discounts.
    pub(crate) unit_price: Money,
    pub(crate) quantity: i64,
    /// All units in groups of one price, as soon as a discount applies; none before.
    pub(crate) groups: Vec<DiscountedLineItemPriceForQuantity>,
    pub(crate) total_price: CentAmount,
    /// Whether the total is no sum of units.
    pub(crate) has_fixed_total: bool,
}

impl PricedItem {
    /// The item before Cart Discounts. Totals of more exact prices are rounded as the Cart says, those of an
    /// `ExternalPrice` half to even (reference type `LineItem`, field `totalPrice`).
    pub(crate) fn new(item: &Item<'_>, price_rounding_mode: Rounding) -> ApiResult<Self> {
        let unit_price = item.price.unit_price_for(item.quantity);
        let rounding = match item.price {
            ItemPrice::ExternalPrice(_) => Rounding::HalfEven,
            _ => price_rounding_mode,
        };
        let (total_price, has_fixed_total) = match &item.price {
            ItemPrice::ExternalTotal { total, .. } => (*total, true),
            ItemPrice::Gift { .. } => (CentAmount::ZERO, true),
            _ => (unit_price.total(item.quantity, rounding)?, false),
        };
        let quantity = item.quantity;
        let groups = match item.price {
            ItemPrice::Gift { discount: Some(discount), .. } => vec![given(unit_price, quantity, discount)?],
            _ => Vec::new(),
        };
        Ok(Self { unit_price, quantity, groups, total_price, has_fixed_total })
    }

    /// What the units cost and how many cost it: none where the total is no sum of units.
    pub(crate) fn units(&self) -> impl Iterator<Item = (Money, i64)> {
        let undiscounted = self.groups.is_empty().then_some((self.unit_price, self.quantity));
        let groups = self.groups.iter().map(|group| (group.discounted_price.value, group.quantity));
        groups.chain(undiscounted).take(if self.has_fixed_total { 0 } else { usize::MAX })
    }
}

/// All of a gift, of which its discount takes everything (recorded: one group with the whole price).
fn given(price: Money, quantity: i64, discount: usize) -> ApiResult<DiscountedLineItemPriceForQuantity> {
    let included_discounts = vec![DiscountedLineItemPortion { discount, discounted_amount: price }];
    let discounted_price = DiscountedLineItemPrice { value: price.with_units(0)?, included_discounts };
    Ok(DiscountedLineItemPriceForQuantity { quantity, discounted_price })
}
