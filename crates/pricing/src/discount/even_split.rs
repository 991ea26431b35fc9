//! Splits an amount evenly over units.

use crate::cent_amount::CentAmount;

/// A number of units with the same share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitShare {
    /// The number of units, at least 1.
    pub(super) units: i64,
    /// The share of each of them.
    pub(super) amount: CentAmount,
}

/// A number of units with the same maximum share.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitCapacity {
    /// The number of units.
    pub(super) units: i64,
    /// The price of each unit: not negative.
    pub(super) most: i64,
}

/// Returns each unit's share of `amount`. All units have the same share, except units with a lower price,
/// which give all of it, and the last units, each of which gives one more cent until nothing is left
/// (recorded: of 1000 off three units two lose 333 and the last one 334). The result has, for each of
/// `givings`, its units in groups of one share.
pub(super) fn spread_evenly(amount: i128, givings: &[UnitCapacity]) -> Vec<Vec<UnitShare>> {
    let (level, mut last) = level_of(amount, givings);
    let mut shares = vec![Vec::new(); givings.len()];
    for (giving, shares) in givings.iter().zip(&mut shares).rev() {
        let has_more = giving.most > level;
        let more = if has_more { i64::try_from(last).unwrap_or(i64::MAX).min(giving.units) } else { 0 };
        last -= i128::from(more);
        let mut push = |units: i64, amount: i64| {
            if units > 0 {
                shares.push(UnitShare { units, amount: CentAmount(amount) });
            }
        };
        push(giving.units - more, giving.most.min(level));
        push(more, level.saturating_add(1));
    }
    shares
}

/// Returns the share of units whose price allows it, and the number of units that give one cent more.
fn level_of(amount: i128, givings: &[UnitCapacity]) -> (i64, i128) {
    let mut by_most: Vec<&UnitCapacity> = givings.iter().collect();
    by_most.sort_by_key(|giving| giving.most);
    let mut left = amount.max(0);
    let mut units: i128 = givings.iter().map(|giving| i128::from(giving.units)).sum();
    for giving in by_most {
        let (most, giving_units) = (i128::from(giving.most), i128::from(giving.units));
        if most * units > left {
            // The quotient is below this unit's price, which fits in 64 bits.
            return (i64::try_from(left / units).unwrap_or(giving.most), left % units);
        }
        left -= most * giving_units;
        units -= giving_units;
    }
    (i64::MAX, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spread(amount: i128, givings: &[(i64, i64)]) -> Vec<Vec<(i64, i64)>> {
        let givings: Vec<UnitCapacity> =
            givings.iter().map(|(units, most)| UnitCapacity { units: *units, most: *most }).collect();
        let shares = spread_evenly(amount, &givings);
        shares
            .into_iter()
            .map(|shares| shares.into_iter().map(|share| (share.units, share.amount.0)).collect())
            .collect()
    }

    #[test]
    fn shares_of_units_match_the_recorded_ones() {
        assert_eq!(spread(1000, &[(3, 1099)]), [[(2, 333), (1, 334)]]);
        assert_eq!(spread(299, &[(3, 299)]), [[(1, 99), (2, 100)]]);
        assert_eq!(spread(1715, &[(6, 5400)]), [[(1, 285), (5, 286)]]);
        assert_eq!(spread(858, &[(1, 5115), (5, 5114)]), [[(1, 143)], [(5, 143)]]);
        assert_eq!(spread(26_500, &[(1, 8834), (2, 8833)]), [[(1, 8834)], [(2, 8833)]]);
    }

    #[test]
    fn units_with_lower_prices_give_their_whole_price() {
        assert_eq!(spread(1000, &[(1, 0), (1, 25_999)]), [[(1, 0)], [(1, 1000)]]);
        assert_eq!(
            spread(100, &[(2, 10), (2, 50), (1, 30)]),
            [vec![(2, 10)], vec![(1, 26), (1, 27)], vec![(1, 27)]]
        );
        assert_eq!(spread(1000, &[(2, 10), (1, 5)]), [[(2, 10)], [(1, 5)]]);
        assert_eq!(spread(0, &[(2, 10)]), [[(2, 0)]]);
    }

    proptest! {
        #[test]
        fn shares_add_up_and_differ_by_at_most_one_cent(
            amount in 0_i128..100_000,
            givings in prop::collection::vec((1_i64..20, 0_i64..2000), 1..8),
        ) {
            let found = spread(amount, &givings);
            let total: i128 = givings.iter().map(|(units, most)| i128::from(units * most)).sum();
            let given: i64 = found.iter().flatten().map(|(units, amount)| units * amount).sum();
            prop_assert_eq!(i128::from(given), amount.min(total));
            let mut free = Vec::new();
            for ((units, most), shares) in givings.iter().zip(&found) {
                prop_assert_eq!(shares.iter().map(|(units, _)| units).sum::<i64>(), *units);
                prop_assert!(shares.iter().all(|(_, amount)| amount <= most));
                free.extend(shares.iter().filter(|(_, amount)| amount < most).map(|(_, amount)| *amount));
            }
            let most_given = found.iter().flatten().map(|(_, amount)| *amount).max().unwrap();
            prop_assert!(free.iter().all(|amount| amount + 1 >= most_given), "{:?}", found);
        }
    }
}
