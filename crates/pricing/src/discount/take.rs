//! Reductions of units by a discount, and how they are written into the items.

use crate::cent_amount::{CentAmount, overflow_error};
use crate::money::Money;
use crate::priced::{PricedItem, UnitGroup};
use crate::reduction::Permyriad;
use kontor_enums::RoundingMode;
use kontor_errors::ApiResult;

/// The reduction of some units of a price group of an item by a discount. Reductions of 0 are listed as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitReduction {
    /// The index of the item.
    pub(super) item: usize,
    /// The index of the group among those of the item.
    pub(super) group: usize,
    /// The number of units, at least 1.
    pub(super) quantity: i64,
    /// The reduction of each unit, in the last digit of the item's price.
    pub(super) amount: i64,
}

/// The unit in which amounts of several items are compared: fractions of a cent.
pub(super) const MILLIONTHS: i128 = 1_000_000;

/// Returns the sum of the reductions, in [`MILLIONTHS`] of a cent.
pub(super) fn total_reduction(items: &[PricedItem], takes: &[UnitReduction]) -> i128 {
    let saved = |take: &UnitReduction| {
        let exact = i128::from(take.amount) * i128::from(take.quantity);
        exact.saturating_mul(MILLIONTHS) / items[take.item].units_per_cent()
    };
    takes.iter().map(saved).fold(0, i128::saturating_add)
}

/// Writes reductions into the items: units of one group with different reductions become groups of their own,
/// in the order of `takes`; unaffected units come last.
pub(super) fn write(items: &mut [PricedItem], takes: &[UnitReduction], discount: usize) -> ApiResult<()> {
    for takes in merged(takes).chunk_by(|one, other| one.item == other.item) {
        let Some(item) = items.get_mut(takes[0].item) else { continue };
        let mut groups = Vec::with_capacity(item.groups.len() + takes.len());
        let mut takes = takes.iter().peekable();
        for (index, mut group) in std::mem::take(&mut item.groups).into_iter().enumerate() {
            while let Some(take) = takes.next_if(|take| take.group == index) {
                let mut included = group.included.clone();
                included.push((discount, take.amount));
                let value = group.value.checked_sub(take.amount).ok_or_else(overflow_error)?;
                groups.push(UnitGroup { quantity: take.quantity, value, included });
                group.quantity -= take.quantity;
            }
            debug_assert!(group.quantity >= 0, "no unit is taken twice");
            if group.quantity > 0 {
                groups.push(group);
            }
        }
        item.groups = groups;
        item.add_up()?;
    }
    Ok(())
}

/// Merges equal reductions of units of one group, at the place of the first one.
fn merged(takes: &[UnitReduction]) -> Vec<UnitReduction> {
    let mut takes = takes.to_vec();
    takes.sort_by_key(|take| (take.item, take.group));
    let mut merged: Vec<UnitReduction> = Vec::with_capacity(takes.len());
    let mut first_of_group = 0;
    for take in takes {
        let is_same_group = |other: &UnitReduction| (other.item, other.group) == (take.item, take.group);
        if merged.get(first_of_group).is_some_and(|first| !is_same_group(first)) {
            first_of_group = merged.len();
        }
        match merged[first_of_group..].iter_mut().find(|other| other.amount == take.amount) {
            Some(same) => same.quantity += take.quantity,
            None => merged.push(take),
        }
    }
    merged
}

/// Returns the relative reduction of a unit price. The remaining price is rounded, not the reduction
/// (recorded). 0 for prices of 0 or less.
pub(super) fn relative_reduction(value: i64, permyriad: Permyriad, rounding: RoundingMode) -> ApiResult<i64> {
    if value <= 0 {
        return Ok(0);
    }
    let left = Permyriad::WHOLE - permyriad.parts();
    let left = CentAmount(value).fraction(left.into(), Permyriad::WHOLE.into(), rounding)?;
    Ok(value - left.0)
}

/// Converts money into the last digit of an item's price, limited to 64 bits.
pub(super) fn in_units(money: Money, item: &PricedItem) -> i64 {
    let exact = i128::from(money.units()).saturating_mul(item.units_per_cent()) / money.units_per_cent();
    i64::try_from(exact).unwrap_or(i64::MAX)
}
