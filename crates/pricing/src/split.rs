//! Splitting amounts: no cent is lost, and none is made.
//!
//! How the cents are shared out that are left after rounding is not documented. Where they go here reproduces what the
//! platform was recorded to calculate (docs/decisions/*-pricing.md).

use crate::cent_amount::CentAmount;
use kontor_errors::ApiResult;

/// As many units of a line that have the same share of an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitShare {
    /// How many, at least 1.
    pub units: i64,
    /// The share of each of them.
    pub amount: CentAmount,
}

impl CentAmount {
    /// Shares in the proportion of `weights`, in their sequence; their sum is the whole. Each is less than a
    /// cent away from its exact value: cents that are left after rounding toward zero go to the first ones that were
    /// rounded. Weights that are all zero count as equal. Without weights there are no shares.
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

    /// What an absolute discount takes off each of several values, for which it is in proportion: at most all of them,
    /// and nothing off what is worth nothing.
    ///
    /// Neither the amount nor a value is below zero. `MoneyOverflow` where the values are too much together.
    pub fn taken_off_each(self, values: &[Self]) -> ApiResult<Vec<Self>> {
        debug_assert!(self >= Self::ZERO && values.iter().all(|value| *value >= Self::ZERO));
        let amount = self.min(Self::sum(values.iter().copied())?);
        if amount == Self::ZERO {
            return Ok(vec![Self::ZERO; values.len()]);
        }
        let weights: Vec<u64> = values.iter().map(|value| value.0.unsigned_abs()).collect();
        let shares = amount.split_by(&weights);
        debug_assert!(shares.iter().zip(values).all(|(share, value)| share <= value));
        Ok(shares)
    }

    /// The shares of `units` equal units, which differ by a cent at most: one group or two, the smaller share first.
    /// Their sum is the whole. No units have no shares.
    pub fn over_units(self, units: i64) -> Vec<UnitShare> {
        if units <= 0 {
            return Vec::new();
        }
        let (share, rest) = (self.0.div_euclid(units), self.0.rem_euclid(units));
        let smaller = UnitShare { units: units - rest, amount: Self(share) };
        let mut groups = vec![smaller];
        if rest > 0 {
            groups.push(UnitShare { units: rest, amount: Self(share + 1) });
        }
        debug_assert_eq!(
            groups.iter().map(|group| i128::from(group.units) * i128::from(group.amount.0)).sum::<i128>(),
            i128::from(self.0)
        );
        groups
    }
}

/// A magnitude that is no larger than that of `like`, with the sign of `like`.
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
            (2000, &[32_400, 5400][..], &[1715, 285][..]),
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

    #[test]
    fn units_of_a_line_are_shared_as_they_were_recorded() {
        let groups = |amount: i64, units: i64| -> Vec<(i64, i64)> {
            let groups = CentAmount(amount).over_units(units);
            groups.into_iter().map(|group| (group.units, group.amount.0)).collect()
        };
        assert_eq!(groups(1000, 3), [(2, 333), (1, 334)]);
        assert_eq!(groups(299, 3), [(1, 99), (2, 100)]);
        assert_eq!(groups(100, 3), [(2, 33), (1, 34)]);
        assert_eq!(groups(1000, 4), [(4, 250)]);
        assert_eq!(groups(1000, 0), []);
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

        #[test]
        fn shares_of_units_differ_by_a_cent_at_most(amount: i64, units in 1_i64..10_000) {
            let groups = CentAmount(amount).over_units(units);
            prop_assert_eq!(groups.iter().map(|group| group.units).sum::<i64>(), units);
            let whole: i128 = groups.iter().map(|group| i128::from(group.units) * i128::from(group.amount.0)).sum();
            prop_assert_eq!(whole, i128::from(amount));
            if let [smaller, larger] = groups[..] {
                prop_assert_eq!(smaller.amount.0 + 1, larger.amount.0);
            }
        }
    }
}
