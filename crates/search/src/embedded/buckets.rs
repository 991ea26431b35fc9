//! Buckets of a distinct facet: counted by ordinal in each segment, merged by word, sorted and limited.

use super::hit_order::read_words;
use super::schema::{sortable_to_double, without_cut_mark};
use crate::{Bucket, BucketOrder, FieldKind, IndexError, SearchValue};
use std::cmp::Ordering;
use std::collections::HashMap;
use tantivy::columnar::StrColumn;

/// Ordinals are counted in an array if it has at most so many elements for each entry, otherwise in a map.
const PLACES_MAX: usize = 16;

/// Counts by ordinal, in one segment.
pub(super) enum Tally {
    /// The count of each ordinal, and the last entry or child that was counted there.
    Array {
        counts: Vec<u32>,
        last: Vec<u32>,
        thing: u32,
    },
    Map {
        counts: HashMap<u64, u32>,
        ordinals: Vec<u64>,
    },
}

impl Tally {
    /// Chooses the form for a number of words and an approximate number of entries or children.
    pub(super) fn new(words: usize, things: usize) -> Self {
        if words <= 1024 || words <= things.saturating_mul(PLACES_MAX) {
            Self::Array { counts: vec![0; words], last: vec![0; words], thing: 0 }
        } else {
            Self::Map { counts: HashMap::new(), ordinals: Vec::new() }
        }
    }

    /// Counts an entry or a child, once for each of its ordinals. False if it has none.
    pub(super) fn add(&mut self, of_thing: impl Iterator<Item = u64>) -> bool {
        let mut has_one = false;
        match self {
            Self::Array { counts, last, thing } => {
                *thing += 1;
                for ordinal in of_thing {
                    has_one = true;
                    let ordinal = ordinal as usize;
                    if last[ordinal] != *thing {
                        last[ordinal] = *thing;
                        counts[ordinal] += 1;
                    }
                }
            }
            Self::Map { counts, ordinals } => {
                ordinals.clear();
                ordinals.extend(of_thing);
                ordinals.sort_unstable();
                ordinals.dedup();
                has_one = !ordinals.is_empty();
                for ordinal in ordinals {
                    *counts.entry(*ordinal).or_default() += 1;
                }
            }
        }
        has_one
    }

    /// Returns the counted ordinals with their counts, sorted.
    pub(super) fn into_counts(self) -> Vec<(u64, u32)> {
        match self {
            Self::Array { counts, .. } => (0..).zip(counts).filter(|(_, count)| *count > 0).collect(),
            Self::Map { counts, .. } => {
                let mut counts: Vec<(u64, u32)> = counts.into_iter().collect();
                counts.sort_unstable();
                counts
            }
        }
    }
}

/// The counts of all segments.
#[derive(Default)]
pub(super) struct Buckets {
    words: Vec<(StrColumn, Vec<(u64, u32)>)>,
    numbers: HashMap<i64, u64>,
    /// The number of entries or children without a value.
    pub(super) missing: u64,
}

struct BucketCount {
    key: String,
    /// The sort key of number buckets.
    number: i64,
    is_no_value: bool,
    count: u64,
}

impl Buckets {
    /// Adds the counts of a segment, sorted by ordinal.
    pub(super) fn add_words(&mut self, column: StrColumn, counts: Vec<(u64, u32)>) {
        if !counts.is_empty() {
            self.words.push((column, counts));
        }
    }

    pub(super) fn add_number(&mut self, number: i64) {
        *self.numbers.entry(number).or_default() += 1;
    }

    /// Returns the buckets of the response.
    pub(super) fn into_result(
        mut self,
        kind: FieldKind,
        includes: Option<&[String]>,
        order: BucketOrder,
        descending: bool,
        limit: usize,
        missing: Option<&str>,
    ) -> Result<Vec<Bucket>, IndexError> {
        if let ([(_, counts)], None, None) = (self.words.as_mut_slice(), includes, missing)
            && counts.len() > limit
            && limit > 0
        {
            // Ordinals of one segment sort like their words, so only the words of the response are read.
            let first = |one: &(u64, u32), other: &(u64, u32)| match (order, descending) {
                (BucketOrder::Count, true) => other.1.cmp(&one.1).then(one.0.cmp(&other.0)),
                (BucketOrder::Count, false) => one.1.cmp(&other.1).then(one.0.cmp(&other.0)),
                (BucketOrder::Key, true) => other.0.cmp(&one.0),
                (BucketOrder::Key, false) => one.0.cmp(&other.0),
            };
            counts.select_nth_unstable_by(limit - 1, first);
            counts.truncate(limit);
        }
        let mut by_word: HashMap<Vec<u8>, u64> = HashMap::new();
        for (column, counts) in &self.words {
            let ordinals: Vec<u64> = counts.iter().map(|(ordinal, _)| *ordinal).collect();
            for (word, (_, count)) in read_words(column, &ordinals)?.into_iter().zip(counts) {
                *by_word.entry(word).or_default() += u64::from(*count);
            }
        }
        let mut buckets: Vec<BucketCount> = by_word
            .into_iter()
            .map(|(word, count)| {
                let key = without_cut_mark(&String::from_utf8_lossy(&word)).to_owned();
                BucketCount { key, number: 0, is_no_value: false, count }
            })
            .collect();
        buckets.extend(self.numbers.into_iter().map(|(number, count)| {
            let value = match kind {
                FieldKind::Double => SearchValue::Double(sortable_to_double(number)),
                FieldKind::Time => SearchValue::Time(number),
                _ => SearchValue::Long(number),
            };
            BucketCount { key: value.key(), number, is_no_value: false, count }
        }));
        if let Some(missing) = missing.filter(|_| self.missing > 0) {
            match buckets.iter_mut().find(|bucket| bucket.key == missing) {
                Some(bucket) => bucket.count += self.missing,
                None => buckets.push(BucketCount {
                    key: missing.to_owned(),
                    number: 0,
                    is_no_value: true,
                    count: self.missing,
                }),
            }
        }
        if let Some(includes) = includes {
            buckets.retain(|bucket| includes.contains(&bucket.key));
        }
        let directed = |ordering: Ordering| if descending { ordering.reverse() } else { ordering };
        buckets.sort_unstable_by(|one, other| match order {
            BucketOrder::Count => directed(one.count.cmp(&other.count)).then_with(|| one.key.cmp(&other.key)),
            BucketOrder::Key => one
                .is_no_value
                .cmp(&other.is_no_value)
                .then_with(|| directed(one.number.cmp(&other.number).then_with(|| one.key.cmp(&other.key)))),
        });
        buckets.truncate(limit);
        Ok(buckets.into_iter().map(|bucket| Bucket { key: bucket.key, count: bucket.count }).collect())
    }
}
