//! Sorts the hits.

use super::Candidate;
use crate::{Sort, SortBy, SortMode, Value};
use std::cmp::Ordering;

/// Sorts hits by the criteria in turn, then by id.
pub(super) fn sort(hits: &mut [&Candidate<'_>], sorts: &[Sort]) {
    hits.sort_by_cached_key(|hit| Key {
        parts: sorts.iter().map(|sort| (standing(hit, sort), sort.descending)).collect(),
        id: hit.entry.id.clone(),
    });
}

/// The sort key of a hit.
struct Key {
    parts: Vec<(Option<Value>, bool)>,
    id: String,
}

impl Ord for Key {
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

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

/// Returns the value of a hit that is compared, of several.
fn standing(hit: &Candidate<'_>, sort: &Sort) -> Option<Value> {
    let SortBy::Field(field) = &sort.by else { return None };
    let holds = hit.rows.holds(sort.filter.as_ref());
    let rows: Vec<usize> =
        holds.iter().enumerate().filter(|(_, holds)| **holds).map(|(row, _)| row).collect();
    let values = hit.rows.values(&rows, field);
    let numbers = || values.iter().filter_map(|value| number(value));
    match sort.mode {
        Some(SortMode::Avg) => {
            let count = numbers().count();
            (count > 0).then(|| Value::Double(numbers().sum::<f64>() / count as f64))
        }
        Some(SortMode::Sum) => (numbers().count() > 0).then(|| Value::Double(numbers().sum())),
        Some(SortMode::Max) => greatest(&values),
        Some(SortMode::Min) => least(&values),
        None if sort.descending => greatest(&values),
        None => least(&values),
    }
}

pub(super) fn least(values: &[&Value]) -> Option<Value> {
    values.iter().min_by(|one, two| one.compare(two)).map(|value| (*value).clone())
}

pub(super) fn greatest(values: &[&Value]) -> Option<Value> {
    values.iter().max_by(|one, two| one.compare(two)).map(|value| (*value).clone())
}

/// Returns the number of a value that can be added.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Long(number) => Some(*number as f64),
        Value::Double(number) => Some(*number),
        Value::Boolean(_) | Value::Time(_) | Value::Text(_) => None,
    }
}
