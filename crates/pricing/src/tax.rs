//! Tax: net and gross amounts, and the portion of each rate.
//!
//! Source: reference types `TaxRate`, `TaxedPrice`, `TaxPortion`, `TaxCalculationMode`, `RoundingMode`. Open
//! details reproduce recorded responses of the platform (docs/decisions/*-pricing.md): net or gross is
//! rounded once, the tax is their difference (with [`TaxRoundingTarget::Tax`] the tax is rounded, and the net amount is
//! the difference); sums are those of the rounded parts.

use crate::cent_amount::{CentAmount, overflow_error};
use crate::money::Money;
use kontor_enums::{RoundingMode, TaxRoundingTarget};
use kontor_errors::ApiResult;
use rust_decimal::Decimal;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The rate of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxRate<'a> {
    /// Distinguishes portions with the same rate.
    pub name: &'a str,
    /// A share of the net amount: 0.19 is 19 percent.
    pub amount: Decimal,
    /// Whether prices are gross.
    pub included_in_price: bool,
    /// The amount that is rounded, if prices are gross.
    pub rounding_target: TaxRoundingTarget,
    /// The taxes that it consists of, each of which has a portion; empty for a single tax.
    pub sub_rates: Vec<SubRate<'a>>,
}

/// One of several taxes whose sum is a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubRate<'a> {
    /// Distinguishes portions with the same rate.
    pub name: &'a str,
    /// A share of the net amount.
    pub amount: Decimal,
}

/// An amount without and with its tax.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NetAndGross {
    /// The amount without tax.
    pub net: CentAmount,
    /// The amount with tax.
    pub gross: CentAmount,
}

/// The part of the tax that belongs to one rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaxPortion<'a> {
    /// The rate.
    pub rate: Decimal,
    /// Its name; external portions may lack it.
    pub name: Option<&'a str>,
    /// The sum of the taxes.
    pub amount: CentAmount,
}

impl<'a> TaxRate<'a> {
    /// Returns net and gross of a price. One of them is the price itself; the other one, or the tax, is rounded. Fails
    /// with `MoneyOverflow` beyond 64 bits, and for rates with more than 19 decimals.
    pub fn apply(&self, price: CentAmount, rounding: RoundingMode) -> ApiResult<NetAndGross> {
        let TaxFraction { part, whole } = self.rounded_fraction()?;
        self.with_rounded(price, price.fraction(part, whole, rounding)?)
    }

    /// Returns net and gross of a line whose tax is rounded for each unit ([`UnitPriceLevel`](TaxCalculationMode)):
    /// `total` is the price of all `units`, each a price and a number of units. Fails like
    /// [`apply`](Self::apply).
    pub fn taxed_units(
        &self,
        total: CentAmount,
        units: impl IntoIterator<Item = (Money, i64)>,
        rounding: RoundingMode,
    ) -> ApiResult<NetAndGross> {
        let TaxFraction { part, whole } = self.rounded_fraction()?;
        let rounded_of = |(price, quantity): (Money, i64)| {
            let whole = whole.checked_mul(price.units_per_cent()).ok_or_else(overflow_error)?;
            CentAmount(price.units()).fraction(part, whole, rounding)?.multiply(quantity)
        };
        let rounded: Vec<CentAmount> = units.into_iter().map(rounded_of).collect::<ApiResult<_>>()?;
        self.with_rounded(total, CentAmount::sum(rounded)?)
    }

    /// Splits `tax` into a portion for each sub-rate, in proportion, or one for the whole rate. The portions
    /// add up to `tax`, and each is less than a cent from its exact value. Fails with `MoneyOverflow` if a product
    /// exceeds 128 bits.
    pub fn split_tax(&self, tax: CentAmount) -> ApiResult<Vec<TaxPortion<'a>>> {
        if self.sub_rates.is_empty() {
            return Ok(vec![TaxPortion { rate: self.amount, name: Some(self.name), amount: tax }]);
        }
        let weights = self.sub_rates.iter().map(|sub_rate| sub_rate.amount);
        let digits = weights.clone().map(|amount| amount.scale()).max().unwrap_or(0);
        let weights: Vec<i128> = weights.map(|amount| with_digits(amount, digits)).collect();
        let whole: i128 = weights.iter().sum();
        let mut portions = Vec::with_capacity(weights.len());
        let (mut part, mut before) = (0, CentAmount::ZERO);
        for (sub_rate, weight) in self.sub_rates.iter().zip(weights) {
            // Cumulated, so that no cent is lost; the whole tax if no sub-rate is above 0.
            part += weight;
            let until = if whole > 0 { tax.fraction(part, whole, RoundingMode::HalfEven)? } else { tax };
            let amount = until.minus(before)?;
            before = until;
            portions.push(TaxPortion { rate: sub_rate.amount, name: Some(sub_rate.name), amount });
        }
        Ok(portions)
    }

    /// Returns the share of a price that is rounded: its gross amount, or of a gross price its net amount or its tax.
    fn rounded_fraction(&self) -> ApiResult<TaxFraction> {
        // 1 + rate as a fraction: decimals have no third of a cent.
        let rate = self.amount.normalize();
        let one = 10_i128.checked_pow(rate.scale()).ok_or_else(overflow_error)?;
        let with_tax = one.checked_add(rate.mantissa()).ok_or_else(overflow_error)?;
        Ok(match (self.included_in_price, self.rounding_target) {
            (false, _) => TaxFraction { part: with_tax, whole: one },
            (true, TaxRoundingTarget::Net) => TaxFraction { part: one, whole: with_tax },
            (true, TaxRoundingTarget::Tax) => TaxFraction { part: rate.mantissa(), whole: with_tax },
        })
    }

    /// Returns net and gross of a price from its rounded share.
    fn with_rounded(&self, price: CentAmount, rounded: CentAmount) -> ApiResult<NetAndGross> {
        let taxed = match (self.included_in_price, self.rounding_target) {
            (false, _) => NetAndGross { net: price, gross: rounded },
            (true, TaxRoundingTarget::Net) => NetAndGross { net: rounded, gross: price },
            (true, TaxRoundingTarget::Tax) => NetAndGross { net: price.minus(rounded)?, gross: price },
        };
        taxed.tax().map(|_| taxed)
    }
}

/// Returns an amount as a multiple of the last of so many fraction digits.
fn with_digits(mut amount: Decimal, digits: u32) -> i128 {
    amount.rescale(digits);
    amount.mantissa()
}

/// `part` of `whole` equal parts.
struct TaxFraction {
    part: i128,
    whole: i128,
}

impl NetAndGross {
    /// Returns the tax, which is never rounded itself. Fails with `MoneyOverflow` if it exceeds 64 bits.
    pub fn tax(self) -> ApiResult<CentAmount> {
        self.gross.minus(self.net)
    }

    /// Returns the sum of parts that are rounded already. Fails with `MoneyOverflow` if a sum exceeds 64 bits.
    pub fn sum(parts: impl IntoIterator<Item = Self> + Clone) -> ApiResult<Self> {
        let net = CentAmount::sum(parts.clone().into_iter().map(|part| part.net))?;
        let gross = CentAmount::sum(parts.into_iter().map(|part| part.gross))?;
        Ok(Self { net, gross })
    }
}

/// Merges the portions of several parts: one for each rate and name, the lowest rate first. A portion of 0 is included.
/// Fails with `MoneyOverflow` if a sum exceeds 64 bits.
pub fn merged_portions<'a>(
    portions: impl IntoIterator<Item = TaxPortion<'a>>,
) -> ApiResult<Vec<TaxPortion<'a>>> {
    let mut merged: Vec<TaxPortion<'a>> = Vec::new();
    let mut places = HashMap::new();
    let mut whole = 0_i128;
    for portion in portions {
        whole += i128::from(portion.amount.0);
        match places.entry((portion.rate, portion.name)) {
            Entry::Occupied(place) => {
                let found: &mut TaxPortion<'_> = &mut merged[*place.get()];
                found.amount = found.amount.plus(portion.amount)?;
            }
            Entry::Vacant(place) => {
                place.insert(merged.len());
                merged.push(portion);
            }
        }
    }
    merged.sort_by_key(|portion| portion.rate);
    let sum: i128 = merged.iter().map(|portion| i128::from(portion.amount.0)).sum();
    debug_assert_eq!(sum, whole, "the portions are all of the tax");
    Ok(merged)
}

#[cfg(test)]
mod tests;
