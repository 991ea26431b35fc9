//! Discounts on all units of some items (`lineItems`, `customLineItems`).

use super::definition::DiscountValue;
use super::even_split::{UnitCapacity, UnitShare, spread_evenly};
use super::take::{UnitReduction, in_units, relative_reduction};
use crate::cent_amount::{CentAmount, overflow_error};
use crate::priced::PricedItem;
use kontor_enums::{DiscountApplicationMode, RoundingMode};
use kontor_errors::ApiResult;

/// Returns the reductions of the items with these indexes, all of which allow discounts.
pub(super) fn takes_of_items(
    items: &[PricedItem],
    targets: &[usize],
    value: &DiscountValue,
    rounding: RoundingMode,
) -> ApiResult<Vec<UnitReduction>> {
    match value {
        DiscountValue::Absolute { amount, mode: DiscountApplicationMode::ProportionateDistribution } => {
            proportionate(items, targets, *amount)
        }
        DiscountValue::Absolute { amount, mode: DiscountApplicationMode::EvenDistribution } => {
            Ok(even(items, targets, *amount))
        }
        _ => {
            let mut takes = Vec::new();
            for item in targets {
                for (group, units) in items[*item].groups.iter().enumerate() {
                    let amount = off_unit(units.value, &items[*item], value, rounding)?;
                    takes.extend(amount.map(|amount| UnitReduction {
                        item: *item,
                        group,
                        quantity: units.quantity,
                        amount,
                    }));
                }
            }
            Ok(takes)
        }
    }
}

/// Returns the reduction of a single unit; `None` if the discount does not apply, e.g. because a fixed price
/// is not lower (reference type `CartDiscountValueFixed`).
pub(super) fn off_unit(
    unit: i64,
    item: &PricedItem,
    value: &DiscountValue,
    rounding: RoundingMode,
) -> ApiResult<Option<i64>> {
    match value {
        DiscountValue::Relative { permyriad, .. } => relative_reduction(unit, *permyriad, rounding).map(Some),
        DiscountValue::Absolute { amount, .. } => {
            let amount = i128::from(amount.0).saturating_mul(item.units_per_cent());
            let most = i128::from(unit.max(0));
            i64::try_from(amount.min(most)).map(Some).map_err(|_| overflow_error())
        }
        DiscountValue::Fixed { price, .. } => {
            let price = in_units(*price, item);
            Ok((unit > price).then(|| unit - price))
        }
    }
}

/// Splits the amount in proportion to the prices of the items; the units of an item have equal shares.
fn proportionate(
    items: &[PricedItem],
    targets: &[usize],
    amount: CentAmount,
) -> ApiResult<Vec<UnitReduction>> {
    let values = targets.iter().map(|item| cents_of(&items[*item])).collect::<ApiResult<Vec<_>>>()?;
    let mut takes = Vec::new();
    for (item, share) in targets.iter().zip(amount.taken_off_each(&values)?) {
        let givings: Vec<UnitCapacity> =
            items[*item].groups.iter().map(|group| giving(group.quantity, group.value)).collect();
        let share = i128::from(share.0).saturating_mul(items[*item].units_per_cent());
        for (group, shares) in spread_evenly(share, &givings).into_iter().enumerate() {
            takes.extend(shares.into_iter().map(|share| take_of(*item, group, share)));
        }
    }
    Ok(takes)
}

/// Splits the amount evenly over the units of all items.
fn even(items: &[PricedItem], targets: &[usize], amount: CentAmount) -> Vec<UnitReduction> {
    let groups = targets.iter().flat_map(|item| (0..items[*item].groups.len()).map(|group| (*item, group)));
    let groups: Vec<(usize, usize)> = groups.collect();
    let giving_of = |(item, group): &(usize, usize)| {
        let group = &items[*item].groups[*group];
        giving(group.quantity, cents_up(group.value.into(), items[*item].units_per_cent()))
    };
    let givings: Vec<UnitCapacity> = groups.iter().map(giving_of).collect();
    let mut takes = Vec::new();
    for ((item, group), shares) in groups.into_iter().zip(spread_evenly(amount.0.into(), &givings)) {
        for share in shares {
            takes.push(UnitReduction {
                amount: in_item_units(share.amount, &items[item], group),
                ..take_of(item, group, share)
            });
        }
    }
    takes
}

fn take_of(item: usize, group: usize, share: UnitShare) -> UnitReduction {
    UnitReduction { item, group, quantity: share.units, amount: share.amount.0 }
}

pub(super) fn giving(units: i64, value: i64) -> UnitCapacity {
    UnitCapacity { units, most: value.max(0) }
}

/// Converts an amount in cents into the smallest units of the item's price, at most the price.
pub(super) fn in_item_units(amount: CentAmount, item: &PricedItem, group: usize) -> i64 {
    let exact = i128::from(amount.0).saturating_mul(item.units_per_cent());
    let most = item.groups[group].value.max(0);
    i64::try_from(exact).map_or(most, |exact| exact.min(most))
}

/// Returns the price of all units of an item in cents, rounded up so that all of it can be taken; 0 for a
/// negative price.
fn cents_of(item: &PricedItem) -> ApiResult<CentAmount> {
    let groups = item.groups.iter();
    let value: i128 = groups.map(|group| i128::from(group.value.max(0)) * i128::from(group.quantity)).sum();
    let per_cent = item.units_per_cent();
    i64::try_from((value + per_cent - 1) / per_cent).map(CentAmount).map_err(|_| overflow_error())
}

/// Cents, a part of one counted as a whole one.
pub(super) fn cents_up(units: i128, per_cent: i128) -> i64 {
    i64::try_from((units.max(0) + per_cent - 1) / per_cent).unwrap_or(i64::MAX)
}
