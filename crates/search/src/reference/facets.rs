//! Counts facets, without an index.

use super::{EvaluatedEntry, sorts};
use crate::{
    Bucket, BucketOrder, CountedNodes, Facet, FacetKind, FacetResult, FacetScope, NamedFacetResult,
    SearchField, SearchValue, Stats,
};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Returns the result of a facet over all entries.
pub(super) fn count(facet: &Facet, all: &[EvaluatedEntry<'_>]) -> NamedFacetResult {
    let things: Vec<CountedItem<'_, '_>> = all
        .iter()
        .filter(|candidate| facet.scope == FacetScope::All || candidate.is_found)
        .flat_map(|candidate| counted_items(facet, candidate))
        .collect();
    let result = match &facet.kind {
        FacetKind::Count => FacetResult::Count(things.len() as u64),
        FacetKind::Distinct { field, includes, order, descending, limit, missing } => {
            let mut buckets = distinct(&things, field, missing.as_deref());
            buckets.retain(|bucket| includes.as_ref().is_none_or(|keys| keys.contains(&bucket.key)));
            buckets.sort_by(|one, two| one.compare(two, *order, *descending));
            buckets.truncate(*limit);
            let buckets = buckets.into_iter().map(|bucket| Bucket { key: bucket.key, count: bucket.count });
            FacetResult::Buckets(buckets.collect())
        }
        FacetKind::Ranges { field, ranges } => {
            let ranges = ranges.iter().map(|range| {
                let is_inside = |value: &&SearchValue| {
                    range.from.as_ref().is_none_or(|from| value.compare(from) != Ordering::Less)
                        && range.to.as_ref().is_none_or(|to| value.compare(to) == Ordering::Less)
                };
                let count = things.iter().filter(|thing| thing.values(field).iter().any(is_inside)).count();
                Bucket { key: range.key.clone(), count: count as u64 }
            });
            FacetResult::Buckets(ranges.collect())
        }
        FacetKind::Stats { field } => FacetResult::Stats(stats(&things, field)),
    };
    NamedFacetResult { name: facet.name.clone(), result }
}

/// A counted entry or child, with the rows for which it is counted.
struct CountedItem<'c, 'a> {
    candidate: &'c EvaluatedEntry<'a>,
    rows: Vec<usize>,
}

impl<'a> CountedItem<'_, 'a> {
    fn values(&self, field: &SearchField) -> Vec<&'a SearchValue> {
        self.candidate.rows.values(&self.rows, field)
    }
}

fn counted_items<'c, 'a>(facet: &Facet, candidate: &'c EvaluatedEntry<'a>) -> Vec<CountedItem<'c, 'a>> {
    let counts = candidate.rows.match_rows(facet.filter.as_ref());
    let found = &candidate.holds;
    let things: Vec<Vec<usize>> = match facet.counted {
        CountedNodes::Entries => {
            vec![(0..counts.len()).filter(|row| counts.get(*row) == Some(&true)).collect()]
        }
        CountedNodes::Children => (0..candidate.entry.root.children.len())
            .map(|child| {
                let rows = candidate.rows.rows_through(child);
                rows.filter(|row| counts.get(*row) == Some(&true))
                    .filter(|row| facet.scope == FacetScope::All || found.get(*row) == Some(&true))
                    .collect()
            })
            .collect(),
    };
    things.into_iter().filter(|rows| !rows.is_empty()).map(|rows| CountedItem { candidate, rows }).collect()
}

/// A bucket, and its value; `None` for the bucket of missing values.
struct ReferenceBucket<'a> {
    key: String,
    value: Option<&'a SearchValue>,
    count: u64,
}

impl ReferenceBucket<'_> {
    fn compare(&self, other: &Self, order: BucketOrder, descending: bool) -> Ordering {
        let directed = |order: Ordering| if descending { order.reverse() } else { order };
        let by = match order {
            BucketOrder::Count => directed(self.count.cmp(&other.count)),
            BucketOrder::Key => match (self.value, other.value) {
                (Some(one), Some(two)) => directed(one.compare(two)),
                (one, two) => two.is_some().cmp(&one.is_some()),
            },
        };
        by.then_with(|| self.key.cmp(&other.key))
    }
}

fn distinct<'a>(
    things: &[CountedItem<'_, 'a>],
    field: &SearchField,
    missing: Option<&str>,
) -> Vec<ReferenceBucket<'a>> {
    let mut buckets: BTreeMap<String, ReferenceBucket<'a>> = BTreeMap::new();
    for thing in things {
        let mut keys: BTreeMap<String, Option<&'a SearchValue>> =
            thing.values(field).into_iter().map(|value| (value.key(), Some(value))).collect();
        if let (true, Some(missing)) = (keys.is_empty(), missing) {
            keys.insert(missing.to_owned(), None);
        }
        for (key, value) in keys {
            let bucket = buckets.entry(key.clone()).or_insert(ReferenceBucket { key, value: None, count: 0 });
            bucket.count += 1;
            bucket.value = bucket.value.or(value);
        }
    }
    buckets.into_values().collect()
}

fn stats(things: &[CountedItem<'_, '_>], field: &SearchField) -> Stats {
    let values: Vec<&SearchValue> = things.iter().flat_map(|thing| thing.values(field)).collect();
    let numbers: Vec<f64> = values.iter().filter_map(|value| sorts::number(value)).collect();
    let sum = (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>());
    Stats {
        count: values.len() as u64,
        min: sorts::minimum(&values),
        max: sorts::maximum(&values),
        mean: sum.map(|sum| sum / numbers.len() as f64),
        sum,
    }
}
