//! Discounts on some units if other units are in the Cart (`pattern`), e.g. "buy this and get that", or
//! bundles.
//!
//! Source: reference types `CartDiscountPatternTarget`, `PatternComponent`. One application takes the units
//! of its trigger, then those of its target; no unit counts twice. The reference does not say which of
//! several units a trigger takes: it takes those that the target cannot use, then those that the target
//! prefers least; the units reserved for a target are also those that it prefers least. Components take their
//! units in order.

use super::definition::{Pattern, PatternComponent};
use super::multi_buy::{EqualUnits, units_by_preference};
use crate::priced::PricedItem;

/// Several applications of a pattern with equal units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatternApplications {
    /// The number of applications.
    pub(super) times: i64,
    /// The units that each application reduces, at least one.
    pub(super) targets: Vec<TakenUnits>,
    /// The units that each application requires but does not reduce.
    pub(super) triggers: Vec<TakenUnits>,
}

/// Some units of a group of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TakenUnits {
    pub(super) item: usize,
    pub(super) group: usize,
    pub(super) quantity: i64,
}

/// Returns all applications of a pattern to the items; custom line items begin at an index.
pub(super) fn applications_of(
    items: &[PricedItem],
    custom_from: usize,
    pattern: &Pattern,
) -> Vec<PatternApplications> {
    let mut matching = PatternMatcher::new(items, custom_from, pattern);
    let mut left = pattern.max_occurrence.unwrap_or(i64::MAX);
    let mut applications = Vec::new();
    while left > 0 {
        let before = matching.available.clone();
        let Some((targets, triggers)) = matching.apply_once() else { break };
        let taken = |index: usize| before[index] - matching.available[index];
        let repeats =
            (0..before.len()).filter(|index| taken(*index) > 0).map(|index| before[index] / taken(index));
        let times = repeats.min().unwrap_or(1).clamp(1, left);
        for (index, before) in before.iter().enumerate() {
            matching.available[index] = before - (before - matching.available[index]) * times;
        }
        left -= times;
        applications.push(PatternApplications {
            times,
            targets: matching.taken_units(&targets),
            triggers: matching.taken_units(&triggers),
        });
    }
    applications
}

/// The available units, and the components that match them.
struct PatternMatcher<'p> {
    /// The units, ordered by the target's preference.
    units: Vec<EqualUnits>,
    /// The remaining number of each.
    available: Vec<i64>,
    /// The units that each component of the trigger matches, in the order in which it takes them.
    triggers: Vec<ComponentUnits<'p>>,
    targets: Vec<ComponentUnits<'p>>,
    /// The units that each target component reserves first.
    aside: Vec<Vec<usize>>,
}

struct ComponentUnits<'p> {
    component: &'p PatternComponent,
    units: Vec<usize>,
}

/// Indexes of units, and how many of each.
type UnitCounts = Vec<(usize, i64)>;

impl<'p> PatternMatcher<'p> {
    fn new(items: &[PricedItem], custom_from: usize, pattern: &'p Pattern) -> Self {
        let components = || pattern.trigger_pattern.iter().chain(&pattern.target_pattern);
        let mut admitted: Vec<usize> =
            components().flat_map(|component| matches_of(component, custom_from)).collect();
        admitted.sort_unstable();
        admitted.dedup();
        admitted.retain(|item| items.get(*item).is_some_and(|item| item.is_discountable));
        let units = units_by_preference(items, &admitted, pattern.selection_mode);
        let matched = |component: &'p PatternComponent| {
            let mut matches = vec![false; items.len()];
            for item in matches_of(component, custom_from) {
                if let Some(matches) = matches.get_mut(item) {
                    *matches = true;
                }
            }
            let units = (0..units.len()).filter(|index| matches[units[*index].item]).collect();
            ComponentUnits { component, units }
        };
        let targets: Vec<ComponentUnits<'p>> = pattern.target_pattern.iter().map(matched).collect();
        let mut is_useful = vec![false; units.len()];
        for index in targets.iter().flat_map(|target| &target.units) {
            is_useful[*index] = true;
        }
        let mut triggers: Vec<ComponentUnits<'p>> = pattern.trigger_pattern.iter().map(matched).collect();
        for trigger in &mut triggers {
            trigger.units = least_preferred_first(&units, &trigger.units);
            trigger.units.sort_by_key(|index| is_useful[*index]);
        }
        let aside = targets.iter().map(|target| least_preferred_first(&units, &target.units)).collect();
        let available = units.iter().map(|units| units.quantity).collect();
        Self { units, available, triggers, targets, aside }
    }

    /// Takes the units of one application: those of its target, and those of its trigger together with the reserved
    /// ones. `None` if there are not enough units.
    fn apply_once(&mut self) -> Option<(UnitCounts, UnitCounts)> {
        let (mut targets, mut triggers) = (UnitCounts::new(), UnitCounts::new());
        for ComponentUnits { component, units } in &self.triggers {
            let taken = take_up_to(&mut self.available, units, component.max_count);
            if count(&taken) < i128::from(component.min_count) {
                return None;
            }
            triggers.extend(taken);
        }
        for (ComponentUnits { component, units }, aside) in self.targets.iter().zip(&self.aside) {
            let set_aside = take_up_to(&mut self.available, aside, Some(component.exclude_count));
            let taken = take_up_to(&mut self.available, units, component.max_count);
            let is_complete = count(&set_aside) >= i128::from(component.exclude_count);
            if !is_complete || count(&taken) < i128::from(component.min_count) {
                return None;
            }
            triggers.extend(set_aside);
            targets.extend(taken);
        }
        (!targets.is_empty()).then_some((targets, triggers))
    }

    fn taken_units(&self, counts: &UnitCounts) -> Vec<TakenUnits> {
        let chosen = |(index, quantity): &(usize, i64)| {
            let EqualUnits { item, group, .. } = self.units[*index];
            TakenUnits { item, group, quantity: *quantity }
        };
        counts.iter().map(chosen).collect()
    }
}

/// The items that a component matches, by their index among all.
fn matches_of(component: &PatternComponent, custom_from: usize) -> impl Iterator<Item = usize> {
    let line_items = component.line_items.iter().copied().filter(move |item| *item < custom_from);
    line_items.chain(component.custom_line_items.iter().map(move |item| custom_from + item))
}

/// Returns the units in the order of least preference; units of the same price stay in their order.
fn least_preferred_first(units: &[EqualUnits], indexes: &[usize]) -> Vec<usize> {
    let same_price = indexes.chunk_by(|one, other| units[*one].costs_like(&units[*other]));
    same_price.rev().flatten().copied().collect()
}

/// Takes the first available units, at most `most`, or all.
fn take_up_to(available: &mut [i64], units: &[usize], most: Option<i64>) -> UnitCounts {
    let mut left = most.unwrap_or(i64::MAX);
    let mut taken = UnitCounts::new();
    for index in units {
        let quantity = available[*index].min(left);
        if quantity > 0 {
            available[*index] -= quantity;
            left -= quantity;
            taken.push((*index, quantity));
        }
        if left <= 0 {
            break;
        }
    }
    taken
}

fn count(counts: &UnitCounts) -> i128 {
    counts.iter().map(|(_, quantity)| i128::from(*quantity)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discount::SelectionMode;
    use crate::discount::test_items::items;

    fn component(line_items: &[usize], min_count: i64, max_count: Option<i64>) -> PatternComponent {
        PatternComponent {
            line_items: line_items.to_vec(),
            custom_line_items: Vec::new(),
            min_count,
            max_count,
            exclude_count: 0,
        }
    }

    fn pattern(trigger: Vec<PatternComponent>, target: Vec<PatternComponent>) -> Pattern {
        Pattern {
            trigger_pattern: trigger,
            target_pattern: target,
            max_occurrence: None,
            selection_mode: SelectionMode::Cheapest,
        }
    }

    /// The number of applications, and item and number of units of targets and of triggers.
    type FoundApplication = (i64, Vec<(usize, i64)>, Vec<(usize, i64)>);

    fn find_applications(of: &[(i64, i64)], pattern: &Pattern) -> Vec<FoundApplication> {
        let counts =
            |all: Vec<TakenUnits>| all.into_iter().map(|chosen| (chosen.item, chosen.quantity)).collect();
        let applications = applications_of(&items(of), of.len(), pattern);
        applications.into_iter().map(|one| (one.times, counts(one.targets), counts(one.triggers))).collect()
    }

    #[test]
    fn it_applies_as_often_as_there_are_units_for_both() {
        let with_each = pattern(vec![component(&[0], 1, Some(1))], vec![component(&[1], 1, Some(1))]);
        assert_eq!(find_applications(&[(3, 100), (2, 50)], &with_each), [(2, vec![(1, 1)], vec![(0, 1)])]);
        assert_eq!(find_applications(&[(3, 100)], &with_each), []);
        let once = Pattern { max_occurrence: Some(1), ..with_each };
        assert_eq!(find_applications(&[(3, 100), (2, 50)], &once), [(1, vec![(1, 1)], vec![(0, 1)])]);
    }

    #[test]
    fn units_of_a_trigger_are_none_of_the_target_and_those_that_it_prefers_least() {
        let any_two = pattern(vec![component(&[0, 1], 1, Some(1))], vec![component(&[0, 1], 1, Some(1))]);
        assert_eq!(find_applications(&[(1, 100), (1, 50)], &any_two), [(1, vec![(1, 1)], vec![(0, 1)])]);
        let dearest = Pattern { selection_mode: SelectionMode::MostExpensive, ..any_two };
        assert_eq!(find_applications(&[(1, 100), (1, 50)], &dearest), [(1, vec![(0, 1)], vec![(1, 1)])]);
        assert_eq!(find_applications(&[(1, 100)], &dearest), []);
    }

    #[test]
    fn units_that_are_set_aside_come_first_and_all_others_take_part_without_a_maximum() {
        let five = PatternComponent { exclude_count: 2, ..component(&[0], 3, Some(3)) };
        let three_of_five = pattern(Vec::new(), vec![five]);
        assert_eq!(find_applications(&[(4, 100)], &three_of_five), []);
        assert_eq!(find_applications(&[(11, 100)], &three_of_five), [(2, vec![(0, 3)], vec![(0, 2)])]);
        let all = pattern(Vec::new(), vec![component(&[0, 1], 2, None)]);
        assert_eq!(find_applications(&[(2, 100), (3, 50)], &all), [(1, vec![(1, 3), (0, 2)], vec![])]);
    }
}
