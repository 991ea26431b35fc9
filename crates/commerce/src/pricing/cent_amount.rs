//! Amounts in the smallest unit of a currency: exact, checked, never a float.
//!
//! Source: reference types `Money`, `MoneyOverflowError`, `RoundingMode`.

use kontor_errors::{ApiError, ApiResult, Code};
use rust_decimal::prelude::ToPrimitive;
use rust_decimal::{Decimal, RoundingStrategy};

/// An amount in the smallest unit of a currency: cents of EUR, yen of JPY. The currency stands beside it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CentAmount(pub i64);

/// What becomes of half a cent (reference type `RoundingMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// To the even neighbour, so that errors cancel out. The default.
    HalfEven,
    /// Away from zero.
    HalfUp,
    /// Toward zero.
    HalfDown,
}

impl Rounding {
    /// The rounding mode of a name as it stands in documents.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "HalfEven" => Some(Self::HalfEven),
            "HalfUp" => Some(Self::HalfUp),
            "HalfDown" => Some(Self::HalfDown),
            _ => None,
        }
    }

    fn strategy(self) -> RoundingStrategy {
        match self {
            Self::HalfEven => RoundingStrategy::MidpointNearestEven,
            Self::HalfUp => RoundingStrategy::MidpointAwayFromZero,
            Self::HalfDown => RoundingStrategy::MidpointTowardZero,
        }
    }
}

impl CentAmount {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The sum, or `MoneyOverflow`.
    pub fn plus(self, other: Self) -> ApiResult<Self> {
        self.0.checked_add(other.0).map(Self).ok_or_else(overflow)
    }

    /// The difference, or `MoneyOverflow`.
    pub fn minus(self, other: Self) -> ApiResult<Self> {
        self.0.checked_sub(other.0).map(Self).ok_or_else(overflow)
    }

    /// As often as `count`, or `MoneyOverflow`.
    pub fn times(self, count: i64) -> ApiResult<Self> {
        self.0.checked_mul(count).map(Self).ok_or_else(overflow)
    }

    /// The share that `rate` is, for example a tax of 0.19, rounded once; or `MoneyOverflow`.
    pub fn at_rate(self, rate: Decimal, rounding: Rounding) -> ApiResult<Self> {
        Decimal::from(self.0)
            .checked_mul(rate)
            .ok_or_else(overflow)
            .and_then(|exact| Self::rounded(exact, rounding))
    }

    /// An exact number of cents rounded to a whole one, or `MoneyOverflow`.
    pub fn rounded(exact: Decimal, rounding: Rounding) -> ApiResult<Self> {
        exact.round_dp_with_strategy(0, rounding.strategy()).to_i64().map(Self).ok_or_else(overflow)
    }

    /// The sum of many, or `MoneyOverflow`. Only the whole must fit, not each step on the way.
    pub fn sum(amounts: impl IntoIterator<Item = Self>) -> ApiResult<Self> {
        let whole: i128 = amounts.into_iter().map(|amount| i128::from(amount.0)).sum();
        i64::try_from(whole).map(Self).map_err(|_| overflow())
    }

    /// Shares in the proportion of `weights`, in their sequence; their sum is the whole. Each is less than a
    /// cent away from its exact value: cents that are left after rounding toward zero go to the largest
    /// remainders, the first of equal ones. Weights that are all zero count as equal. Without weights there
    /// are no shares.
    pub fn split_by(self, weights: &[u64]) -> Vec<Self> {
        let equal;
        let weights = if weights.iter().all(|weight| *weight == 0) {
            equal = vec![1; weights.len()];
            &equal
        } else {
            weights
        };
        let total: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
        let whole = u128::from(self.0.unsigned_abs());
        // 63 bits by 64 bits fit in 128.
        let parts = weights.iter().map(|weight| whole * u128::from(*weight));
        let (mut shares, remainders): (Vec<u128>, Vec<u128>) =
            parts.map(|part| (part / total, part % total)).unzip();
        let left = whole - shares.iter().sum::<u128>().min(whole);
        let mut by_remainder: Vec<usize> = (0..shares.len()).collect();
        by_remainder.sort_by_key(|index| std::cmp::Reverse(remainders[*index]));
        for index in by_remainder.into_iter().take(usize::try_from(left).unwrap_or(usize::MAX)) {
            shares[index] += 1;
        }
        shares.into_iter().map(|share| Self(with_sign(share, self.0))).collect()
    }
}

/// A magnitude that is no larger than that of `like`, with the sign of `like`.
fn with_sign(magnitude: u128, like: i64) -> i64 {
    let signed = i128::try_from(magnitude).unwrap_or(i128::MAX) * i128::from(like.signum());
    i64::try_from(signed).unwrap_or(like)
}

pub(super) fn overflow() -> ApiError {
    ApiError::new(Code::MoneyOverflow, "A Money operation resulted in an overflow.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounded(exact: &str, rounding: Rounding) -> i64 {
        CentAmount::rounded(exact.parse().unwrap(), rounding).unwrap().0
    }

    #[test]
    fn half_a_cent_goes_where_the_mode_says() {
        use Rounding::{HalfDown, HalfEven, HalfUp};
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
    fn what_does_not_fit_is_an_overflow() {
        let most = CentAmount(i64::MAX);
        for result in [
            most.plus(CentAmount(1)),
            CentAmount(i64::MIN).minus(CentAmount(1)),
            most.times(2),
            most.at_rate(Decimal::TEN, Rounding::HalfEven),
            CentAmount::sum([most, most]),
        ] {
            assert_eq!(result.unwrap_err().code(), Code::MoneyOverflow);
        }
        assert_eq!(CentAmount::sum([most, most, CentAmount(-i64::MAX)]).unwrap(), most);
    }

    #[test]
    fn a_rate_is_rounded_once() {
        let tax = CentAmount(1050).at_rate("0.19".parse().unwrap(), Rounding::HalfEven).unwrap();
        assert_eq!(tax, CentAmount(200));
        let tax = CentAmount(1050).at_rate("0.19".parse().unwrap(), Rounding::HalfDown).unwrap();
        assert_eq!(tax, CentAmount(199), "199.5");
    }

    #[test]
    fn cents_that_are_left_go_to_the_largest_remainders() {
        let shares = |whole: i64, weights: &[u64]| -> Vec<i64> {
            CentAmount(whole).split_by(weights).into_iter().map(|share| share.0).collect()
        };
        assert_eq!(shares(100, &[1, 1, 1]), [34, 33, 33]);
        assert_eq!(shares(100, &[1, 2]), [33, 67]);
        assert_eq!(shares(-100, &[1, 1, 1]), [-34, -33, -33]);
        assert_eq!(shares(5, &[0, 0]), [3, 2]);
        assert_eq!(shares(5, &[0, 3]), [0, 5]);
        assert_eq!(shares(5, &[]), [0; 0]);
        assert_eq!(shares(i64::MIN, &[u64::MAX]), [i64::MIN]);
    }

    proptest! {
        #[test]
        fn a_split_neither_makes_nor_loses_a_cent(whole: i64, weights in prop::collection::vec(any::<u64>(), 1..20)) {
            let shares = CentAmount(whole).split_by(&weights);
            prop_assert_eq!(shares.len(), weights.len());
            prop_assert_eq!(CentAmount::sum(shares).unwrap(), CentAmount(whole));
        }

        #[test]
        fn a_share_is_less_than_a_cent_from_its_exact_value(
            whole in -1_000_000_000_i64..1_000_000_000,
            weights in prop::collection::vec(1_u64..1_000_000, 1..20),
        ) {
            let total: u64 = weights.iter().sum();
            for (share, weight) in CentAmount(whole).split_by(&weights).into_iter().zip(&weights) {
                let exact = i128::from(whole) * i128::from(*weight);
                let off = i128::from(share.0) * i128::from(total) - exact;
                prop_assert!(off.abs() < i128::from(total), "{share:?} of {whole} by {weight}/{total}");
            }
        }

        #[test]
        fn rounding_moves_by_half_a_cent_at_most(
            precise: i64,
            scale in 0_u32..20,
            rounding in prop::sample::select(&[Rounding::HalfEven, Rounding::HalfUp, Rounding::HalfDown][..]),
        ) {
            let exact = Decimal::from_i128_with_scale(i128::from(precise), scale);
            let found = CentAmount::rounded(exact, rounding).unwrap();
            prop_assert!((Decimal::from(found.0) - exact).abs() <= Decimal::new(5, 1));
        }
    }
}
