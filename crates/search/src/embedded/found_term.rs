//! A term that was found in a segment.

use super::failed;
use crate::IndexError;
use std::sync::Arc;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::{SegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;

/// A term, and how much of its weight it has in the score: less where it is only like what was asked.
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

    /// Calls `each` with the documents of the list, a block at a time.
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
