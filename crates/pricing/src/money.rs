//! Money: an amount in a currency, in whole cents (`Cent`) or with more fraction digits (`High`).
//!
//! Source: reference types `TypedMoney`, `CentPrecisionMoney`, `HighPrecisionMoney`.

use crate::cent_amount::{CentAmount, overflow_error};
use kontor_currency::Currency;
use kontor_enums::RoundingMode;
use kontor_errors::ApiResult;
use rust_decimal::{Decimal, RoundingStrategy};
use std::fmt;

/// An amount of a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Money {
    /// As exact as the currency: `centPrecision`.
    Cent {
        /// The currency.
        currency: Currency,
        /// In its smallest unit.
        cents: CentAmount,
    },
    /// More exact than the currency: `highPrecision`.
    High(HighPrecisionMoney),
}

impl Money {
    /// Returns the currency.
    pub fn currency(self) -> Currency {
        match self {
            Self::Cent { currency, .. } => currency,
            Self::High(money) => money.currency,
        }
    }

    /// Returns the amount in the smallest unit of the currency; of a more precise one, rounded.
    pub fn cents(self) -> CentAmount {
        match self {
            Self::Cent { cents, .. } => cents,
            Self::High(money) => money.cents,
        }
    }

    /// Returns the amount in its smallest unit: cents, or the precise amount of a more precise one.
    pub fn units(self) -> i64 {
        match self {
            Self::Cent { cents, .. } => cents.0,
            Self::High(money) => money.precise_amount,
        }
    }

    /// Returns the number of [`units`](Self::units) in a cent: 1, or ten for each additional digit.
    pub fn units_per_cent(self) -> i128 {
        match self {
            Self::Cent { .. } => 1,
            // At most 20 digits.
            Self::High(money) => 10_i128.pow(money.digits_behind_cents()),
        }
    }

    /// Returns another amount of the same currency and precision. Fails with `MoneyOverflow` if it exceeds 64 bits.
    pub fn with_units(self, units: i64) -> ApiResult<Self> {
        match self {
            Self::Cent { currency, .. } => Ok(Self::Cent { currency, cents: CentAmount(units) }),
            Self::High(HighPrecisionMoney { currency, fraction_digits, .. }) => {
                let money = HighPrecisionMoney::new(currency, units, fraction_digits, None);
                money.map(Self::High).map_err(|_| overflow_error())
            }
        }
    }

    /// Returns the price of `quantity` units: exact, then rounded once to cents. Fails with `MoneyOverflow` if it
    /// exceeds 64 bits.
    pub fn total(self, quantity: i64, rounding: RoundingMode) -> ApiResult<CentAmount> {
        CentAmount(self.units()).fraction(quantity.into(), self.units_per_cent(), rounding)
    }

    /// Returns the exact amount in cents, with a fraction if it is more precise, for comparing amounts of one currency.
    pub fn exact_cents(self) -> Decimal {
        self.cents_of_units(self.units())
    }

    /// Returns a number of this amount's [`units`](Self::units) in cents, exactly.
    pub fn cents_of_units(self, units: i64) -> Decimal {
        match self {
            Self::Cent { .. } => Decimal::from(units),
            Self::High(money) => Decimal::from_i128_with_scale(units.into(), money.digits_behind_cents()),
        }
    }
}

/// Returns the number of fraction digits of a currency: 2 for EUR, 0 for JPY; 0 if the standard defines none, e.g. for
/// gold.
pub fn fraction_digits(currency: Currency) -> u32 {
    currency.exponent().map_or(0, u32::from)
}

/// An amount with more digits than its currency has. Always: more digits, at most
/// [`FRACTION_DIGITS_MAX`](Self::FRACTION_DIGITS_MAX); cents that are a rounding of the precise amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighPrecisionMoney {
    currency: Currency,
    cents: CentAmount,
    precise_amount: i64,
    fraction_digits: u32,
}

/// Why a precise amount is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrecisionError {
    /// The number of fraction digits is not greater than that of the currency, or too large.
    FractionDigits,
    /// The cents are not one of the two that are next to the precise amount.
    Cents {
        /// The whole number of cents next below.
        below: Decimal,
        /// The whole number of cents next above.
        above: Decimal,
    },
    /// The cents need more than 64 bits.
    Overflow,
}

impl fmt::Display for PrecisionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FractionDigits => write!(
                f,
                "fraction digits that are not more than those of the currency, or more than {}",
                HighPrecisionMoney::FRACTION_DIGITS_MAX
            ),
            Self::Cents { below, above } => write!(f, "cents that are neither {below} nor {above}"),
            Self::Overflow => f.write_str("cents of more than 64 bits"),
        }
    }
}

impl HighPrecisionMoney {
    /// Most digits (reference type `HighPrecisionMoney`).
    pub const FRACTION_DIGITS_MAX: u32 = 20;

    /// `precise_amount` in 1 / 10^`fraction_digits` of the currency's major unit. Without `cents` it is rounded half to
    /// even. Fails if `fraction_digits` is not greater than the digits of the currency, if `cents` is not a rounding of
    /// the amount, or if the amount exceeds 64 bits.
    pub fn new(
        currency: Currency,
        precise_amount: i64,
        fraction_digits: u32,
        cents: Option<CentAmount>,
    ) -> Result<Self, PrecisionError> {
        let own = self::fraction_digits(currency);
        if !(own + 1..=Self::FRACTION_DIGITS_MAX).contains(&fraction_digits) {
            return Err(PrecisionError::FractionDigits);
        }
        let money = Self { currency, cents: CentAmount::ZERO, precise_amount, fraction_digits };
        let exact = money.exact_cents();
        let cents = match cents {
            None => CentAmount::round(exact, RoundingMode::HalfEven).map_err(|_| PrecisionError::Overflow)?,
            Some(cents) => {
                let [below, above] =
                    [RoundingStrategy::ToNegativeInfinity, RoundingStrategy::ToPositiveInfinity]
                        .map(|strategy| exact.round_dp_with_strategy(0, strategy));
                if ![below, above].contains(&Decimal::from(cents.0)) {
                    return Err(PrecisionError::Cents { below, above });
                }
                cents
            }
        };
        Ok(Self { cents, ..money })
    }

    /// Returns the currency.
    pub fn currency(self) -> Currency {
        self.currency
    }

    /// In 1 / 10^[`fraction_digits`](Self::fraction_digits) of the currency's major unit.
    pub fn precise_amount(self) -> i64 {
        self.precise_amount
    }

    /// Returns the number of fraction digits of the precise amount.
    pub fn fraction_digits(self) -> u32 {
        self.fraction_digits
    }

    /// 64 bits with at most 20 digits behind the point fit in a decimal.
    fn exact_cents(self) -> Decimal {
        Decimal::from_i128_with_scale(i128::from(self.precise_amount), self.digits_behind_cents())
    }

    fn digits_behind_cents(self) -> u32 {
        self.fraction_digits.saturating_sub(fraction_digits(self.currency))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dollars(precise: i64, digits: u32, cents: Option<i64>) -> Result<HighPrecisionMoney, PrecisionError> {
        HighPrecisionMoney::new(Currency::USD, precise, digits, cents.map(CentAmount))
    }

    #[test]
    fn cents_of_a_precise_amount_are_rounded_half_even() {
        for (precise, cents) in [(1015, 102), (1025, 102), (1026, 103), (-1015, -102), (4, 0)] {
            assert_eq!(Money::High(dollars(precise, 3, None).unwrap()).cents().0, cents, "{precise}");
        }
        assert_eq!(Money::High(dollars(i64::MAX, 20, None).unwrap()).cents().0, 9);
    }

    #[test]
    fn cents_that_are_given_are_one_of_the_two_next_to_the_precise_amount() {
        for cents in [101, 102] {
            assert_eq!(Money::High(dollars(1015, 3, Some(cents)).unwrap()).cents().0, cents);
        }
        for cents in [100, 103] {
            let (below, above) = (Decimal::from(101), Decimal::from(102));
            assert_eq!(dollars(1015, 3, Some(cents)), Err(PrecisionError::Cents { below, above }));
        }
    }

    #[test]
    fn high_precision_has_more_digits_than_the_currency() {
        for digits in [0, 2, 21] {
            assert_eq!(dollars(1, digits, None), Err(PrecisionError::FractionDigits), "{digits}");
        }
        assert!(HighPrecisionMoney::new(Currency::JPY, 1, 1, None).is_ok(), "yen have no digits");
    }

    proptest! {
        #[test]
        fn the_cents_are_less_than_one_from_the_exact_amount(precise: i64, digits in 3_u32..=20) {
            let money = Money::High(dollars(precise, digits, None).unwrap());
            prop_assert!((money.exact_cents() - Decimal::from(money.cents().0)).abs() < Decimal::ONE);
            let again = dollars(precise, digits, Some(money.cents().0));
            prop_assert_eq!(again.map(Money::High), Ok(money));
        }
    }
}
