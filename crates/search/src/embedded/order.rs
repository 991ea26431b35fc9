//! The sequence of hits: keys by segment, the best of each, and these merged.

use super::eval::Evaluation;
use super::failed;
use super::nodes::Counting;
use super::schema::{double, sortable};
use super::score::Scorer;
use super::segment::Values;
use crate::{IndexError, Kind, Level, Query, Sort, SortBy, SortMode};
use std::cmp::Ordering;
use tantivy::columnar::{Column, StrColumn};

/// The key of what has no value: the last.
const MISSING: u64 = u64::MAX;
/// From so many hits on, words and ids are read by the block.
const MANY: usize = 200;
/// How many hits such a block has.
const BLOCK: usize = 128;

/// The best hits of a segment, in sequence.
pub(super) struct Best {
    /// Their roots.
    roots: Vec<u32>,
    /// For each criterion the key of each: the least first. Ordinals of words differ between segments.
    keys: Vec<Vec<u64>>,
    /// Of criteria that compare words: what the ordinals mean, and whether the greatest come first.
    words: Vec<Option<(StrColumn, bool)>>,
    ids: StrColumn,
    /// The next one.
    at: usize,
    /// Words of the criteria and ids that were read, from `block` on.
    block: usize,
    read_words: Vec<Vec<Vec<u8>>>,
    read_ids: Vec<Vec<u8>>,
    block_len: usize,
}

/// The best `most` of the hits of a segment, a sorted list of roots.
pub(super) fn best(
    segment: &Evaluation<'_>,
    roots: &[u32],
    sort: &[Sort],
    query: Option<&Query>,
    scorer: &Scorer,
    most: usize,
) -> Result<Option<Best>, IndexError> {
    let Some(ids) = segment.segment.words("id")? else { return Ok(None) };
    if roots.is_empty() || most == 0 {
        return Ok(None);
    }
    let by_score = [Sort { by: SortBy::Score, descending: true, mode: None, filter: None }];
    let sort = if sort.is_empty() { &by_score } else { sort };
    let mut keys = Vec::with_capacity(sort.len());
    let mut words = Vec::with_capacity(sort.len());
    for criterion in sort {
        match &criterion.by {
            SortBy::Score => {
                keys.push(match query {
                    Some(query) => {
                        let scores = scorer.scores(query, roots, segment)?;
                        scores
                            .into_iter()
                            .map(|score| key(sortable(score.into()), criterion.descending))
                            .collect()
                    }
                    None => vec![0; roots.len()],
                });
                words.push(None);
            }
            SortBy::Field(field) => {
                let values = segment.segment.values(field)?;
                keys.push(field_keys(segment, roots, criterion, field.level, field.kind, values.as_ref())?);
                words.push(match values {
                    Some(Values::Words(column)) => Some((column, criterion.descending)),
                    _ => None,
                });
            }
        }
    }
    let id_of = ids.ords().clone();
    let compare = |one: u32, other: u32| {
        let (one, other) = (one as usize, other as usize);
        for keys in &keys {
            match keys[one].cmp(&keys[other]) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        id_of.first(roots[one]).cmp(&id_of.first(roots[other]))
    };
    let mut top: Vec<u32> = Vec::with_capacity((2 * most).min(roots.len()));
    let mut bar: Option<u32> = None;
    for at in 0..roots.len() as u32 {
        if bar.is_some_and(|bar| compare(at, bar).is_gt()) {
            continue;
        }
        top.push(at);
        if top.len() >= 2 * most {
            top.select_nth_unstable_by(most - 1, |one, other| compare(*one, *other));
            top.truncate(most);
            bar = Some(top[most - 1]);
        }
    }
    top.sort_unstable_by(|one, other| compare(*one, *other));
    top.truncate(most);
    let keys = keys.iter().map(|keys| top.iter().map(|at| keys[*at as usize]).collect()).collect();
    let roots = top.iter().map(|at| roots[*at as usize]).collect();
    let read_words = vec![Vec::new(); words.len()];
    Ok(Some(Best {
        roots,
        keys,
        words,
        ids,
        at: 0,
        block: 0,
        read_words,
        read_ids: Vec::new(),
        block_len: if most >= MANY { BLOCK } else { 1 },
    }))
}

/// A key that sorts as asked.
fn key(number: i64, descending: bool) -> u64 {
    let ascending = (number as u64) ^ (1 << 63);
    if descending { !ascending } else { ascending }.min(MISSING - 1)
}

fn field_keys(
    segment: &Evaluation<'_>,
    roots: &[u32],
    sort: &Sort,
    level: Level,
    kind: Kind,
    values: Option<&Values>,
) -> Result<Vec<u64>, IndexError> {
    let Some(values) = values else { return Ok(vec![MISSING; roots.len()]) };
    let rows = match &sort.filter {
        None => None,
        Some(filter) => {
            let scope = (roots.len() * 4 < segment.segment.alive_count).then_some(roots);
            Some(segment.rows(filter, level, scope)?)
        }
    };
    let counting = Counting { segment: segment.segment, rows: rows.as_ref(), level };
    let is_simple = rows.is_none() && level == Level::Root;
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
    let descending = sort.descending;
    let greatest = sort.mode.map_or(descending, |mode| mode == SortMode::Max);
    match values {
        Values::Words(column) => {
            let ordinals = column.ords();
            each(&mut |nodes| {
                let ordinal = extreme(ordinals, nodes, greatest)?;
                Some(if descending { MISSING - 1 - ordinal } else { ordinal })
            });
        }
        Values::Numbers(column) => match sort.mode {
            Some(mode @ (SortMode::Avg | SortMode::Sum)) => each(&mut |nodes| {
                let (mut sum, mut count) = (0.0, 0_u32);
                for number in nodes.iter().flat_map(|node| column.values_for_doc(*node)) {
                    sum += if kind == Kind::Double { double(number) } else { number as f64 };
                    count += 1;
                }
                let value = if mode == SortMode::Avg { sum / f64::from(count) } else { sum };
                (count > 0).then(|| key(sortable(value), descending))
            }),
            _ => each(&mut |nodes| Some(key(extreme(column, nodes, greatest)?, descending))),
        },
    }
    Ok(keys)
}

/// The least or the greatest value of nodes.
fn extreme<T>(column: &Column<T>, nodes: &[u32], greatest: bool) -> Option<T>
where
    T: Ord + Copy + std::fmt::Debug + Send + Sync + 'static,
{
    let values = nodes.iter().flat_map(|node| column.values_for_doc(*node));
    if greatest { values.max() } else { values.min() }
}

/// A hit: the how many-th segment, and its root there.
pub(super) type Place = (usize, u32);

/// The hits `offset..offset + limit` of all segments.
pub(super) fn page(
    best: &mut [(usize, Best)],
    offset: usize,
    limit: usize,
) -> Result<Vec<Place>, IndexError> {
    let mut page = Vec::with_capacity(limit);
    if let [(segment, best)] = best {
        page.extend(best.roots.iter().skip(offset).take(limit).map(|root| (*segment, *root)));
        return Ok(page);
    }
    for rank in 0..offset + limit {
        let mut first: Option<usize> = None;
        for at in 0..best.len() {
            if best[at].1.at >= best[at].1.roots.len() {
                continue;
            }
            first = Some(match first {
                None => at,
                Some(before) => {
                    let (left, right) = best.split_at_mut(at);
                    if right[0].1.compare(&mut left[before].1)?.is_lt() { at } else { before }
                }
            });
        }
        let Some(first) = first else { break };
        let (segment, best) = &mut best[first];
        if rank >= offset {
            page.push((*segment, best.roots[best.at]));
        }
        best.at += 1;
    }
    Ok(page)
}

impl Best {
    /// Compares the next ones of two segments.
    fn compare(&mut self, other: &mut Self) -> Result<Ordering, IndexError> {
        for criterion in 0..self.keys.len() {
            let (mine, theirs) = (self.keys[criterion][self.at], other.keys[criterion][other.at]);
            let is_words = self.words[criterion].is_some() && other.words[criterion].is_some();
            let ordering = if mine == MISSING || theirs == MISSING || !is_words {
                mine.cmp(&theirs)
            } else {
                let descending = self.words[criterion].as_ref().is_some_and(|(_, descending)| *descending);
                let mine = self.word(criterion)?.to_vec();
                let ordering = mine.as_slice().cmp(other.word(criterion)?);
                if descending { ordering.reverse() } else { ordering }
            };
            if ordering.is_ne() {
                return Ok(ordering);
            }
        }
        self.read()?;
        other.read()?;
        Ok(self.read_ids[self.at - self.block].cmp(&other.read_ids[other.at - other.block]))
    }

    fn word(&mut self, criterion: usize) -> Result<&[u8], IndexError> {
        self.read()?;
        Ok(&self.read_words[criterion][self.at - self.block])
    }

    /// Reads the words and ids of the next ones.
    fn read(&mut self) -> Result<(), IndexError> {
        if self.at >= self.block && self.at < self.block + self.read_ids.len() {
            return Ok(());
        }
        self.block = self.at;
        let end = (self.at + self.block_len).min(self.roots.len());
        let roots = &self.roots[self.at..end];
        let ids: Vec<u64> = roots.iter().map(|root| self.ids.ords().first(*root).unwrap_or(0)).collect();
        self.read_ids = read_words(&self.ids, &ids)?;
        for criterion in 0..self.words.len() {
            if let Some((column, descending)) = &self.words[criterion] {
                let keys = &self.keys[criterion][self.at..end];
                let ordinals: Vec<u64> = keys
                    .iter()
                    .map(|key| match *key {
                        MISSING => 0,
                        key if *descending => MISSING - 1 - key,
                        key => key,
                    })
                    .collect();
                self.read_words[criterion] = read_words(column, &ordinals)?;
            }
        }
        Ok(())
    }
}

/// The words of ordinals, in the sequence given.
pub(super) fn read_words(column: &StrColumn, ordinals: &[u64]) -> Result<Vec<Vec<u8>>, IndexError> {
    let mut words = vec![Vec::new(); ordinals.len()];
    if let [single] = ordinals {
        column.ord_to_bytes(*single, &mut words[0]).map_err(failed)?;
        return Ok(words);
    }
    let mut sequence: Vec<usize> = (0..ordinals.len()).collect();
    sequence.sort_unstable_by_key(|at| ordinals[*at]);
    let sorted: Vec<u64> = sequence.iter().map(|at| ordinals[*at]).collect();
    let mut next = sequence.iter();
    column
        .dictionary()
        .sorted_ords_to_term_cb(&sorted, |word| {
            if let Some(at) = next.next() {
                words[*at] = word.to_vec();
            }
        })
        .map_err(failed)?;
    Ok(words)
}
