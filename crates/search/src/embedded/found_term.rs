//! [`FoundTerm`]: the posting list of a term that a condition matched in a segment.

use super::failed;
use crate::IndexError;
use std::sync::Arc;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::{SegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;

/// A matched term, and the weight of its score: less for a term that only resembles the requested one.
#[derive(Clone)]
pub(super) struct FoundTerm {
    pub(super) inverted: Arc<InvertedIndexReader>,
    pub(super) term: TermInfo,
    pub(super) weight: f32,
}

impl FoundTerm {
    pub(super) fn postings(&self, record: IndexRecordOption) -> Result<SegmentPostings, IndexError> {
        self.inverted.read_postings_from_terminfo(&self.term, record).map_err(failed)
    }

    /// Calls `each` with the documents of the posting list, a block at a time.
    pub(super) fn for_each_block(&self, mut each: impl FnMut(&[u32])) -> Result<(), IndexError> {
        let mut postings = self
            .inverted
            .read_block_postings_from_terminfo(&self.term, IndexRecordOption::Basic)
            .map_err(failed)?;
        while !postings.docs().is_empty() {
            each(postings.docs());
            postings.advance();
        }
        Ok(())
    }
}
