//! Sorts hits: keys by segment, the best of each segment, and their merge. Start at [`best_hits`].

use super::cached_order::first_by_cached_order;
use super::docs::Docs;
use super::evaluation::Evaluation;
use super::failed;
use super::ids::Ids;
use super::schema::double_to_sortable;
use super::score::Scorer;
use super::segment::IndexSegment;
use super::segment_shape::SegmentShape;
use super::sort_keys::{MISSING, field_keys, key};
use super::values::ColumnValues;
use crate::{HitSort, IndexError, SearchQuery, SortBy};
use std::cmp::{Ordering, Reverse};
use tantivy::columnar::StrColumn;

/// Minimum number of hits for reading words and ids in blocks.
const MANY: usize = 200;
/// Number of hits in a block.
const BLOCK: usize = 128;
/// Cost of sorting a hit, relative to the cost of testing whether an entry is a hit.
const SORT_COST: usize = 8;

/// The best hits of a segment, in order.
pub(super) struct BestHits {
    /// Their roots.
    roots: Vec<u32>,
    /// For each criterion the keys of the hits, the smallest first. Ordinals of words differ between segments.
    keys: Vec<Vec<u64>>,
    /// For criteria that compare words: the column with the words of the ordinals, and whether the order is descending.
    words: Vec<Option<(StrColumn, bool)>>,
    ids: StrColumn,
    /// The index of the next hit.
    at: usize,
    /// The index of the first hit whose words and ids are read.
    block: usize,
    read_words: Vec<Vec<Vec<u8>>>,
    read_ids: Vec<Vec<u8>>,
    block_len: usize,
}

/// Returns the best `most` hits of a segment.
pub(super) fn best_hits(
    segment: &Evaluation<'_>,
    hits: Docs,
    sort: &[HitSort],
    query: Option<&SearchQuery>,
    scorer: &Scorer,
    most: usize,
) -> Result<Option<BestHits>, IndexError> {
    let (Some(ids), Some(id_column)) = (segment.segment.ids()?, segment.segment.words("id")?) else {
        return Ok(None);
    };
    if hits.is_empty() || most == 0 {
        return Ok(None);
    }
    let by_score = [HitSort { by: SortBy::Score, descending: true, mode: None, filter: None }];
    let sort = if sort.is_empty() { &by_score } else { sort };
    let is_by_id =
        |criterion: &HitSort| criterion.by == SortBy::Score && query.is_none_or(Scorer::is_equal_for_all);
    // A criterion that is equal for all hits is skipped.
    let sort: Vec<&HitSort> = sort.iter().filter(|criterion| !is_by_id(criterion)).collect();
    let block_len = if most >= MANY { BLOCK } else { 1 };
    if sort.is_empty() {
        let roots = first_by_id(segment.segment, &ids, hits, most);
        return Ok(Some(BestHits::new(roots, Vec::new(), Vec::new(), id_column, block_len)));
    }
    let roots = match first_by_cached_order(segment, &ids, &hits, &sort, most)? {
        Some(first) => first,
        None => hits.into_sorted(),
    };
    let mut keys = Vec::with_capacity(sort.len());
    let mut words = Vec::with_capacity(sort.len());
    for criterion in sort {
        match &criterion.by {
            SortBy::Score => {
                let Some(query) = query else { continue };
                let scores = scorer.scores(query, &roots, segment)?.into_iter();
                let sortable =
                    scores.map(|score| key(double_to_sortable(score.into()), criterion.descending));
                keys.push(sortable.collect());
                words.push(None);
            }
            SortBy::Field(field) => {
                let values = segment.segment.values(field)?;
                keys.push(field_keys(segment, &roots, criterion, field, values.as_ref())?);
                words.push(match values {
                    Some(ColumnValues::Words(column)) => Some((column, criterion.descending)),
                    _ => None,
                });
            }
        }
    }
    let top = first_by_keys(&keys, &ids, &segment.segment.shape, &roots, most);
    let keys = keys.iter().map(|keys| top.iter().map(|at| keys[*at as usize]).collect()).collect();
    let roots = top.iter().map(|at| roots[*at as usize]).collect();
    Ok(Some(BestHits::new(roots, keys, words, id_column, block_len)))
}

/// Returns the first hits by id alone.
fn first_by_id(segment: &IndexSegment, ids: &Ids, hits: Docs, most: usize) -> Vec<u32> {
    let count = hits.count();
    let sequence = ids.by_id();
    // Either scans all ids until enough hits are found, or sorts the hits: whichever is cheaper.
    let looked_at = most.min(count) * (sequence.len() / count.max(1) + 1);
    if looked_at <= count * SORT_COST {
        return sequence.iter().copied().filter(|root| hits.contains(*root)).take(most).collect();
    }
    let all = &*segment.shape;
    let mut pairs: Vec<(u32, u32)> =
        hits.into_sorted().into_iter().map(|root| (ids.ordinal(all, root), root)).collect();
    if pairs.len() > most {
        pairs.select_nth_unstable(most);
        pairs.truncate(most);
    }
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, root)| root).collect()
}

/// Returns the indexes of the first hits, by their keys in turn and then by id.
fn first_by_keys(keys: &[Vec<u64>], ids: &Ids, all: &SegmentShape, roots: &[u32], most: usize) -> Vec<u32> {
    let compare = |one: u32, other: u32| {
        for keys in keys {
            match keys[one as usize].cmp(&keys[other as usize]) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        ids.ordinal(all, roots[one as usize]).cmp(&ids.ordinal(all, roots[other as usize]))
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
    if top.len() > most {
        top.select_nth_unstable_by(most - 1, |one, other| compare(*one, *other));
        top.truncate(most);
    }
    top.sort_unstable_by(|one, other| compare(*one, *other));
    top
}

/// A hit: the index of its segment, and its root there.
pub(super) type SortedPlace = (usize, u32);

/// Returns the hits `offset..offset + limit`, merged over all segments.
pub(super) fn page(
    best: &mut [(usize, BestHits)],
    offset: usize,
    limit: usize,
) -> Result<Vec<SortedPlace>, IndexError> {
    let mut page = Vec::with_capacity(limit);
    if let [(segment, best)] = best {
        page.extend(best.roots.iter().skip(offset).take(limit).map(|root| (*segment, *root)));
        return Ok(page);
    }
    skip(best, offset)?;
    for _ in 0..limit {
        let mut first: Option<usize> = None;
        for at in 0..best.len() {
            if best[at].1.rest() == 0 {
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
        page.push((*segment, best.roots[best.at]));
        best.at += 1;
    }
    Ok(page)
}

/// Skips the first `count` hits of all segments together, without comparing each.
///
/// Of the hits at the same distance in each segment, the first one has less than `count` hits before it if
/// the distance is `count` divided by the number of segments; so have those before it in its segment, and all
/// of them are skipped.
fn skip(best: &mut [(usize, BestHits)], mut count: usize) -> Result<(), IndexError> {
    while count > 0 {
        let open: Vec<usize> = (0..best.len()).filter(|at| best[*at].1.rest() > 0).collect();
        if open.is_empty() {
            return Ok(());
        }
        let step = (count / open.len()).max(1);
        let mut first: Option<(usize, usize, Vec<KeyPart>)> = None;
        for at in open {
            let ahead = step.min(best[at].1.rest());
            let place = best[at].1.hit_key(best[at].1.at + ahead - 1)?;
            if first.as_ref().is_none_or(|(.., known)| place < *known) {
                first = Some((at, ahead, place));
            }
        }
        let Some((at, ahead, _)) = first else { return Ok(()) };
        best[at].1.at += ahead;
        count -= ahead;
    }
    Ok(())
}

/// A part of the key that compares hits of different segments. Parts of one criterion have the same kind, or
/// are the last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum KeyPart {
    Number(u64),
    Word(Vec<u8>),
    WordDescending(Reverse<Vec<u8>>),
    Last,
}

impl BestHits {
    fn new(
        roots: Vec<u32>,
        keys: Vec<Vec<u64>>,
        words: Vec<Option<(StrColumn, bool)>>,
        ids: StrColumn,
        block_len: usize,
    ) -> Self {
        let read_words = vec![Vec::new(); words.len()];
        Self { roots, keys, words, ids, at: 0, block: 0, read_words, read_ids: Vec::new(), block_len }
    }

    /// Returns how many hits are left.
    fn rest(&self) -> usize {
        self.roots.len() - self.at
    }

    /// Returns the key of the hit at a position.
    fn hit_key(&self, at: usize) -> Result<Vec<KeyPart>, IndexError> {
        let mut parts = Vec::with_capacity(self.keys.len() + 1);
        for (keys, words) in self.keys.iter().zip(&self.words) {
            parts.push(match (keys[at], words) {
                (MISSING, _) => KeyPart::Last,
                (key, None) => KeyPart::Number(key),
                (key, Some((column, descending))) => {
                    let ordinal = if *descending { MISSING - 1 - key } else { key };
                    let word = read_words(column, &[ordinal])?.pop().unwrap_or_default();
                    if *descending { KeyPart::WordDescending(Reverse(word)) } else { KeyPart::Word(word) }
                }
            });
        }
        let ordinal = self.ids.ords().first(self.roots[at]).unwrap_or(0);
        parts.push(KeyPart::Word(read_words(&self.ids, &[ordinal])?.pop().unwrap_or_default()));
        Ok(parts)
    }

    /// Compares the next hits of two segments.
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

    /// Reads the words and ids of the next block of hits.
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

/// Returns the words of ordinals, in the given order.
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
