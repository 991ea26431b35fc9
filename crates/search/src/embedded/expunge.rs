//! Erases the content of deleted entries from the files of an index.
//!
//! tantivy only marks a document as deleted, and its words and values stay in the files until its segment is merged.
//! So each segment with deleted documents is merged, alone, into a new one without them. Start at
//! [`SharedIndex::expunge`].

use super::{SharedIndex, failed};
use crate::IndexError;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tantivy::index::SegmentId;

/// Number of rounds. A merge that began before an entry was deleted may end after the first round, with the entry in
/// its segment.
const ROUNDS: u32 = 2;
/// Timeout of a round, after which its merges are requested again: tantivy drops a request that conflicts with a
/// running merge.
const AGAIN: Duration = Duration::from_secs(30);

/// The state of an erasure.
#[derive(Default)]
pub(super) struct ExpungeState {
    /// Number of finished rounds.
    rounds: u32,
    round: Option<ExpungeRound>,
}

struct ExpungeRound {
    /// The segments with deleted documents.
    segments: HashSet<SegmentId>,
    began: Instant,
}

impl SharedIndex {
    /// Takes the next step. Returns true when nothing is left of entries that were deleted before the first call.
    pub(super) fn expunge(self: &Arc<Self>) -> Result<bool, IndexError> {
        let mut expunging = self.expunging.lock();
        let round = match expunging.round.take_if(|round| round.began.elapsed() > AGAIN) {
            None => expunging.round.take(),
            // The round has timed out and begins again.
            Some(_) => None,
        };
        let Some(round) = round else {
            let began = Instant::now();
            expunging.round = Some(ExpungeRound { segments: self.begin_round()?, began });
            return Ok(false);
        };
        if !self.are_gone(&round.segments)? {
            expunging.round = Some(round);
            return Ok(false);
        }
        expunging.rounds += 1;
        if expunging.rounds < ROUNDS {
            return Ok(false);
        }
        *expunging = ExpungeState::default();
        Ok(true)
    }

    /// Starts merges of all segments with deleted documents, and returns these segments.
    fn begin_round(self: &Arc<Self>) -> Result<HashSet<SegmentId>, IndexError> {
        let metas = self.index.searchable_segment_metas().map_err(failed)?;
        let segments: HashSet<SegmentId> =
            metas.iter().filter(|meta| meta.has_deletes()).map(|meta| meta.id()).collect();
        let mut slot = self.writer.lock();
        let mut writer = self.open_writer(&mut slot, false)?;
        segments.iter().for_each(|segment| writer.merge_alone(*segment));
        *slot = Some(writer);
        Ok(segments)
    }

    /// Whether these segments are neither in the index nor in its folder any more.
    fn are_gone(self: &Arc<Self>, segments: &HashSet<SegmentId>) -> Result<bool, IndexError> {
        let now = self.index.searchable_segment_ids().map_err(failed)?;
        if now.iter().any(|segment| segments.contains(segment)) {
            return Ok(false);
        }
        let mut slot = self.writer.lock();
        // Searches switch to the new segments, so that no search keeps the old files open.
        let position = self.now.read().position;
        self.reload(position)?;
        let writer = self.open_writer(&mut slot, false)?;
        let removed = writer.remove_unused_files();
        *slot = Some(writer);
        removed?;
        let names: Vec<String> = segments.iter().map(SegmentId::uuid_string).collect();
        let is_of_one = |file: &std::path::PathBuf| {
            let file = file.to_string_lossy();
            names.iter().any(|name| file.starts_with(name.as_str()))
        };
        Ok(!self.index.directory().list_managed_files().iter().any(is_of_one))
    }
}
