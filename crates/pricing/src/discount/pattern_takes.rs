//! The reductions of the units in the applications of a pattern.
//!
//! Source: reference types `CartDiscountValueRelative`, `CartDiscountValueAbsolute` and
//! `CartDiscountValueFixed`, field `applicationMode`. Each application is split separately; equal
//! applications are calculated once and counted.

use super::definition::{DiscountValue, Pattern};
use super::even_split::{UnitCapacity, spread_evenly};
use super::items::{cents_up, giving, in_item_units, off_unit};
use super::pattern::{PatternApplications, TakenUnits, applications_of};
use super::take::{UnitReduction, relative_reduction};
use crate::cent_amount::CentAmount;
use crate::priced::PricedItem;
use kontor_enums::{DiscountApplicationMode, RoundingMode};
use kontor_errors::ApiResult;

/// Returns the reductions of the items, in which the custom line items begin at the given index. Units of
/// triggers list the discount with 0, unless they take part in it.
pub(super) fn takes_of_pattern(
    items: &[PricedItem],
    custom_from: usize,
    pattern: &Pattern,
    value: &DiscountValue,
    rounding: RoundingMode,
) -> ApiResult<Vec<UnitReduction>> {
    let (mut takes, mut untouched) = (Vec::new(), Vec::new());
    for application in applications_of(items, custom_from, pattern) {
        let PatternApplications { times, targets, triggers } = application;
        let bears_part = |value: &DiscountValue| match value {
            DiscountValue::Relative { mode, .. } => *mode != DiscountApplicationMode::IndividualApplication,
            DiscountValue::Absolute { .. } | DiscountValue::Fixed { .. } => false,
        };
        let bearing = if bears_part(value) { [&targets[..], &triggers].concat() } else { targets.clone() };
        let taken = takes_of_one(items, &targets, &bearing, value, rounding)?;
        if taken.is_empty() {
            continue;
        }
        takes.extend(taken.into_iter().map(|take| UnitReduction { quantity: take.quantity * times, ..take }));
        if !bears_part(value) {
            untouched.extend(
                triggers
                    .iter()
                    .map(|chosen| UnitReduction { quantity: chosen.quantity * times, ..take_of(chosen, 0) }),
            );
        }
    }
    takes.extend(untouched);
    Ok(takes)
}

/// Returns the reductions of one application; none if the price is not lower than the units' price.
fn takes_of_one(
    items: &[PricedItem],
    targets: &[TakenUnits],
    bearing: &[TakenUnits],
    value: &DiscountValue,
    rounding: RoundingMode,
) -> ApiResult<Vec<UnitReduction>> {
    let worth = CentAmount::sum(targets.iter().map(|chosen| price_of_units(items, chosen)))?;
    let (amount, mode) = match value {
        DiscountValue::Relative { permyriad, mode } => {
            (CentAmount(relative_reduction(worth.0, *permyriad, rounding)?), *mode)
        }
        DiscountValue::Absolute { amount, mode } => (*amount, *mode),
        DiscountValue::Fixed { price, mode } => (worth.minus(price.cents())?, *mode),
    };
    match mode {
        DiscountApplicationMode::IndividualApplication => {
            let mut takes = Vec::new();
            for chosen in targets {
                let item = &items[chosen.item];
                let off = off_unit(item.groups[chosen.group].value, item, value, rounding)?;
                takes.extend(off.map(|amount| take_of(chosen, amount)));
            }
            Ok(takes)
        }
        _ if amount <= CentAmount::ZERO && matches!(value, DiscountValue::Fixed { .. }) => Ok(Vec::new()),
        DiscountApplicationMode::ProportionateDistribution => {
            let values: Vec<CentAmount> =
                bearing.iter().map(|chosen| price_of_units(items, chosen)).collect();
            let shares = amount.taken_off_each(&values)?;
            let shared = bearing.iter().zip(shares);
            Ok(shared
                .flat_map(|(chosen, share)| shared_out(items, std::slice::from_ref(chosen), share))
                .collect())
        }
        DiscountApplicationMode::EvenDistribution => Ok(shared_out(items, bearing, amount)),
    }
}

/// Splits an amount evenly over the units.
fn shared_out(items: &[PricedItem], bearing: &[TakenUnits], amount: CentAmount) -> Vec<UnitReduction> {
    let giving_of = |chosen: &TakenUnits| {
        let item = &items[chosen.item];
        giving(chosen.quantity, cents_up(item.groups[chosen.group].value.into(), item.units_per_cent()))
    };
    let givings: Vec<UnitCapacity> = bearing.iter().map(giving_of).collect();
    let mut takes = Vec::new();
    for (chosen, shares) in bearing.iter().zip(spread_evenly(amount.0.into(), &givings)) {
        for share in shares {
            let amount = in_item_units(share.amount, &items[chosen.item], chosen.group);
            takes.push(UnitReduction { quantity: share.units, ..take_of(chosen, amount) });
        }
    }
    takes
}

/// Returns the price of the units in cents, rounded up; 0 for a negative price.
fn price_of_units(items: &[PricedItem], chosen: &TakenUnits) -> CentAmount {
    let item = &items[chosen.item];
    let value = i128::from(item.groups[chosen.group].value) * i128::from(chosen.quantity);
    CentAmount(cents_up(value, item.units_per_cent()))
}

fn take_of(chosen: &TakenUnits, amount: i64) -> UnitReduction {
    UnitReduction { item: chosen.item, group: chosen.group, quantity: chosen.quantity, amount }
}
