//! Proration: splits amounts without losing or adding a cent.
//!
//! The documentation does not say which parts get the cents that are left after rounding. The choice here
//! reproduces recorded responses of the platform (docs/decisions/*-pricing.md).

use crate::cent_amount::CentAmount;
use kontor_errors::ApiResult;
use std::cmp::Reverse;

impl CentAmount {
    /// Splits the amount in proportion to `weights`, in their order; the sum of the shares is the whole. Each share
    /// differs by less than a cent from its exact value: remaining cents after rounding toward zero go to the first
    /// rounded shares. Weights that are all zero count as equal. Without weights there are no shares.
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
        let exact = |weight: &u64| whole * u128::from(*weight);
        let rounded: u128 = weights.iter().map(|weight| exact(weight) / total).sum();
        let mut left = if weights.is_empty() { 0 } else { whole - rounded };
        let share = |weight: &u64| {
            let (share, rest) = (exact(weight) / total, exact(weight) % total);
            let is_more = rest > 0 && left > 0;
            left -= u128::from(is_more);
            Self(with_sign(share + u128::from(is_more), self.0))
        };
        let shares: Vec<Self> = weights.iter().map(share).collect();
        debug_assert!(shares.is_empty() || Self::sum(shares.iter().copied()).is_ok_and(|sum| sum == self));
        shares
    }

    /// Splits an absolute discount over several values, in proportion: at most all of them, and 0 for values
    /// of 0. Remaining cents go to the greatest values, and to the first ones among equals.
    ///
    /// Neither the amount nor a value is negative. Fails with `MoneyOverflow` if the sum of the values exceeds 64 bits.
    pub fn taken_off_each(self, values: &[Self]) -> ApiResult<Vec<Self>> {
        debug_assert!(self >= Self::ZERO && values.iter().all(|value| *value >= Self::ZERO));
        let amount = self.min(Self::sum(values.iter().copied())?);
        let mut shares = vec![Self::ZERO; values.len()];
        if amount == Self::ZERO {
            return Ok(shares);
        }
        let mut greatest_first: Vec<usize> = (0..values.len()).collect();
        greatest_first.sort_by_key(|index| Reverse(values[*index]));
        let weights: Vec<u64> = greatest_first.iter().map(|index| values[*index].0.unsigned_abs()).collect();
        for (index, share) in greatest_first.into_iter().zip(amount.split_by(&weights)) {
            shares[index] = share;
        }
        debug_assert!(shares.iter().zip(values).all(|(share, value)| share <= value));
        Ok(shares)
    }
}

/// Returns a magnitude, which is at most that of `like`, with the sign of `like`.
fn with_sign(magnitude: u128, like: i64) -> i64 {
    let signed = i128::try_from(magnitude).unwrap_or(i128::MAX) * i128::from(like.signum());
    i64::try_from(signed).unwrap_or(like)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn amounts(cents: &[i64]) -> Vec<CentAmount> {
        cents.iter().copied().map(CentAmount).collect()
    }

    #[test]
    fn cents_that_are_left_go_to_the_first_shares_that_were_rounded() {
        let shares = |whole: i64, weights: &[u64]| -> Vec<i64> {
            CentAmount(whole).split_by(weights).into_iter().map(|share| share.0).collect()
        };
        assert_eq!(shares(100, &[1, 1, 1]), [34, 33, 33]);
        assert_eq!(shares(100, &[1, 2]), [34, 66]);
        assert_eq!(shares(100, &[2, 1, 1]), [50, 25, 25]);
        assert_eq!(shares(101, &[0, 1, 1]), [0, 51, 50]);
        assert_eq!(shares(-100, &[1, 1, 1]), [-34, -33, -33]);
        assert_eq!(shares(5, &[0, 0]), [3, 2]);
        assert_eq!(shares(5, &[0, 3]), [0, 5]);
        assert_eq!(shares(5, &[]), [0; 0]);
        assert_eq!(shares(i64::MIN, &[u64::MAX]), [i64::MIN]);
    }

    #[test]
    fn absolute_discounts_are_shared_as_they_were_recorded() {
        for (amount, values, shares) in [
            // The public documentation's own: 15.00 off one for 16.00 and two for 20.00.
            (1500, &[1600, 4000][..], &[428, 1072][..]),
            (2000, &[32_400, 5400], &[1715, 285]),
            (1000, &[30_685, 5115], &[858, 142]),
            (999, &[51_996, 0, 14_769], &[779, 0, 220]),
            // More than there is, and nothing that there is.
            (5000, &[1000, 500], &[1000, 500]),
            (5000, &[0, 0], &[0, 0]),
        ] {
            let found = CentAmount(amount).taken_off_each(&amounts(values)).unwrap();
            assert_eq!(found, amounts(shares), "{amount} off {values:?}");
        }
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
        fn a_discount_takes_what_it_says_or_all_there_is_and_from_no_line_more_than_its_value(
            amount in 0_i64..3_000_000,
            values in prop::collection::vec(prop_oneof![Just(0), 0_i64..1_000_000], 0..20),
        ) {
            let shares = CentAmount(amount).taken_off_each(&amounts(&values)).unwrap();
            prop_assert!(shares.iter().zip(&values).all(|(share, value)| (0..=*value).contains(&share.0)));
            let taken: i64 = shares.iter().map(|share| share.0).sum();
            prop_assert_eq!(taken, amount.min(values.iter().sum()));
        }
    }
}
