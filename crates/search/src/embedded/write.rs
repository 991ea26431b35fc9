//! Entries as documents, and the writer that takes them.

use super::document::NodeDocument;
use super::failed;
use super::schema::Columns;
use crate::{Entry, IndexError, Level, Node};
use rayon::prelude::*;
use std::sync::Arc;
use std::thread::{available_parallelism, sleep};
use std::time::{Duration, Instant};
use tantivy::index::SegmentId;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy, UserOperation};
use tantivy::{Index, IndexWriter, Term};

/// Memory for documents that are not in a segment yet: what changes of a running shop take.
const HEAP_BYTES: usize = 15_000_000;
/// The same of all threads that build an index: larger segments need less merging.
const BUILD_HEAP_BYTES: usize = 100_000_000;
/// Threads that build an index, at most: each has its part of the heap, of which none may be smaller than [`HEAP_BYTES`].
const BUILDERS_MAX: usize = 4;
/// Entries that wait for these threads.
const WAITING_MAX: usize = 1_000;
/// How long whoever hands in more of them waits before looking again.
const WAIT: Duration = Duration::from_millis(1);
/// Fewer entries than this are made ready by one thread: waking others takes as long.
const ENTRIES_BESIDE_MIN: usize = 16;
/// Merged away with the rest of a segment when more than this part of it was deleted.
const DELETED_PART_MAX: f32 = 0.25;
/// So many segments of a size become one.
const MERGED_AT_ONCE: usize = 6;
/// The same while an index is built. All become one at the end.
const MERGED_AT_ONCE_BUILDING: usize = 24;
/// Segments of fewer documents are of one size.
const SMALL_SEGMENT_DOCUMENTS: u32 = 20_000;
/// Larger segments stay as they are.
const MERGED_DOCUMENTS_MAX: usize = 200_000_000;
/// A writer that had nothing to do for so long is closed: its threads and memory are given back.
pub(super) const IDLE: Duration = Duration::from_secs(10);

/// A writer that is open.
pub(super) struct Writer {
    inner: IndexWriter<NodeDocument>,
    is_building: bool,
    /// What its next commit says, where it took something since the last one.
    uncommitted: Option<String>,
    /// Each entry that it was handed and has not written has a clone of it.
    waiting: Arc<()>,
    pub(super) used: Instant,
}

impl Writer {
    pub(super) fn open(index: &Index, is_building: bool) -> Result<Self, IndexError> {
        let (threads, heap) = match is_building {
            true => {
                let threads = available_parallelism().map_or(1, usize::from).min(BUILDERS_MAX);
                (threads, BUILD_HEAP_BYTES / threads)
            }
            // A second one would make each commit two segments.
            false => (1, HEAP_BYTES),
        };
        let options = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread(heap)
            .num_merge_threads(1)
            .build();
        let inner = index.writer_with_options(options).map_err(failed)?;
        let writer =
            Self { inner, is_building, uncommitted: None, waiting: Arc::default(), used: Instant::now() };
        writer.inner.set_merge_policy(writer.policy());
        Ok(writer)
    }

    /// Whether it was opened for this kind of work.
    pub(super) fn suits(&self, is_building: bool) -> bool {
        self.is_building == is_building
    }

    /// Whether it took something that no commit has yet.
    pub(super) fn is_uncommitted(&self) -> bool {
        self.uncommitted.is_some()
    }

    /// Takes entries, each in the place of the one of the same id.
    pub(super) fn put(&mut self, entries: Vec<Entry>, columns: &Columns) -> Result<(), IndexError> {
        self.take(entries, columns, |entry| Some(Term::from_field_text(columns.entry, &entry.id)))
    }

    /// Takes entries of which there is none of the same id, for a commit that comes later and says `payload`.
    pub(super) fn build(
        &mut self,
        entries: Vec<Entry>,
        columns: &Columns,
        payload: String,
    ) -> Result<(), IndexError> {
        while Arc::strong_count(&self.waiting) > WAITING_MAX {
            sleep(WAIT);
        }
        self.take(entries, columns, |_| None)?;
        self.uncommitted = Some(payload);
        self.used = Instant::now();
        Ok(())
    }

    /// The documents of an entry go to a thread together, so that they stand together in a segment.
    fn take(
        &self,
        entries: Vec<Entry>,
        columns: &Columns,
        replaced: impl Fn(&Entry) -> Option<Term> + Sync,
    ) -> Result<(), IndexError> {
        let ready = |entry: Entry| {
            let mut operations: Vec<_> = replaced(&entry).map(UserOperation::Delete).into_iter().collect();
            let of = OfEntry { id: Arc::from(entry.id), columns, waiting: &self.waiting };
            of.add(entry.root, Level::Root, &mut operations);
            operations
        };
        let run = |operations| self.inner.run(operations).map(drop).map_err(failed);
        if entries.len() < ENTRIES_BESIDE_MIN {
            return entries.into_iter().map(ready).try_for_each(run);
        }
        let all: Vec<_> = entries.into_par_iter().map(ready).collect();
        // One after the other: what is deleted has to come in the sequence of its numbers.
        all.into_iter().try_for_each(run)
    }

    pub(super) fn delete(&mut self, id: &str, columns: &Columns) {
        self.inner.delete_term(Term::from_field_text(columns.entry, id));
    }

    pub(super) fn commit(&mut self, payload: &str) -> Result<(), IndexError> {
        let mut commit = self.inner.prepare_commit().map_err(failed)?;
        commit.set_payload(payload);
        commit.commit().map_err(failed)?;
        self.uncommitted = None;
        self.used = Instant::now();
        Ok(())
    }

    /// Commits what completes an index, and has its segments made one: not by this thread.
    pub(super) fn commit_complete(&mut self, index: &Index, payload: &str) -> Result<(), IndexError> {
        // A merge of some segments would stand in the way of that of all.
        self.inner.set_merge_policy(Box::new(NoMergePolicy));
        self.commit(payload)?;
        let segments = index.searchable_segment_ids().map_err(failed)?;
        if segments.len() > 1 {
            drop(self.inner.merge(&segments));
        }
        self.inner.set_merge_policy(self.policy());
        Ok(())
    }

    /// Has a segment merged into one without the documents that are deleted: not by this thread.
    pub(super) fn merge_alone(&mut self, segment: SegmentId) {
        drop(self.inner.merge(&[segment]));
        self.used = Instant::now();
    }

    /// Removes the files of segments that were merged.
    pub(super) fn remove_unused_files(&self) -> Result<(), IndexError> {
        self.inner.garbage_collect_files().wait().map(drop).map_err(failed)
    }

    fn policy(&self) -> Box<LogMergePolicy> {
        let mut policy = LogMergePolicy::default();
        policy.set_min_num_segments(if self.is_building { MERGED_AT_ONCE_BUILDING } else { MERGED_AT_ONCE });
        policy.set_min_layer_size(SMALL_SEGMENT_DOCUMENTS);
        policy.set_max_docs_before_merge(MERGED_DOCUMENTS_MAX);
        policy.set_del_docs_ratio_before_merge(DELETED_PART_MAX);
        Box::new(policy)
    }

    /// Commits what it took, waits for merges, then gives everything back.
    pub(super) fn close(mut self) -> Result<(), IndexError> {
        if let Some(payload) = self.uncommitted.take() {
            self.commit(&payload)?;
        }
        self.inner.wait_merging_threads().map_err(failed)
    }
}

/// An entry that becomes documents.
struct OfEntry<'w> {
    id: Arc<str>,
    columns: &'w Columns,
    waiting: &'w Arc<()>,
}

impl OfEntry<'_> {
    /// Adds the documents of a node: those below it first, itself last.
    fn add(&self, mut node: Node, level: Level, operations: &mut Vec<UserOperation<NodeDocument>>) {
        let below = match level {
            Level::Root => Some(Level::Child),
            Level::Child => Some(Level::Grandchild),
            Level::Grandchild => None,
        };
        if let Some(below) = below {
            for child in std::mem::take(&mut node.children) {
                self.add(child, below, operations);
            }
        }
        let waiting = (level == Level::Root).then(|| Arc::clone(self.waiting));
        operations.push(UserOperation::Add(NodeDocument::new(node, level, &self.id, *self.columns, waiting)));
    }
}
