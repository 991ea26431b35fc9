//! Multi-buy discounts: on some units of the matching items (`multiBuyLineItems`, `multiBuyCustomLineItems`), e.g. "buy
//! 3, pay 2".

use super::definition::{DiscountValue, MultiBuy};
use super::items::off_unit;
use super::take::UnitReduction;
use crate::priced::PricedItem;
use kontor_enums::{RoundingMode, SelectionMode};
use kontor_errors::ApiResult;
use rust_decimal::Decimal;

/// Some units of the same price.
#[derive(Debug, Clone)]
pub(super) struct EqualUnits {
    pub(super) item: usize,
    pub(super) group: usize,
    pub(super) quantity: i64,
    price: Decimal,
}

impl EqualUnits {
    /// Whether both have the same price.
    pub(super) fn costs_like(&self, other: &Self) -> bool {
        self.price == other.price
    }
}

/// Returns all units of the items with these indexes, by the preference of a discount; units of the same price in their
/// order.
pub(super) fn units_by_preference(
    items: &[PricedItem],
    targets: &[usize],
    mode: SelectionMode,
) -> Vec<EqualUnits> {
    let mut units = Vec::new();
    for item in targets {
        for (group, found) in items[*item].groups.iter().enumerate() {
            let price = items[*item].exact_cents(found.value);
            units.push(EqualUnits { item: *item, group, quantity: found.quantity, price });
        }
    }
    units.sort_by(|one, other| match mode {
        SelectionMode::Cheapest => one.price.cmp(&other.price),
        SelectionMode::MostExpensive => other.price.cmp(&one.price),
    });
    units
}

/// Returns the reductions of units of the items with these indexes; none if there are not enough units. Units
/// that are not selected list the discount with 0, after the selected ones of their group (recorded).
pub(super) fn takes_of_multi_buy(
    items: &[PricedItem],
    targets: &[usize],
    multi_buy: &MultiBuy,
    value: &DiscountValue,
    rounding: RoundingMode,
) -> ApiResult<Vec<UnitReduction>> {
    let units = units_by_preference(items, targets, multi_buy.selection_mode);
    let count: i128 = units.iter().map(|units| i128::from(units.quantity)).sum();
    let mut times = count / i128::from(multi_buy.trigger_quantity.max(1));
    times = times.min(multi_buy.max_occurrence.map_or(i128::MAX, i128::from));
    let mut chosen = times * i128::from(multi_buy.discounted_quantity);
    if chosen <= 0 {
        return Ok(Vec::new());
    }
    let (mut takes, mut others) = (Vec::new(), Vec::new());
    for EqualUnits { item, group, quantity, .. } in units {
        let taken = i64::try_from(chosen).unwrap_or(i64::MAX).min(quantity);
        chosen -= i128::from(taken);
        let mut rest = quantity;
        let off = off_unit(items[item].groups[group].value, &items[item], value, rounding)?;
        if let Some(amount) = off.filter(|_| taken > 0) {
            takes.push(UnitReduction { item, group, quantity: taken, amount });
            rest -= taken;
        }
        if rest > 0 {
            others.push(UnitReduction { item, group, quantity: rest, amount: 0 });
        }
    }
    if !takes.is_empty() {
        takes.extend(others);
    }
    Ok(takes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Permyriad;
    use crate::discount::DiscountApplicationMode::IndividualApplication;
    use crate::discount::test_items::items;

    /// Item, number of units, and the reduction of each unit.
    fn takes(of: &[(i64, i64)], multi_buy: &MultiBuy) -> Vec<(usize, i64, i64)> {
        let half =
            DiscountValue::Relative { permyriad: Permyriad::new(5000).unwrap(), mode: IndividualApplication };
        let takes =
            takes_of_multi_buy(&items(of), &multi_buy.matches, multi_buy, &half, RoundingMode::HalfEven)
                .unwrap();
        takes.into_iter().map(|take| (take.item, take.quantity, take.amount)).collect()
    }

    fn new_multi_buy(trigger_quantity: i64, selection_mode: SelectionMode) -> MultiBuy {
        MultiBuy {
            matches: vec![0, 1],
            trigger_quantity,
            discounted_quantity: 1,
            max_occurrence: None,
            selection_mode,
        }
    }

    #[test]
    fn the_units_that_are_preferred_over_all_items_are_discounted_and_the_others_list_nothing() {
        let all = [(2, 60_080), (1, 5080)];
        let cheapest = new_multi_buy(3, SelectionMode::Cheapest);
        assert_eq!(takes(&all, &cheapest), [(1, 1, 2540), (0, 2, 0)]);
        let dearest = new_multi_buy(3, SelectionMode::MostExpensive);
        assert_eq!(takes(&all, &dearest), [(0, 1, 30_040), (0, 1, 0), (1, 1, 0)]);
        assert_eq!(takes(&all, &new_multi_buy(4, SelectionMode::Cheapest)), []);
    }

    #[test]
    fn it_applies_as_often_as_there_are_units_or_as_it_may() {
        let cheapest = new_multi_buy(2, SelectionMode::Cheapest);
        assert_eq!(takes(&[(4, 100), (1, 40)], &cheapest), [(1, 1, 20), (0, 1, 50), (0, 3, 0)]);
        let once = MultiBuy { max_occurrence: Some(1), ..cheapest };
        assert_eq!(takes(&[(4, 100), (1, 40)], &once), [(1, 1, 20), (0, 4, 0)]);
        // Among equal prices the first ones.
        assert_eq!(takes(&[(1, 100), (1, 100)], &once), [(0, 1, 50), (1, 1, 0)]);
    }
}
