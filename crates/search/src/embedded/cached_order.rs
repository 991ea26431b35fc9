//! A cached order: the roots of a segment sorted by one criterion, from which pages are read.

use super::bits::Bits;
use super::docs::Docs;
use super::evaluation::Evaluation;
use super::filtered_column::ColumnFilter;
use super::ids::Ids;
use super::segment_cache::{CacheablePart, PART_BYTES_MAX};
use super::sort_keys::field_keys;
use crate::{FieldLevel, HitSort, IndexError, SearchField, SortBy};

/// Cost of computing the sort key of a hit, relative to the cost of testing whether the next root is a hit.
const KEY_COST: usize = 4;

/// All roots of a segment, including deleted ones, by the key of a criterion and then by id.
#[derive(Debug)]
struct CachedOrder {
    roots: Vec<u32>,
    /// The positions with the same key as the position before.
    ties: Bits,
}

impl CacheablePart for CachedOrder {
    fn bytes(&self) -> usize {
        size_of_val(self.roots.as_slice()) + self.ties.bytes()
    }
}

/// Returns the first of many hits from a cached order: the first `most`, and if there are further criteria, all hits
/// with the same key as the last of them. `None` if the order is not cached, or sorting the hits is cheaper.
pub(super) fn first_by_cached_order(
    evaluation: &Evaluation<'_>,
    ids: &Ids,
    hits: &Docs,
    sort: &[&HitSort],
    most: usize,
) -> Result<Option<Vec<u32>>, IndexError> {
    let Some((first, others)) = sort.split_first() else { return Ok(None) };
    let SortBy::Field(field) = &first.by else { return Ok(None) };
    let (all, count) = (ids.by_id().len(), hits.count());
    if most.min(count) * (all / count.max(1) + 1) > count * KEY_COST {
        return Ok(None);
    }
    let Some(name) = cache_key(first, field) else { return Ok(None) };
    let cached = evaluation.segment.get_or_build(name, || build_order(evaluation, ids, first, field))?;
    let Some(order) = cached else { return Ok(None) };
    let mut roots = Vec::with_capacity(most.min(count));
    for (place, root) in order.roots.iter().enumerate() {
        if roots.len() >= most && (others.is_empty() || !order.ties.contains(place as u32)) {
            break;
        }
        if hits.contains(*root) {
            roots.push(*root);
        }
    }
    // Without filter and further criteria, keys are looked up one by one in any order; otherwise roots must be
    // ascending.
    if first.filter.is_some() || !others.is_empty() {
        roots.sort_unstable();
    }
    Ok(Some(roots))
}

/// Returns the cache key of the order; `None` for criteria with too many variants.
fn cache_key(sort: &HitSort, field: &SearchField) -> Option<String> {
    let of = match &sort.filter {
        None => super::schema::key(field),
        Some(filter) => {
            let chooses =
                ColumnFilter::collect(&[filter], field.level).filter(|_| field.level != FieldLevel::Root)?;
            chooses.range().is_none().then(|| chooses.name(field))?
        }
    };
    Some(format!("sequence {of} {} {:?}", sort.descending, sort.mode))
}

fn build_order(
    evaluation: &Evaluation<'_>,
    ids: &Ids,
    sort: &HitSort,
    field: &SearchField,
) -> Result<Option<CachedOrder>, IndexError> {
    let segment = evaluation.segment;
    let len = ids.by_id().len();
    if len > PART_BYTES_MAX / size_of::<u64>() {
        return Ok(None);
    }
    let values = segment.values(field)?;
    let roots: Vec<u32> = segment.shape.roots.iter().collect();
    let keys = field_keys(evaluation, &roots, sort, field, values.as_ref())?;
    let ids = roots.iter().map(|root| ids.ordinal(&segment.shape, *root));
    let mut places: Vec<(u64, u32, u32)> =
        keys.into_iter().zip(ids).zip(&roots).map(|((key, id), root)| (key, id, *root)).collect();
    places.sort_unstable();
    let mut ties = Bits::none(len as u32);
    for (place, two) in places.windows(2).enumerate() {
        if two[0].0 == two[1].0 {
            ties.insert(place as u32 + 1);
        }
    }
    Ok(Some(CachedOrder { roots: places.into_iter().map(|(.., root)| root).collect(), ties }))
}
