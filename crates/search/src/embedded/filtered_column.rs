//! A cached column of the numbers of those nodes that match some words, e.g. the prices of one market.

use super::docs::{Docs, galloping_search};
use super::segment::IndexSegment;
use super::segment_cache::{CacheablePart, PART_BYTES_MAX};
use super::values::ColumnValues;
use crate::{FieldLevel, IndexError, Leaf, LeafTest, SearchField, SearchQuery, SearchValue};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Numbers compared at once, without a branch: their results are the bytes of 128 bits.
const BLOCK: usize = 16;

/// Nodes of one level with their numbers, in the order of the segment. A node with several numbers occurs several
/// times.
#[derive(Debug)]
pub(super) struct FilteredColumn {
    nodes: Vec<u32>,
    /// The numbers minus `least`.
    numbers: Vec<u32>,
    least: i64,
}

impl CacheablePart for FilteredColumn {
    fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.numbers.as_slice())
    }
}

/// Conditions on nodes of one level: words that select the nodes, and a range of numbers of one field.
pub(super) struct ColumnFilter<'a> {
    words: Vec<&'a Leaf>,
    range: Option<&'a Leaf>,
}

impl<'a> ColumnFilter<'a> {
    /// Collects conditions on the same node of a level; `None` if there are other conditions among them, or no word.
    pub(super) fn collect(parts: &[&'a SearchQuery], level: FieldLevel) -> Option<Self> {
        let mut chooses = Self { words: Vec::new(), range: None };
        chooses.take(parts.iter().copied(), level)?;
        let place = |leaf: &Leaf| (matches!(leaf.test, LeafTest::Lacks { .. }), leaf.field.name.clone());
        chooses.words.sort_by_key(|leaf| place(leaf));
        // `Lacks` conditions alone match too many nodes.
        chooses.words.first().is_some_and(|first| !place(first).0).then_some(chooses)
    }

    fn take(&mut self, parts: impl Iterator<Item = &'a SearchQuery>, level: FieldLevel) -> Option<()> {
        for part in parts {
            match part {
                SearchQuery::And(parts) | SearchQuery::Filter(parts) => self.take(parts.iter(), level)?,
                SearchQuery::Leaf(leaf) if leaf.field.level != level => return None,
                SearchQuery::Leaf(leaf) => match &leaf.test {
                    LeafTest::Exact { values, case_insensitive: false }
                        if values.len() == 1
                            && matches!(values[0], SearchValue::Text(_) | SearchValue::Boolean(_)) =>
                    {
                        self.words.push(leaf);
                    }
                    LeafTest::Lacks { .. } => self.words.push(leaf),
                    LeafTest::Range(_) if self.range.is_none() => self.range = Some(leaf),
                    _ => return None,
                },
                SearchQuery::Or(_) | SearchQuery::Not(_) => return None,
            }
        }
        Some(())
    }

    /// Returns the condition on numbers.
    pub(super) fn range(&self) -> Option<&'a Leaf> {
        self.range
    }

    /// Returns the cached numbers of a field of the selected nodes; `find` finds these nodes, if the column is built
    /// now. If there is a range, it must be one of that field.
    pub(super) fn numbers(
        &self,
        field: &SearchField,
        segment: &IndexSegment,
        find: impl FnOnce(&[&Leaf]) -> Result<Docs, IndexError>,
    ) -> Result<Option<Arc<FilteredColumn>>, IndexError> {
        if self.range.is_some_and(|range| range.field != *field) {
            return Ok(None);
        }
        let Some(ColumnValues::Numbers(column)) = segment.values(field)? else { return Ok(None) };
        segment.get_or_build(self.name(field), || {
            let least = column.min_value();
            if column.max_value().checked_sub(least).is_none_or(|far| u32::try_from(far).is_err()) {
                return Ok(None);
            }
            let mut chosen = FilteredColumn { nodes: Vec::new(), numbers: Vec::new(), least };
            find(&self.words)?.for_each(|node| {
                // A larger column is not cached.
                if chosen.bytes() > PART_BYTES_MAX {
                    return;
                }
                for number in column.values_for_doc(node) {
                    chosen.nodes.push(node);
                    chosen.numbers.push(u32::try_from(number - least).unwrap_or(u32::MAX));
                }
            });
            chosen.nodes.shrink_to_fit();
            chosen.numbers.shrink_to_fit();
            Ok(Some(chosen))
        })
    }

    /// Returns the cache key of the column.
    pub(super) fn name(&self, field: &SearchField) -> String {
        let mut name = format!("chosen {}", super::schema::key(field));
        for leaf in &self.words {
            let (lacks, values) = match &leaf.test {
                LeafTest::Exact { values, .. } => ("", values.as_slice()),
                LeafTest::Lacks { values } => ("!", values.as_slice()),
                _ => ("", &[][..]),
            };
            name.push_str(&format!(" {} {lacks}{values:?}", super::schema::key(&leaf.field)));
        }
        name
    }
}

impl FilteredColumn {
    /// Converts a range to the form of the stored numbers; `None` if no number can be in it.
    fn kept_range(&self, range: &RangeInclusive<i64>) -> Option<RangeInclusive<u32>> {
        let far = |number: &i64| number.saturating_sub(self.least);
        if far(range.end()) < 0 {
            return None;
        }
        let start = u32::try_from(far(range.start()).max(0)).ok()?;
        Some(start..=u32::try_from(far(range.end())).unwrap_or(u32::MAX))
    }

    /// Returns the nodes with a number in a range.
    pub(super) fn in_range(&self, range: &RangeInclusive<i64>, segment: &IndexSegment) -> Docs {
        let Some(range) = self.kept_range(range).filter(|range| !range.is_empty()) else {
            return Docs::Few(Vec::new());
        };
        let (start, width) = (*range.start(), range.end() - range.start());
        let is_in = |number: u32| number.wrapping_sub(start) <= width;
        let mut nodes = Vec::new();
        // Blocks are compared without a branch, so that the compiler uses vector instructions: most have no match.
        let (blocks, rest) = self.numbers.as_chunks::<BLOCK>();
        let (node_blocks, rest_nodes) = self.nodes.as_chunks::<BLOCK>();
        for (numbers, of_block) in blocks.iter().zip(node_blocks) {
            let mut left = u128::from_le_bytes(numbers.map(|number| u8::from(is_in(number))));
            while left != 0 {
                nodes.push(of_block[left.trailing_zeros() as usize / 8]);
                left &= left - 1;
            }
        }
        nodes
            .extend(rest_nodes.iter().zip(rest).filter(|(_, number)| is_in(**number)).map(|(node, _)| *node));
        nodes.dedup();
        Docs::from_sorted(nodes, segment.len())
    }

    /// Calls `each` with the numbers of each entry, given by its root: all numbers of its nodes, or with a range
    /// those of nodes with a number in it.
    pub(super) fn of_entries(
        &self,
        segment: &IndexSegment,
        roots: &[u32],
        range: Option<&RangeInclusive<i64>>,
        mut each: impl FnMut(&mut dyn Iterator<Item = i64>),
    ) {
        let range = match range {
            None => Some(0..=u32::MAX),
            Some(range) => self.kept_range(range),
        };
        let mut at = 0;
        for root in roots {
            let begin = segment.first_below(FieldLevel::Root, *root);
            // The next entry is usually near, so the search begins with small steps.
            at += galloping_search(&self.nodes[at..], begin);
            let first = at;
            while self.nodes.get(at).is_some_and(|node| node < root) {
                at += 1;
            }
            let mut next = first;
            let within = self.nodes[first..at].chunk_by(|one, other| one == other).flat_map(|node| {
                let numbers = &self.numbers[next..next + node.len()];
                next += node.len();
                let is_in = |range: &RangeInclusive<u32>| numbers.iter().any(|number| range.contains(number));
                if range.as_ref().is_some_and(is_in) { numbers } else { &[] }
            });
            each(&mut within.map(|number| self.least + i64::from(*number)));
        }
    }
}
