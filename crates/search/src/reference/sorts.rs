//! Sorts the hits of the reference implementation, by the sorts of the request.

use super::EvaluatedEntry;
use crate::{HitSort, SearchValue, SortBy, SortMode};
use std::cmp::Ordering;

/// Sorts hits by the criteria in turn, then by id.
pub(super) fn sort(hits: &mut [&EvaluatedEntry<'_>], sorts: &[HitSort]) {
    hits.sort_by_cached_key(|hit| HitSortKey {
        parts: sorts.iter().map(|sort| (compared_value(hit, sort), sort.descending)).collect(),
        id: hit.entry.id.clone(),
    });
}

/// The sort key of a hit.
struct HitSortKey {
    parts: Vec<(Option<SearchValue>, bool)>,
    id: String,
}

impl Ord for HitSortKey {
    fn cmp(&self, other: &Self) -> Ordering {
        for ((one, descending), (two, _)) in self.parts.iter().zip(&other.parts) {
            let order = match (one, two) {
                (Some(one), Some(two)) if *descending => two.compare(one),
                (Some(one), Some(two)) => one.compare(two),
                // Hits without a value come last in both directions.
                (one, two) => two.is_some().cmp(&one.is_some()),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        self.id.cmp(&other.id)
    }
}

impl PartialOrd for HitSortKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for HitSortKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for HitSortKey {}

/// Returns the value of a hit that is compared, of several.
fn compared_value(hit: &EvaluatedEntry<'_>, sort: &HitSort) -> Option<SearchValue> {
    let SortBy::Field(field) = &sort.by else { return None };
    let holds = hit.rows.match_rows(sort.filter.as_ref());
    let rows: Vec<usize> =
        holds.iter().enumerate().filter(|(_, holds)| **holds).map(|(row, _)| row).collect();
    let values = hit.rows.values(&rows, field);
    let numbers = || values.iter().filter_map(|value| number(value));
    match sort.mode {
        Some(SortMode::Avg) => {
            let count = numbers().count();
            (count > 0).then(|| SearchValue::Double(numbers().sum::<f64>() / count as f64))
        }
        Some(SortMode::Sum) => (numbers().count() > 0).then(|| SearchValue::Double(numbers().sum())),
        Some(SortMode::Max) => maximum(&values),
        Some(SortMode::Min) => minimum(&values),
        None if sort.descending => maximum(&values),
        None => minimum(&values),
    }
}

pub(super) fn minimum(values: &[&SearchValue]) -> Option<SearchValue> {
    values.iter().min_by(|one, two| one.compare(two)).map(|value| (*value).clone())
}

pub(super) fn maximum(values: &[&SearchValue]) -> Option<SearchValue> {
    values.iter().max_by(|one, two| one.compare(two)).map(|value| (*value).clone())
}

/// Returns the number of a value that can be added.
pub(super) fn number(value: &SearchValue) -> Option<f64> {
    match value {
        SearchValue::Long(number) => Some(*number as f64),
        SearchValue::Double(number) => Some(*number),
        SearchValue::Boolean(_) | SearchValue::Time(_) | SearchValue::Text(_) => None,
    }
}
