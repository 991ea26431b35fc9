//! A condition on one field, compiled for one segment: the posting lists or the column that it reads, its
//! cost, and the matching documents. Start at [`LeafAccess::new`].

use super::by_id;
use super::docs::Docs;
use super::failed;
use super::found_term::FoundTerm;
use super::schema::{bool_term, index_form, number};
use super::segment::IndexSegment;
use super::segment_cache::LevelColumn;
use super::term_lists::{TEST_COST, narrow_by_terms, union};
use super::values::ColumnValues;
use super::vocabulary::{Vocabulary, WordCondition};
use crate::analysis::{fold_case, fuzziness, query_terms};
use crate::{
    FieldKind, FieldLevel, IndexError, Leaf, LeafTest, SearchField, SearchValue, ValueBounds, WildcardPattern,
};
use std::ops::{Bound, RangeInclusive};
use std::sync::Arc;
use tantivy::columnar::{Column, ColumnIndex};

/// The data that a condition reads.
pub(super) enum LeafAccess {
    /// No document.
    Nothing,
    /// Documents in a posting list of each group (`all`), or of any group.
    Terms { groups: Vec<Vec<FoundTerm>>, all: bool },
    /// Documents with a number in one of the ranges, with the cached column of the level, if there is one.
    Numbers(Column<i64>, Vec<RangeInclusive<i64>>, Option<Arc<LevelColumn>>),
    /// Documents with a word whose ordinal is in the range.
    Ordinals(Column<u64>, RangeInclusive<u64>),
    /// Documents that are known already.
    Listed(Vec<u32>),
    /// Documents with a value.
    Present(ColumnIndex, usize),
    /// Documents that match the first condition and not the second one.
    Without(Box<LeafAccess>, Box<LeafAccess>),
}

impl LeafAccess {
    pub(super) fn new(leaf: &Leaf, segment: &IndexSegment) -> Result<Self, IndexError> {
        let field = &leaf.field;
        Ok(match &leaf.test {
            LeafTest::Never => Self::Nothing,
            LeafTest::Exists => Self::present(field, segment)?,
            LeafTest::Exact { values, case_insensitive } => exact(field, values, *case_insensitive, segment)?,
            LeafTest::Lacks { values } => {
                let (present, excluded) =
                    (Self::present(field, segment)?, exact(field, values, false, segment)?);
                Self::Without(Box::new(present), Box::new(excluded))
            }
            LeafTest::Range(bounds) => range(field, bounds, segment)?,
            LeafTest::Prefix { text, case_insensitive: true } => {
                matching(field, &WordCondition::Prefix(&fold_case(text)), true, segment)?
            }
            LeafTest::Prefix { text, .. } => matching(field, &WordCondition::Prefix(text), false, segment)?,
            LeafTest::Wildcard { pattern, case_insensitive } => {
                let folded = if *case_insensitive { fold_case(pattern) } else { pattern.clone() };
                let pattern = WildcardPattern::new(&folded, false);
                matching(field, &WordCondition::Wildcard(&pattern), *case_insensitive, segment)?
            }
            LeafTest::FullText { text, all } => {
                let terms = Vocabulary::new(segment, segment.columns.terms, field)?;
                let requested = query_terms(field.language.as_deref(), text);
                let groups =
                    requested.iter().map(|term| terms.get(&term.stem)).collect::<Result<_, IndexError>>()?;
                Self::terms(groups, *all)
            }
            LeafTest::FullTextPrefix { text, all } => {
                let terms = Vocabulary::new(segment, segment.columns.terms, field)?;
                let requested = query_terms(field.language.as_deref(), text);
                let last = requested.len().saturating_sub(1);
                let groups = requested.iter().enumerate().map(|(at, term)| {
                    let mut found = terms.get(&term.stem)?;
                    if at == last {
                        found.extend(terms.matching_terms(&WordCondition::Prefix(&term.surface))?);
                    }
                    Ok(found)
                });
                Self::terms(groups.collect::<Result<_, IndexError>>()?, *all)
            }
            LeafTest::Fuzzy { text, level, all } => {
                let terms = Vocabulary::new(segment, segment.columns.terms, field)?;
                let requested = query_terms(field.language.as_deref(), text);
                let groups = requested.iter().map(|term| {
                    terms
                        .matching_terms(&WordCondition::Like { term, most: fuzziness(*level, &term.surface) })
                });
                Self::terms(groups.collect::<Result<_, IndexError>>()?, *all)
            }
        })
    }

    fn present(field: &SearchField, segment: &IndexSegment) -> Result<Self, IndexError> {
        Ok(match segment.values(field)? {
            None => Self::Nothing,
            Some(values) => Self::Present(values.index().clone(), values.count()),
        })
    }

    fn terms(groups: Vec<Vec<FoundTerm>>, all: bool) -> Self {
        let is_nothing =
            if all { groups.iter().any(Vec::is_empty) } else { groups.iter().all(Vec::is_empty) };
        if groups.is_empty() || is_nothing {
            return Self::Nothing;
        }
        // With one group, `all` and `any` are the same; `all` allows skipping through the lists.
        let all = all || groups.len() == 1;
        Self::Terms { groups, all }
    }

    /// Returns the range of numbers, if the condition is a single range.
    pub(super) fn single_range(&self) -> Option<&RangeInclusive<i64>> {
        match self {
            Self::Numbers(_, ranges, _) if ranges.len() == 1 => ranges.first(),
            _ => None,
        }
    }

    /// Returns approximately how many values must be read to find all documents.
    pub(super) fn cost(&self) -> usize {
        let frequency = |group: &Vec<FoundTerm>| group.iter().map(|found| found.term.doc_freq as usize).sum();
        match self {
            Self::Nothing => 0,
            Self::Terms { groups, all: true } => groups.iter().map(frequency).min().unwrap_or(0),
            Self::Terms { groups, all: false } => groups.iter().map(frequency).sum(),
            Self::Numbers(column, ranges, _) => column.values.num_vals() as usize * ranges.len(),
            Self::Ordinals(column, _) => column.values.num_vals() as usize,
            Self::Listed(docs) => docs.len(),
            Self::Present(_, count) => *count,
            Self::Without(of, excluded) => of.cost() + excluded.cost(),
        }
    }

    /// Returns the matching documents. With a `scope`, a sorted list of roots, documents of other entries may be
    /// missing.
    pub(super) fn docs(
        &self,
        segment: &IndexSegment,
        level: FieldLevel,
        scope: Option<&[u32]>,
    ) -> Result<Docs, IndexError> {
        let len = segment.len();
        match self {
            Self::Nothing => Ok(Docs::Few(Vec::new())),
            Self::Listed(docs) => Ok(Docs::from_sorted(docs.clone(), len)),
            Self::Without(of, excluded) => {
                Ok(of.docs(segment, level, scope)?.subtract(&excluded.docs(segment, level, scope)?))
            }
            Self::Terms { groups, all: true } => {
                let mut groups: Vec<_> = groups.iter().collect();
                groups.sort_by_key(|group| group.iter().map(|found| found.term.doc_freq).sum::<u32>());
                let mut docs: Option<Docs> = None;
                for group in groups {
                    docs = Some(match docs {
                        None => union(group, segment, scope)?,
                        Some(docs) => narrow_by_terms(docs, group, segment)?,
                    });
                }
                Ok(docs.unwrap_or(Docs::Few(Vec::new())))
            }
            Self::Terms { groups, all: false } => {
                let all: Vec<FoundTerm> = groups.iter().flatten().cloned().collect();
                union(&all, segment, scope)
            }
            Self::Numbers(..) | Self::Ordinals(..) | Self::Present(..) => {
                if let Some(scope) = scope {
                    let in_scope = scope.len() * (len as usize / segment.alive_count.max(1) + 1);
                    if level == FieldLevel::Root || in_scope * TEST_COST < self.cost() {
                        return Ok(Docs::from_sorted(self.test_blocks(segment, level, scope), len));
                    }
                }
                Ok(self.scan(segment))
            }
        }
    }

    /// Returns the documents of `docs` that match.
    pub(super) fn narrow(
        &self,
        docs: Docs,
        segment: &IndexSegment,
        level: FieldLevel,
        scope: Option<&[u32]>,
    ) -> Result<Docs, IndexError> {
        match self {
            Self::Terms { groups, all: true } => {
                groups.iter().try_fold(docs, |docs, group| narrow_by_terms(docs, group, segment))
            }
            Self::Numbers(..) | Self::Ordinals(..) | Self::Present(..)
                if docs.count() * TEST_COST < self.cost() =>
            {
                let mut held = Vec::new();
                docs.for_each(|doc| {
                    if self.test(doc, segment) {
                        held.push(doc);
                    }
                });
                Ok(Docs::from_sorted(held, segment.len()))
            }
            Self::Without(of, excluded) => {
                let docs = of.narrow(docs, segment, level, scope)?;
                Ok(docs.clone().subtract(&excluded.narrow(docs, segment, level, scope)?))
            }
            _ => Ok(docs.intersect(&self.docs(segment, level, scope)?)),
        }
    }

    fn test_blocks(&self, segment: &IndexSegment, level: FieldLevel, scope: &[u32]) -> Vec<u32> {
        let mut held = Vec::new();
        for root in scope {
            match level {
                FieldLevel::Root => held.extend(self.test(*root, segment).then_some(*root)),
                FieldLevel::Child => {
                    held.extend(segment.children(*root).filter(|doc| self.test(*doc, segment)))
                }
                // `docs` contains children, too, which have no values of this level.
                FieldLevel::Grandchild => held.extend(
                    (segment.first_below(FieldLevel::Root, *root)..*root)
                        .filter(|doc| self.test(*doc, segment)),
                ),
            }
        }
        held
    }

    /// Whether a document of the condition's level matches. For columns only.
    fn test(&self, doc: u32, segment: &IndexSegment) -> bool {
        match self {
            Self::Numbers(_, ranges, Some(kept)) => {
                let mut numbers = kept.of_node(&segment.shape, doc).iter();
                numbers.any(|number| {
                    let number = kept.least + i64::from(*number);
                    ranges.iter().any(|range| range.contains(&number))
                })
            }
            Self::Numbers(column, ranges, None) => {
                column.values_for_doc(doc).any(|value| ranges.iter().any(|range| range.contains(&value)))
            }
            Self::Ordinals(column, range) => column.values_for_doc(doc).any(|value| range.contains(&value)),
            Self::Present(index, _) => index.has_value(doc),
            Self::Nothing | Self::Listed(_) | Self::Terms { .. } | Self::Without(..) => false,
        }
    }

    /// Scans the whole column.
    fn scan(&self, segment: &IndexSegment) -> Docs {
        let len = segment.len();
        match self {
            Self::Numbers(column, ranges, _) => {
                let mut all: Option<Docs> = None;
                for range in ranges {
                    let docs = in_range(column, range.clone(), len);
                    all = Some(match all {
                        None => docs,
                        Some(all) => all.unite(docs, len),
                    });
                }
                all.unwrap_or(Docs::Few(Vec::new()))
            }
            Self::Ordinals(column, range) => in_range(column, range.clone(), len),
            Self::Present(index, _) => match index {
                ColumnIndex::Optional(index) => Docs::from_sorted(index.iter_non_null_docs().collect(), len),
                other => Docs::from_sorted((0..len).filter(|doc| other.has_value(*doc)).collect(), len),
            },
            Self::Nothing | Self::Listed(_) | Self::Terms { .. } | Self::Without(..) => Docs::Few(Vec::new()),
        }
    }
}

impl ColumnValues {
    fn count(&self) -> usize {
        match self {
            Self::Words(column) => column.ords().values.num_vals() as usize,
            Self::Numbers(column) => column.values.num_vals() as usize,
        }
    }
}

fn in_range<T>(column: &Column<T>, range: RangeInclusive<T>, len: u32) -> Docs
where
    T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
{
    let mut docs = Vec::new();
    // tantivy clamps a range that ends before the smallest value of a column to one that ends at that value.
    let is_met = *range.end() >= column.min_value() && *range.start() <= column.max_value();
    if len > 0 && range.start() <= range.end() && is_met {
        column.get_docids_for_value_range(range, 0..len, &mut docs);
        docs.dedup();
    }
    Docs::from_sorted(docs, len)
}

fn exact(
    field: &SearchField,
    values: &[SearchValue],
    folded: bool,
    segment: &IndexSegment,
) -> Result<LeafAccess, IndexError> {
    if !super::schema::is_whole(field.kind) {
        let Some(ColumnValues::Numbers(column)) = segment.values(field)? else {
            return Ok(LeafAccess::Nothing);
        };
        let ranges = values.iter().filter_map(number).map(|value| value..=value).collect();
        return Ok(LeafAccess::Numbers(column, ranges, None));
    }
    if field.kind == FieldKind::Id {
        return Ok(LeafAccess::Listed(by_id::find_exact(field, values, folded, segment)?));
    }
    let words = Vocabulary::new(segment, segment.columns.whole, field)?;
    let small = folded.then(|| Vocabulary::new(segment, segment.columns.small, field)).transpose()?;
    let mut found = Vec::new();
    for value in values {
        match (value, &small) {
            (SearchValue::Boolean(truth), _) => found.extend(words.get(bool_term(*truth))?),
            (SearchValue::Text(text), None) => found.extend(words.get(&index_form(text))?),
            (SearchValue::Text(text), Some(small)) => {
                let text = fold_case(text);
                found.extend(words.get(&index_form(&text))?);
                found.extend(small.get(&index_form(&text))?);
            }
            _ => {}
        }
    }
    Ok(LeafAccess::terms(vec![found], false))
}

fn matching(
    field: &SearchField,
    look: &WordCondition<'_>,
    folded: bool,
    segment: &IndexSegment,
) -> Result<LeafAccess, IndexError> {
    if field.kind == FieldKind::Boolean || !super::schema::is_whole(field.kind) {
        return Ok(LeafAccess::Nothing);
    }
    if field.kind == FieldKind::Id {
        return Ok(LeafAccess::Listed(by_id::find_matching(field, look, folded, segment)?));
    }
    let words = Vocabulary::new(segment, segment.columns.whole, field)?;
    let found = if folded {
        let mut found = words.lowercase_only().matching_terms(look)?;
        found.extend(Vocabulary::new(segment, segment.columns.small, field)?.matching_terms(look)?);
        found
    } else {
        words.matching_terms(look)?
    };
    Ok(LeafAccess::terms(vec![found], false))
}

fn range(
    field: &SearchField,
    bounds: &ValueBounds,
    segment: &IndexSegment,
) -> Result<LeafAccess, IndexError> {
    Ok(match segment.values(field)? {
        None => LeafAccess::Nothing,
        Some(ColumnValues::Numbers(column)) => {
            let limit = |bound: &Bound<SearchValue>, open: i64, step: i64| match bound {
                Bound::Unbounded => Some(open),
                Bound::Included(value) => number(value),
                Bound::Excluded(value) => number(value)?.checked_add(step),
            };
            match (limit(&bounds.0, i64::MIN, 1), limit(&bounds.1, i64::MAX, -1)) {
                (Some(from), Some(to)) if from <= to => {
                    LeafAccess::Numbers(column, vec![from..=to], segment.level_column(field)?)
                }
                _ => LeafAccess::Nothing,
            }
        }
        Some(ColumnValues::Words(column)) => {
            let ordinal = |value: &SearchValue| {
                let text = match value {
                    SearchValue::Text(text) => index_form(text),
                    SearchValue::Boolean(truth) => bool_term(*truth).into(),
                    _ => return Ok(None),
                };
                let here = column.dictionary().term_ord(text.as_bytes()).map_err(failed)?;
                match here {
                    Some(ordinal) => Ok(Some((ordinal, true))),
                    None => Ok(Some((count_words_before(&column, text.as_bytes())?, false))),
                }
            };
            let from = match &bounds.0 {
                Bound::Unbounded => Some(0),
                Bound::Included(value) => ordinal(value)?.map(|(ordinal, _)| ordinal),
                Bound::Excluded(value) => {
                    ordinal(value)?.map(|(ordinal, is_there)| ordinal + u64::from(is_there))
                }
            };
            // The first ordinal after the range.
            let end = match &bounds.1 {
                Bound::Unbounded => Some(column.num_terms() as u64),
                Bound::Included(value) => {
                    ordinal(value)?.map(|(ordinal, is_there)| ordinal + u64::from(is_there))
                }
                Bound::Excluded(value) => ordinal(value)?.map(|(ordinal, _)| ordinal),
            };
            match (from, end) {
                (Some(from), Some(end)) if from < end => {
                    LeafAccess::Ordinals(column.ords().clone(), from..=end - 1)
                }
                _ => LeafAccess::Nothing,
            }
        }
    })
}

/// Returns how many words of a column sort before a word that it does not contain.
fn count_words_before(column: &tantivy::columnar::StrColumn, word: &[u8]) -> Result<u64, IndexError> {
    let (mut low, mut high) = (0, column.num_terms() as u64);
    let mut bytes = Vec::new();
    while low < high {
        let middle = low + (high - low) / 2;
        bytes.clear();
        column.ord_to_bytes(middle, &mut bytes).map_err(failed)?;
        if bytes.as_slice() < word {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}
