//! Sort keys of hits: numbers with the same order as the values of a criterion.

use super::evaluation::Evaluation;
use super::filtered_column::ColumnFilter;
use super::nodes::NodeCounting;
use super::schema::{double_to_sortable, sortable_to_double};
use super::values::ColumnValues;
use crate::{FieldKind, FieldLevel, HitSort, IndexError, SearchField, SortMode};

/// The sort key of a hit without a value, which comes last.
pub(super) const MISSING: u64 = u64::MAX;

/// Converts a number to a key that sorts ascending or descending.
pub(super) fn key(number: i64, descending: bool) -> u64 {
    let ascending = (number as u64) ^ (1 << 63);
    if descending { !ascending } else { ascending }.min(MISSING - 1)
}

/// Returns the sort keys of entries by a field. The entries are given by their roots, which must be sorted if the
/// criterion has a filter.
pub(super) fn field_keys(
    segment: &Evaluation<'_>,
    roots: &[u32],
    sort: &HitSort,
    field: &SearchField,
    values: Option<&ColumnValues>,
) -> Result<Vec<u64>, IndexError> {
    let Some(values) = values else { return Ok(vec![MISSING; roots.len()]) };
    if let Some(keys) = cached_keys(segment, roots, sort, field, values)? {
        return Ok(keys);
    }
    let (level, kind) = (field.level, field.kind);
    let rows = match &sort.filter {
        None => None,
        Some(filter) => {
            let scope = (roots.len() * 4 < segment.segment.alive_count).then_some(roots);
            Some(segment.rows(filter, level, scope)?)
        }
    };
    let counting = NodeCounting { segment: segment.segment, rows: rows.as_ref(), level };
    let is_simple = rows.is_none() && level == FieldLevel::Root;
    let mut nodes = Vec::new();
    let mut keys = Vec::with_capacity(roots.len());
    let mut each = |of: &mut dyn FnMut(&[u32]) -> Option<u64>| {
        for root in roots {
            let key = if is_simple {
                of(&[*root])
            } else if counting.of_entry(*root, &mut nodes) {
                of(&nodes)
            } else {
                None
            };
            keys.push(key.unwrap_or(MISSING));
        }
    };
    match values {
        ColumnValues::Words(column) => each(&mut |nodes| {
            word_key(nodes.iter().flat_map(|node| column.ords().values_for_doc(*node)), sort)
        }),
        ColumnValues::Numbers(column) => each(&mut |nodes| {
            number_key(nodes.iter().flat_map(|node| column.values_for_doc(*node)), sort, kind)
        }),
    }
    Ok(keys)
}

/// Returns keys from cached data: columns by number, or filtered numbers.
fn cached_keys(
    evaluation: &Evaluation<'_>,
    roots: &[u32],
    sort: &HitSort,
    field: &SearchField,
    values: &ColumnValues,
) -> Result<Option<Vec<u64>>, IndexError> {
    let segment = evaluation.segment;
    let mut keys = Vec::with_capacity(roots.len());
    if let Some(filter) = &sort.filter {
        let chooses =
            ColumnFilter::collect(&[filter], field.level).filter(|_| field.level != FieldLevel::Root);
        let Some(chooses) = chooses else { return Ok(None) };
        let Some(chosen) = evaluation.filtered_column(&chooses, field)? else { return Ok(None) };
        let access = chooses.range().map(|range| evaluation.access(range)).transpose()?;
        let range = match &access {
            None => None,
            Some(access) => match access.single_range() {
                Some(range) => Some(range),
                None => return Ok(Some(vec![MISSING; roots.len()])),
            },
        };
        chosen.of_entries(segment, roots, range, |numbers| {
            keys.push(number_key(numbers, sort, field.kind).unwrap_or(MISSING));
        });
        return Ok(Some(keys));
    }
    let Some(column) = segment.level_column(field)? else { return Ok(None) };
    for root in roots {
        let kept = column.of_entry(&segment.shape, *root).iter();
        let key = match values {
            ColumnValues::Words(_) => word_key(kept.map(|ordinal| u64::from(*ordinal)), sort),
            ColumnValues::Numbers(_) => {
                number_key(kept.map(|number| column.least + i64::from(*number)), sort, field.kind)
            }
        };
        keys.push(key.unwrap_or(MISSING));
    }
    Ok(Some(keys))
}

/// Returns the key of a hit with the words of these ordinals.
fn word_key(ordinals: impl Iterator<Item = u64>, sort: &HitSort) -> Option<u64> {
    let greatest = sort.mode.map_or(sort.descending, |mode| mode == SortMode::Max);
    let ordinal = if greatest { ordinals.max() } else { ordinals.min() }?;
    Some(if sort.descending { MISSING - 1 - ordinal } else { ordinal })
}

/// Returns the key of a hit with these numbers.
fn number_key(numbers: impl Iterator<Item = i64>, sort: &HitSort, kind: FieldKind) -> Option<u64> {
    let number = match sort.mode {
        Some(mode @ (SortMode::Avg | SortMode::Sum)) => {
            let (mut sum, mut count) = (0.0, 0_u32);
            for number in numbers {
                sum += if kind == FieldKind::Double { sortable_to_double(number) } else { number as f64 };
                count += 1;
            }
            let value = if mode == SortMode::Avg { sum / f64::from(count) } else { sum };
            (count > 0).then(|| double_to_sortable(value))
        }
        Some(SortMode::Max) => numbers.max(),
        Some(SortMode::Min) => numbers.min(),
        None if sort.descending => numbers.max(),
        None => numbers.min(),
    };
    number.map(|number| key(number, sort.descending))
}
