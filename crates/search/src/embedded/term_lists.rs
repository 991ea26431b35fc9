//! Unions and intersections of posting lists.

use super::bits::Bits;
use super::docs::Docs;
use super::found_term::FoundTerm;
use super::segment::IndexSegment;
use crate::{FieldLevel, IndexError};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, TERMINATED};

/// Cost of testing a single document, relative to the cost of one value of a scan.
pub(super) const TEST_COST: usize = 8;

/// Cost of finding a document of one list in another, relative to the cost of 64 unmarked documents of a bitmap.
const MARK_COST: usize = 4;

/// Returns the documents in any of the lists.
pub(super) fn union(
    group: &[FoundTerm],
    segment: &IndexSegment,
    scope: Option<&[u32]>,
) -> Result<Docs, IndexError> {
    let len = segment.len();
    let frequency: usize = group.iter().map(|found| found.term.doc_freq as usize).sum();
    if let Some(scope) = scope
        && scope.len() * group.len() * TEST_COST < frequency
    {
        let mut docs = Vec::new();
        for found in group {
            let mut postings = found.postings(IndexRecordOption::Basic)?;
            for root in scope {
                let begin = segment.first_below(FieldLevel::Root, *root);
                if postings.doc() < begin {
                    postings.seek(begin);
                }
                while postings.doc() <= *root {
                    docs.push(postings.doc());
                    postings.advance();
                }
            }
        }
        if group.len() > 1 {
            docs.sort_unstable();
            docs.dedup();
        }
        return Ok(Docs::from_sorted(docs, len));
    }
    if frequency * 32 <= len as usize {
        let mut docs = Vec::with_capacity(frequency);
        for found in group {
            found.for_each_block(|block| docs.extend_from_slice(block))?;
        }
        if group.len() > 1 {
            docs.sort_unstable();
            docs.dedup();
        }
        return Ok(Docs::Few(docs));
    }
    let mut bits = Bits::none(len);
    for found in group {
        found.for_each_block(|block| {
            for doc in block {
                bits.insert(*doc);
            }
        })?;
    }
    Ok(Docs::Many(bits))
}

/// Returns the documents of `docs` that are in any of the lists.
pub(super) fn narrow_by_terms(
    docs: Docs,
    group: &[FoundTerm],
    segment: &IndexSegment,
) -> Result<Docs, IndexError> {
    let frequency: usize = group.iter().map(|found| found.term.doc_freq as usize).sum();
    match docs {
        Docs::Few(docs) if docs.len() * group.len() * TEST_COST < frequency => {
            let mut held = Vec::new();
            for found in group {
                let mut postings = found.postings(IndexRecordOption::Basic)?;
                for doc in &docs {
                    if postings.doc() < *doc && postings.seek(*doc) == TERMINATED {
                        break;
                    }
                    if postings.doc() == *doc {
                        held.push(*doc);
                    }
                }
            }
            if group.len() > 1 {
                held.sort_unstable();
                held.dedup();
            }
            Ok(Docs::Few(held))
        }
        Docs::Few(docs) if segment.len() as usize / 64 <= MARK_COST * (docs.len() + frequency) => {
            narrow_by_marks(&docs, group, segment)
        }
        docs => Ok(docs.intersect(&union(group, segment, None)?)),
    }
}

/// Like [`narrow_by_terms`], for lists of similar lengths: uses a bitmap, since merging lists causes branch
/// mispredictions.
fn narrow_by_marks(docs: &[u32], group: &[FoundTerm], segment: &IndexSegment) -> Result<Docs, IndexError> {
    let mut marks = Bits::none(segment.len());
    for doc in docs {
        marks.insert(*doc);
    }
    let mut held = Vec::new();
    for found in group {
        found
            .for_each_block(|block| held.extend(block.iter().copied().filter(|doc| marks.contains(*doc))))?;
    }
    if group.len() > 1 {
        held.sort_unstable();
        held.dedup();
    }
    Ok(Docs::from_sorted(held, segment.len()))
}
