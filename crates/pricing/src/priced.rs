//! The price of each item before taxes: the unit price, or the discounted price of each unit, times the
//! quantity.
//!
//! Source: reference types `LineItem` and `CustomLineItem`, fields `totalPrice` and
//! `discountedPricePerQuantity`; `DiscountedLineItemPrice`.

use crate::cent_amount::{CentAmount, overflow_error};
use crate::item::{Item, ItemPrice};
use crate::money::{HighPrecisionMoney, Money};
use kontor_enums::RoundingMode;
use kontor_errors::ApiResult;
use rust_decimal::Decimal;

/// A number of units of an item with the same discounted price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscountedLineItemPriceForQuantity {
    /// The number of units, at least 1.
    pub quantity: i64,
    /// The price of each unit.
    pub discounted_price: DiscountedLineItemPrice,
}

/// The discounted price of a unit, or of a shipping entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscountedLineItemPrice {
    /// The reduced value, as exact as the price.
    pub value: Money,
    /// The reduction by each discount, in the order of application.
    pub included_discounts: Vec<DiscountedLineItemPortion>,
}

/// The reduction of a unit price, or of a shipping price, by one discount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscountedLineItemPortion {
    /// Its index among the discounts of the Cart.
    pub discount: usize,
    /// The reduction, as exact as the price; zero for a discount that applies but has no price left to
    /// reduce.
    pub discounted_amount: Money,
}

/// An item with its price before taxes.
#[derive(Debug, Clone)]
pub(crate) struct PricedItem {
    /// The price of one unit before Cart Discounts; it determines the precision of all amounts.
    unit_price: Money,
    pub(crate) quantity: i64,
    /// All units in groups of one price.
    pub(crate) groups: Vec<UnitGroup>,
    pub(crate) total_price: CentAmount,
    /// Whether the total is no sum of units.
    pub(crate) has_fixed_total: bool,
    /// Whether Cart Discounts reduce it.
    pub(crate) is_discountable: bool,
    rounding: RoundingMode,
}

/// A number of units with the same price and the same reductions by the same discounts. Amounts are in the last digit
/// of the item's unit price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnitGroup {
    pub(crate) quantity: i64,
    pub(crate) value: i64,
    /// The index of each discount, and its reduction.
    pub(crate) included: Vec<(usize, i64)>,
}

impl PricedItem {
    /// Returns the item before Cart Discounts, with or without the Product Discount of its price. Totals of more
    /// precise prices are rounded as the Cart requires, those of an `ExternalPrice` half to even (reference type
    /// `LineItem`, field `totalPrice`).
    pub(crate) fn new(
        item: &Item<'_>,
        price_rounding_mode: RoundingMode,
        has_product_discounts: bool,
    ) -> ApiResult<Self> {
        let unit_price = if has_product_discounts {
            item.price.unit_price_for(item.quantity)
        } else {
            item.price.undiscounted_price_for(item.quantity)
        };
        let rounding = match item.price {
            ItemPrice::ExternalPrice(_) => RoundingMode::HalfEven,
            _ => price_rounding_mode,
        };
        let (total_price, has_fixed_total) = match &item.price {
            ItemPrice::ExternalTotal { total, .. } => (*total, true),
            ItemPrice::Gift { .. } => (CentAmount::ZERO, true),
            _ => (unit_price.total(item.quantity, rounding)?, false),
        };
        let units = unit_price.units();
        let group = match item.price {
            // Recorded: one group, whose discount reduces the whole price.
            ItemPrice::Gift { discount, .. } => {
                let included = discount.map(|discount| (discount, units)).into_iter().collect();
                UnitGroup { quantity: item.quantity, value: 0, included }
            }
            _ => UnitGroup { quantity: item.quantity, value: units, included: Vec::new() },
        };
        Ok(Self {
            unit_price,
            quantity: item.quantity,
            groups: vec![group],
            total_price,
            has_fixed_total,
            is_discountable: item.price.is_discountable(),
            rounding,
        })
    }

    /// Returns the number of its smallest units in a cent.
    pub(crate) fn units_per_cent(&self) -> i128 {
        self.unit_price.units_per_cent()
    }

    /// An amount of its groups in cents: to compare items.
    pub(crate) fn exact_cents(&self, units: i64) -> Decimal {
        self.unit_price.cents_of_units(units)
    }

    /// Returns the unit prices with their quantities; none if the total is no sum of units.
    pub(crate) fn unit_prices(&self) -> ApiResult<Vec<(Money, i64)>> {
        if self.has_fixed_total {
            return Ok(Vec::new());
        }
        let price = |group: &UnitGroup| Ok((self.unit_price.with_units(group.value)?, group.quantity));
        self.groups.iter().map(price).collect()
    }

    /// Returns the price of all units, in the last digit of the unit price.
    pub(crate) fn value(&self) -> i128 {
        self.groups.iter().map(|group| i128::from(group.value) * i128::from(group.quantity)).sum()
    }

    /// Recalculates the total after its groups changed: exactly, then rounded once.
    pub(crate) fn add_up(&mut self) -> ApiResult<()> {
        if !self.has_fixed_total {
            let value = i64::try_from(self.value()).map_err(|_| overflow_error())?;
            self.total_price = CentAmount(value).fraction(1, self.units_per_cent(), self.rounding)?;
        }
        Ok(())
    }

    /// Raises the precision of its amounts to at least that of `money`, so that they can become exactly `money`.
    pub(crate) fn refine(&mut self, money: Money) -> ApiResult<()> {
        let factor = money.units_per_cent() / self.units_per_cent();
        if factor <= 1 {
            return Ok(());
        }
        let Money::High(like) = money else { return Ok(()) };
        let finer = |amount: i64| {
            i128::from(amount)
                .checked_mul(factor)
                .and_then(|units| i64::try_from(units).ok())
                .ok_or_else(overflow_error)
        };
        let units = finer(self.unit_price.units())?;
        let price = HighPrecisionMoney::new(self.unit_price.currency(), units, like.fraction_digits(), None);
        self.unit_price = Money::High(price.map_err(|_| overflow_error())?);
        for group in &mut self.groups {
            group.value = finer(group.value)?;
            for (_, amount) in &mut group.included {
                *amount = finer(*amount)?;
            }
        }
        Ok(())
    }

    /// Returns the field `discountedPricePerQuantity`: empty until a discount applies.
    pub(crate) fn discounted_price_per_quantity(&self) -> ApiResult<Vec<DiscountedLineItemPriceForQuantity>> {
        if self.groups.iter().all(|group| group.included.is_empty()) {
            return Ok(Vec::new());
        }
        let portion = |(discount, amount): &(usize, i64)| {
            let discounted_amount = self.unit_price.with_units(*amount)?;
            Ok(DiscountedLineItemPortion { discount: *discount, discounted_amount })
        };
        let shown = |group: &UnitGroup| {
            let value = self.unit_price.with_units(group.value)?;
            let included_discounts = group.included.iter().map(portion).collect::<ApiResult<_>>()?;
            let discounted_price = DiscountedLineItemPrice { value, included_discounts };
            Ok(DiscountedLineItemPriceForQuantity { quantity: group.quantity, discounted_price })
        };
        self.groups.iter().map(shown).collect()
    }
}
