//! Amounts in the smallest unit of a currency: exact, checked, never a float.
//!
//! Source: reference types `Money`, `MoneyOverflowError`, `RoundingMode`.

use kontor_enums::RoundingMode;
use kontor_errors::{ApiError, ApiResult, Code};
use rust_decimal::prelude::ToPrimitive;
use rust_decimal::{Decimal, RoundingStrategy};
use std::cmp::Ordering;

/// An amount in the smallest unit of a currency: cents of EUR, yen of JPY. The currency is stored separately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CentAmount(pub i64);

/// Returns the direction in which half a cent is rounded.
fn strategy(mode: RoundingMode) -> RoundingStrategy {
    match mode {
        RoundingMode::HalfEven => RoundingStrategy::MidpointNearestEven,
        RoundingMode::HalfUp => RoundingStrategy::MidpointAwayFromZero,
        RoundingMode::HalfDown => RoundingStrategy::MidpointTowardZero,
    }
}

impl CentAmount {
    /// An amount of 0.
    pub const ZERO: Self = Self(0);

    /// Returns the sum. Fails with `MoneyOverflow` if it exceeds 64 bits.
    pub fn plus(self, other: Self) -> ApiResult<Self> {
        self.0.checked_add(other.0).map(Self).ok_or_else(overflow_error)
    }

    /// Returns the difference. Fails with `MoneyOverflow` if it exceeds 64 bits.
    pub fn minus(self, other: Self) -> ApiResult<Self> {
        self.0.checked_sub(other.0).map(Self).ok_or_else(overflow_error)
    }

    /// Returns the product with `count`. Fails with `MoneyOverflow` if it exceeds 64 bits.
    pub fn multiply(self, count: i64) -> ApiResult<Self> {
        self.0.checked_mul(count).map(Self).ok_or_else(overflow_error)
    }

    /// Returns `part` of `whole` equal parts of the amount, rounded once. The value before rounding is exact, unlike a
    /// division of decimals: a third of a cent has no last digit. Fails with `MoneyOverflow` if it exceeds 64 bits.
    ///
    /// `whole` must be greater than 0.
    pub fn fraction(self, part: i128, whole: i128, rounding: RoundingMode) -> ApiResult<Self> {
        debug_assert!(whole > 0, "a share of {whole} parts");
        let exact = i128::from(self.0).checked_mul(part).ok_or_else(overflow_error)?;
        let below = exact.checked_div_euclid(whole).ok_or_else(overflow_error)?;
        let rest = exact.rem_euclid(whole);
        // Half of the whole, without a product that could be too large.
        let is_above = match rest.cmp(&(whole - rest)) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => match rounding {
                RoundingMode::HalfEven => below % 2 != 0,
                RoundingMode::HalfUp => exact > 0,
                RoundingMode::HalfDown => exact < 0,
            },
        };
        i64::try_from(below + i128::from(is_above)).map(Self).map_err(|_| overflow_error())
    }

    /// Rounds an exact number of cents to a whole one. Fails with `MoneyOverflow` if it exceeds 64 bits.
    pub fn round(exact: Decimal, rounding: RoundingMode) -> ApiResult<Self> {
        exact.round_dp_with_strategy(0, strategy(rounding)).to_i64().map(Self).ok_or_else(overflow_error)
    }

    /// Returns the sum of many amounts. Fails with `MoneyOverflow` if it exceeds 64 bits; sums of a part of them may.
    pub fn sum(amounts: impl IntoIterator<Item = Self>) -> ApiResult<Self> {
        let whole: i128 = amounts.into_iter().map(|amount| i128::from(amount.0)).sum();
        i64::try_from(whole).map(Self).map_err(|_| overflow_error())
    }
}

pub(crate) fn overflow_error() -> ApiError {
    ApiError::new(Code::MoneyOverflow, "A Money operation resulted in an overflow.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounded(exact: &str, rounding: RoundingMode) -> i64 {
        CentAmount::round(exact.parse().unwrap(), rounding).unwrap().0
    }

    #[test]
    fn half_a_cent_goes_where_the_mode_says() {
        use RoundingMode::{HalfDown, HalfEven, HalfUp};
        for (exact, even, up, down) in [
            ("0.5", 0, 1, 0),
            ("1.5", 2, 2, 1),
            ("2.5", 2, 3, 2),
            ("-0.5", 0, -1, 0),
            ("-1.5", -2, -2, -1),
            ("2.4999", 2, 2, 2),
            ("2.5001", 3, 3, 3),
        ] {
            let found = [HalfEven, HalfUp, HalfDown].map(|rounding| rounded(exact, rounding));
            assert_eq!(found, [even, up, down], "{exact}");
        }
    }

    #[test]
    fn amounts_beyond_64_bits_overflow() {
        let most = CentAmount(i64::MAX);
        for result in [
            most.plus(CentAmount(1)),
            CentAmount(i64::MIN).minus(CentAmount(1)),
            most.multiply(2),
            most.fraction(10, 1, RoundingMode::HalfEven),
            most.fraction(i128::MAX, i128::MAX, RoundingMode::HalfEven),
            CentAmount::sum([most, most]),
        ] {
            assert_eq!(result.unwrap_err().code(), Code::MoneyOverflow);
        }
        assert_eq!(CentAmount::sum([most, most, CentAmount(-i64::MAX)]).unwrap(), most);
    }

    #[test]
    fn a_share_is_rounded_once() {
        let tax = |rounding| CentAmount(1050).fraction(19, 100, rounding).unwrap().0;
        assert_eq!(tax(RoundingMode::HalfEven), 200, "199.5");
        assert_eq!(tax(RoundingMode::HalfUp), 200, "199.5");
        assert_eq!(tax(RoundingMode::HalfDown), 199, "199.5");
    }

    const ROUNDINGS: [RoundingMode; 3] =
        [RoundingMode::HalfEven, RoundingMode::HalfUp, RoundingMode::HalfDown];

    proptest! {
        #[test]
        fn a_share_is_the_exact_one_rounded(
            cents in -1_000_000_000_000_i64..1_000_000_000_000,
            part in 0_i64..1_000_000,
            digits in 0_u32..7,
            rounding in prop::sample::select(&ROUNDINGS[..]),
        ) {
            // Fractions of powers of ten have exact decimals, so decimals give the same result.
            let exact = Decimal::from_i128_with_scale(i128::from(cents) * i128::from(part), digits);
            let share = CentAmount(cents).fraction(i128::from(part), 10_i128.pow(digits), rounding);
            prop_assert_eq!(share.unwrap(), CentAmount::round(exact, rounding).unwrap());
        }

        #[test]
        fn a_share_is_at_most_half_a_cent_from_its_exact_value(
            cents: i64,
            part in -1_000_000_i128..1_000_000,
            more in 1_i128..1_000_000,
            rounding in prop::sample::select(&ROUNDINGS[..]),
        ) {
            let whole = part.abs() + more;
            let share = CentAmount(cents).fraction(part, whole, rounding).unwrap();
            let off = i128::from(share.0) * whole - i128::from(cents) * part;
            prop_assert!(off.abs() * 2 <= whole, "{share:?} is {off}/{whole} away");
        }

        #[test]
        fn addition_and_subtraction_are_inverse(one: i64, other: i64) {
            match CentAmount(one).plus(CentAmount(other)) {
                Ok(sum) => prop_assert_eq!(sum.minus(CentAmount(other)).unwrap(), CentAmount(one)),
                Err(error) => {
                    prop_assert_eq!(error.code(), Code::MoneyOverflow);
                    prop_assert!(one.checked_add(other).is_none());
                }
            }
        }

        #[test]
        fn many_times_is_the_sum_of_as_many(cents: i64, count in 0_i64..50) {
            let many = std::iter::repeat_n(CentAmount(cents), usize::try_from(count).unwrap());
            match (CentAmount(cents).multiply(count), CentAmount::sum(many)) {
                (Ok(product), Ok(sum)) => prop_assert_eq!(product, sum),
                (Err(one), Err(other)) => prop_assert_eq!(one.code(), other.code()),
                (one, other) => prop_assert!(false, "{one:?} is not {other:?}"),
            }
        }

        #[test]
        fn rounding_moves_by_half_a_cent_at_most(
            precise: i64,
            scale in 0_u32..20,
            rounding in prop::sample::select(&ROUNDINGS[..]),
        ) {
            let exact = Decimal::from_i128_with_scale(i128::from(precise), scale);
            let found = CentAmount::round(exact, rounding).unwrap();
            prop_assert!((Decimal::from(found.0) - exact).abs() <= Decimal::new(5, 1));
        }
    }
}
