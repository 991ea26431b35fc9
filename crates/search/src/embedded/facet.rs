//! Computes facets: counts by ordinal or number in each segment, then merges them by word. Start at [`count`].

use super::buckets::{Buckets, Tally};
use super::docs::Docs;
use super::evaluation::{Evaluation, SCOPE_ONE_IN};
use super::nodes::NodeCounting;
use super::schema::sortable_to_double;
use super::segment_cache::{CacheablePart, LevelColumn};
use super::segment_shape::SegmentShape;
use super::values::ColumnValues;
use crate::{
    CountedNodes, Facet, FacetKind, FacetRange, FacetResult, FacetScope, FieldKind, FieldLevel, IndexError,
    NamedFacetResult, SearchField, SearchQuery, SearchValue, Stats,
};
use std::cell::OnceCell;
use tantivy::columnar::{Column, StrColumn};

/// The counted entries or children of a facet in one segment.
struct FacetItems<'a> {
    facet: &'a Facet,
    /// The query of the request, whose rows decide which children count.
    query: Option<&'a SearchQuery>,
    evaluation: &'a Evaluation<'a>,
    found: &'a FoundRoots,
}

/// The roots in a segment that match a query.
pub(super) struct FoundRoots {
    docs: Docs,
    list: OnceCell<Vec<u32>>,
    /// Whether there is no query, so that these are all roots.
    is_all: bool,
}

/// The intermediate values of a stats facet.
#[derive(Default)]
struct RunningStats {
    count: u64,
    least: Option<SearchValue>,
    greatest: Option<SearchValue>,
    sum: f64,
}

/// The number of entries with each word of a field, by ordinal, and the number without any.
struct WordCounts {
    words: Vec<(u64, u32)>,
    missing: u64,
}

impl WordCounts {
    /// Counts the words of entries, given by their roots.
    fn of_entries(
        column: &LevelColumn,
        shape: &SegmentShape,
        roots: impl Iterator<Item = u32>,
        mut tally: Tally,
    ) -> Self {
        let words = |root: u32| column.of_entry(shape, root).iter().map(|ordinal| u64::from(*ordinal));
        let missing = roots.filter(|root| !tally.add(words(*root))).count() as u64;
        Self { words: tally.into_counts(), missing }
    }
}

impl CacheablePart for WordCounts {
    fn bytes(&self) -> usize {
        size_of_val(self.words.as_slice())
    }
}

/// Computes a facet. `found` are, for each segment, the roots that match the query.
pub(super) fn compute_facet(
    facet: &Facet,
    query: Option<&SearchQuery>,
    segments: &[Evaluation<'_>],
    found: &[FoundRoots],
) -> Result<NamedFacetResult, IndexError> {
    let of_segment = |(evaluation, found)| FacetItems { facet, query, evaluation, found };
    let segments = segments.iter().zip(found).map(of_segment).collect::<Vec<FacetItems<'_>>>();
    let result = match &facet.kind {
        FacetKind::Count => {
            let mut count = 0;
            for things in &segments {
                things.for_each_item(FieldLevel::Root, &mut |_| count += 1)?;
            }
            FacetResult::Count(count)
        }
        FacetKind::Distinct { field, includes, order, descending, limit, missing } => {
            let mut buckets = Buckets::default();
            for things in &segments {
                things.distinct(field, missing.is_some(), &mut buckets)?;
            }
            FacetResult::Buckets(buckets.into_result(
                field.kind,
                includes.as_deref(),
                *order,
                *descending,
                *limit,
                missing.as_deref(),
            )?)
        }
        FacetKind::Ranges { field, ranges } => {
            let mut counts = vec![0; ranges.len()];
            for things in &segments {
                things.count_ranges(field, ranges, &mut counts)?;
            }
            let buckets = ranges
                .iter()
                .zip(counts)
                .map(|(range, count)| crate::Bucket { key: range.key.clone(), count });
            FacetResult::Buckets(buckets.collect())
        }
        FacetKind::Stats { field } => {
            let mut figures = RunningStats::default();
            for things in &segments {
                things.stats(field, &mut figures)?;
            }
            FacetResult::Stats(figures.into_stats(field.kind))
        }
    };
    Ok(NamedFacetResult { name: facet.name.clone(), result })
}

impl FoundRoots {
    pub(super) fn new(docs: Docs, is_all: bool) -> Self {
        Self { docs, list: OnceCell::new(), is_all }
    }

    /// Returns the roots as a sorted list.
    fn listed(&self) -> &[u32] {
        self.list.get_or_init(|| self.docs.clone().into_sorted())
    }

    pub(super) fn into_docs(self) -> Docs {
        self.docs
    }
}

impl FacetItems<'_> {
    /// Whether entries are counted with all their nodes.
    fn counts_whole_entries(&self) -> bool {
        self.facet.filter.is_none() && self.facet.counted == CountedNodes::Entries
    }

    /// Whether all entries are counted.
    fn counts_all_entries(&self) -> bool {
        self.found.is_all || self.facet.scope == FacetScope::All
    }

    /// Calls `each` for every counted entry or child of a segment, with its counted nodes of a level.
    fn for_each_item(&self, level: FieldLevel, each: &mut dyn FnMut(&[u32])) -> Result<(), IndexError> {
        let FacetItems { facet, query, evaluation, found } = *self;
        let segment = evaluation.segment;
        let all: Vec<u32>;
        let roots = match facet.scope {
            FacetScope::Query => found.listed(),
            FacetScope::All => {
                all = segment.alive.iter().collect();
                &all
            }
        };
        if roots.is_empty() {
            return Ok(());
        }
        let scope = (roots.len() * SCOPE_ONE_IN < segment.alive_count).then_some(roots);
        // Children count only if they have rows that match the query, too.
        let requested = match (facet.counted, facet.scope) {
            (CountedNodes::Children, FacetScope::Query) => query,
            _ => None,
        };
        let lowest = match facet.counted {
            CountedNodes::Entries => level,
            CountedNodes::Children => level.max(FieldLevel::Child),
        };
        let rows = match (requested, &facet.filter) {
            (None, None) => None,
            (Some(only), None) | (None, Some(only)) => Some(evaluation.rows(only, lowest, scope)?),
            (Some(one), Some(other)) => {
                // Filter and query must match the same row, on the deepest level that both have.
                let deep = super::evaluation::deepest_level(one)
                    .min(super::evaluation::deepest_level(other))
                    .max(lowest);
                let rows = evaluation.rows(one, deep, scope)?;
                let more = evaluation.rows(other, deep, scope)?;
                Some(rows.intersect(&more, segment).lift_to(lowest, segment))
            }
        };
        let counting = NodeCounting { segment, rows: rows.as_ref(), level };
        let mut nodes = Vec::new();
        match facet.counted {
            CountedNodes::Entries if rows.is_none() && level == FieldLevel::Root => {
                for root in roots {
                    each(std::slice::from_ref(root));
                }
            }
            CountedNodes::Entries => {
                for root in roots {
                    if counting.of_entry(*root, &mut nodes) {
                        each(&nodes);
                    }
                }
            }
            CountedNodes::Children => {
                for root in roots {
                    counting.of_children(*root, &mut nodes, &mut *each);
                }
            }
        }
        Ok(())
    }

    fn distinct(
        &self,
        field: &SearchField,
        counts_missing: bool,
        buckets: &mut Buckets,
    ) -> Result<(), IndexError> {
        let mut missing = 0;
        match self.evaluation.segment.values(field)? {
            None => {
                if counts_missing {
                    self.for_each_item(field.level, &mut |_| missing += 1)?;
                }
            }
            Some(ColumnValues::Words(column)) => {
                let counts = self.word_counts(field, &column)?;
                missing = counts.missing;
                buckets.add_words(column, counts.words);
            }
            Some(ColumnValues::Numbers(column)) => {
                let mut numbers = Vec::new();
                self.for_each_item(field.level, &mut |nodes| {
                    numbers.clear();
                    numbers.extend(nodes.iter().flat_map(|node| column.values_for_doc(*node)));
                    missing += u64::from(numbers.is_empty());
                    numbers.sort_unstable();
                    numbers.dedup();
                    numbers.iter().for_each(|number| buckets.add_number(*number));
                })?;
            }
        }
        buckets.missing += missing;
        Ok(())
    }

    /// Returns the number of counted entries or children with each word.
    fn word_counts(&self, field: &SearchField, column: &StrColumn) -> Result<WordCounts, IndexError> {
        let segment = self.evaluation.segment;
        let tally = || Tally::new(column.num_terms(), self.found.docs.count());
        if self.counts_whole_entries()
            && let Some(kept) = segment.level_column(field)?
        {
            if !self.counts_all_entries() {
                let found = self.found.listed().iter().copied();
                return Ok(WordCounts::of_entries(&kept, &segment.shape, found, tally()));
            }
            if let Some(counts) = self.counts_of_all(field, &kept, column.num_terms())? {
                return Ok(counts);
            }
        }
        let (ordinals, mut tally, mut missing) = (column.ords(), tally(), 0);
        self.for_each_item(field.level, &mut |nodes| {
            missing += u64::from(!tally.add(nodes.iter().flat_map(|node| ordinals.values_for_doc(*node))));
        })?;
        Ok(WordCounts { words: tally.into_counts(), missing })
    }

    /// Returns the number of all entries with each word, from the cache: deleted entries are subtracted.
    fn counts_of_all(
        &self,
        field: &SearchField,
        column: &LevelColumn,
        words: usize,
    ) -> Result<Option<WordCounts>, IndexError> {
        let segment = self.evaluation.segment;
        let name = format!("counts {}", super::schema::key(field));
        let all = segment.get_or_build(name, || {
            let tally = Tally::new(words, segment.alive_count);
            Ok(Some(WordCounts::of_entries(column, &segment.shape, segment.shape.roots.iter(), tally)))
        })?;
        let Some(all) = all else { return Ok(None) };
        let mut counts = WordCounts { words: all.words.clone(), missing: all.missing };
        if segment.reader.has_deletes() {
            let mut gone = segment.shape.roots.clone();
            gone.subtract(&segment.alive);
            let tally = Tally::new(words, gone.count());
            let gone = WordCounts::of_entries(column, &segment.shape, gone.iter(), tally);
            counts.missing -= gone.missing;
            for (ordinal, count) in gone.words {
                if let Ok(at) = counts.words.binary_search_by_key(&ordinal, |(ordinal, _)| *ordinal) {
                    counts.words[at].1 -= count;
                }
            }
            counts.words.retain(|(_, count)| *count > 0);
        }
        Ok(Some(counts))
    }

    fn count_ranges(
        &self,
        field: &SearchField,
        ranges: &[FacetRange],
        counts: &mut [u64],
    ) -> Result<(), IndexError> {
        let limit = |value: &Option<SearchValue>, open: i64| match value {
            None => Some(open),
            Some(value) => super::schema::number(value),
        };
        let inside: Vec<Option<(i64, Option<i64>)>> = ranges
            .iter()
            .map(|range| {
                let end = match &range.to {
                    None => None,
                    Some(to) => Some(super::schema::number(to)?),
                };
                Some((limit(&range.from, i64::MIN)?, end))
            })
            .collect();
        let Some(ColumnValues::Numbers(column)) = self.evaluation.segment.values(field)? else {
            return Ok(());
        };
        let mut hit = vec![false; ranges.len()];
        self.for_each_item(field.level, &mut |nodes| {
            hit.fill(false);
            for number in nodes.iter().flat_map(|node| column.values_for_doc(*node)) {
                for (hit, inside) in hit.iter_mut().zip(&inside) {
                    *hit |=
                        inside.is_some_and(|(from, to)| from <= number && to.is_none_or(|to| number < to));
                }
            }
            for (count, hit) in counts.iter_mut().zip(&hit) {
                *count += u64::from(*hit);
            }
        })
    }

    fn stats(&self, field: &SearchField, figures: &mut RunningStats) -> Result<(), IndexError> {
        match self.evaluation.segment.values(field)? {
            None => Ok(()),
            Some(ColumnValues::Numbers(column)) => {
                let mut sum = 0_i128;
                let is_double = field.kind == FieldKind::Double;
                let mut doubles = 0.0;
                let bounds = self.value_bounds(field, &column, &mut |number| {
                    if is_double {
                        doubles += sortable_to_double(number);
                    } else {
                        sum += i128::from(number);
                    }
                })?;
                let Some((count, least, greatest)) = bounds else { return Ok(()) };
                let value = |number: i64| match field.kind {
                    FieldKind::Double => SearchValue::Double(sortable_to_double(number)),
                    FieldKind::Time => SearchValue::Time(number),
                    _ => SearchValue::Long(number),
                };
                figures.sum += if is_double { doubles } else { sum as f64 };
                figures.add(count, value(least), value(greatest));
                Ok(())
            }
            Some(ColumnValues::Words(column)) => {
                let bounds = self.value_bounds(field, column.ords(), &mut |_| {})?;
                let Some((count, least, greatest)) = bounds else { return Ok(()) };
                let words = super::hit_order::read_words(&column, &[least, greatest])?;
                let value = |word: &[u8]| {
                    let word = String::from_utf8_lossy(word).into_owned();
                    if field.kind == FieldKind::Boolean {
                        SearchValue::Boolean(word == "true")
                    } else {
                        SearchValue::Text(word)
                    }
                };
                figures.add(count, value(&words[0]), value(&words[1]));
                Ok(())
            }
        }
    }

    /// Returns the number of values, the smallest and the greatest.
    fn value_bounds<T>(
        &self,
        field: &SearchField,
        column: &Column<T>,
        each: &mut dyn FnMut(T),
    ) -> Result<Option<(u64, T, T)>, IndexError>
    where
        T: Ord + Copy + std::fmt::Debug + Send + Sync + 'static,
    {
        let mut bounds: Option<(u64, T, T)> = None;
        self.for_each_item(field.level, &mut |nodes| {
            for value in nodes.iter().flat_map(|node| column.values_for_doc(*node)) {
                each(value);
                bounds = Some(match bounds {
                    None => (1, value, value),
                    Some((count, least, greatest)) => (count + 1, least.min(value), greatest.max(value)),
                });
            }
        })?;
        Ok(bounds)
    }
}

impl RunningStats {
    fn add(&mut self, count: u64, least: SearchValue, greatest: SearchValue) {
        let less = |one: &SearchValue, other: &SearchValue| match (one, other) {
            (SearchValue::Text(one), SearchValue::Text(other)) => one < other,
            (SearchValue::Boolean(one), SearchValue::Boolean(other)) => one < other,
            (one, other) => super::schema::number(one) < super::schema::number(other),
        };
        self.count += count;
        if self.least.as_ref().is_none_or(|before| less(&least, before)) {
            self.least = Some(least);
        }
        if self.greatest.as_ref().is_none_or(|before| less(before, &greatest)) {
            self.greatest = Some(greatest);
        }
    }

    fn into_stats(self, kind: FieldKind) -> Stats {
        let is_number = matches!(kind, FieldKind::Long | FieldKind::Double) && self.count > 0;
        Stats {
            count: self.count,
            min: self.least,
            max: self.greatest,
            mean: is_number.then(|| self.sum / self.count as f64),
            sum: is_number.then_some(self.sum),
        }
    }
}
