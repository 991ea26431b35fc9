//! The index writer: converts entries to documents, queues them for tantivy's threads, and commits. Start at
//! [`EntryWriter::add_entries`].

use super::failed;
use super::node_document::NodeDocument;
use super::schema::SchemaColumns;
use crate::{EntryNode, FieldLevel, IndexError, SearchEntry};
use rayon::prelude::*;
use std::sync::Arc;
use std::thread::{available_parallelism, sleep};
use std::time::{Duration, Instant};
use tantivy::index::SegmentId;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy, UserOperation};
use tantivy::{Index, IndexWriter, Term};

/// Memory for documents that are not in a segment yet, while a running shop is followed, in bytes.
const HEAP_BYTES: usize = 15_000_000;
/// Memory of all threads that build an index, in bytes: larger segments need less merging.
const BUILD_HEAP_BYTES: usize = 100_000_000;
/// Maximum number of threads that build an index: each has its part of the memory, and tantivy requires at least
/// [`HEAP_BYTES`] for each.
const BUILDERS_MAX: usize = 4;
/// Maximum number of entries queued for these threads.
const QUEUED_ENTRIES_MAX: usize = 1_000;
/// Poll interval while the queue is full (backpressure).
const WAIT: Duration = Duration::from_millis(1);
/// Minimum number of entries for converting them in several threads: waking threads takes time.
const PARALLEL_ENTRIES_MIN: usize = 16;
/// A segment is merged when more than this share of it is deleted.
const DELETED_PART_MAX: f32 = 0.25;
/// Number of segments of similar size that are merged into one.
const MERGED_AT_ONCE: usize = 6;
/// The same while an index is built. At the end all segments are merged into one.
const MERGED_AT_ONCE_BUILDING: usize = 24;
/// Segments with fewer documents count as being of similar size.
const SMALL_SEGMENT_DOCUMENTS: u32 = 20_000;
/// Larger segments are not merged.
const MERGED_DOCUMENTS_MAX: usize = 200_000_000;
/// An idle writer is closed after this time: its threads and memory are released.
pub(super) const IDLE: Duration = Duration::from_secs(10);

/// An open writer.
pub(super) struct EntryWriter {
    inner: IndexWriter<NodeDocument>,
    is_building: bool,
    /// The payload of its next commit, if there are uncommitted changes.
    uncommitted: Option<String>,
    /// Counts queued entries: each of them has a clone of it until it is written.
    waiting: Arc<()>,
    pub(super) used: Instant,
}

impl EntryWriter {
    pub(super) fn open(index: &Index, is_building: bool) -> Result<Self, IndexError> {
        let (threads, heap) = match is_building {
            true => {
                let threads = available_parallelism().map_or(1, usize::from).min(BUILDERS_MAX);
                (threads, BUILD_HEAP_BYTES / threads)
            }
            // With a second thread, each commit would create two segments.
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
    pub(super) fn is_for(&self, is_building: bool) -> bool {
        self.is_building == is_building
    }

    /// Whether it has uncommitted changes.
    pub(super) fn is_uncommitted(&self) -> bool {
        self.uncommitted.is_some()
    }

    /// Adds entries, which replace those with the same ids.
    pub(super) fn add_entries(
        &mut self,
        entries: Vec<SearchEntry>,
        columns: &SchemaColumns,
    ) -> Result<(), IndexError> {
        self.queue_entries(entries, columns, |entry| Some(Term::from_field_text(columns.entry, &entry.id)))
    }

    /// Adds entries with new ids, for a later commit with this `payload`.
    pub(super) fn build(
        &mut self,
        entries: Vec<SearchEntry>,
        columns: &SchemaColumns,
        payload: String,
    ) -> Result<(), IndexError> {
        while Arc::strong_count(&self.waiting) > QUEUED_ENTRIES_MAX {
            sleep(WAIT);
        }
        self.queue_entries(entries, columns, |_| None)?;
        self.uncommitted = Some(payload);
        self.used = Instant::now();
        Ok(())
    }

    /// Sends all documents of an entry to one thread, so that they are consecutive in a segment.
    fn queue_entries(
        &self,
        entries: Vec<SearchEntry>,
        columns: &SchemaColumns,
        replaced: impl Fn(&SearchEntry) -> Option<Term> + Sync,
    ) -> Result<(), IndexError> {
        let ready = |entry: SearchEntry| {
            let mut operations: Vec<_> = replaced(&entry).map(UserOperation::Delete).into_iter().collect();
            let of = EntryDocuments { id: Arc::from(entry.id), columns, waiting: &self.waiting };
            of.add(entry.root, FieldLevel::Root, &mut operations);
            operations
        };
        let run = |operations| self.inner.run(operations).map(drop).map_err(failed);
        if entries.len() < PARALLEL_ENTRIES_MIN {
            return entries.into_iter().map(ready).try_for_each(run);
        }
        let all: Vec<_> = entries.into_par_iter().map(ready).collect();
        // One after the other: tantivy requires deletions in the order of their numbers.
        all.into_iter().try_for_each(run)
    }

    pub(super) fn delete(&mut self, id: &str, columns: &SchemaColumns) {
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

    /// Commits a complete index, and starts the merge of all its segments into one, on another thread.
    pub(super) fn commit_complete(&mut self, index: &Index, payload: &str) -> Result<(), IndexError> {
        // A merge of some segments would conflict with the merge of all.
        self.inner.set_merge_policy(Box::new(NoMergePolicy));
        self.commit(payload)?;
        let segments = index.searchable_segment_ids().map_err(failed)?;
        if segments.len() > 1 {
            drop(self.inner.merge(&segments));
        }
        self.inner.set_merge_policy(self.policy());
        Ok(())
    }

    /// Starts the merge of a single segment into one without deleted documents, on another thread.
    pub(super) fn merge_alone(&mut self, segment: SegmentId) {
        drop(self.inner.merge(&[segment]));
        self.used = Instant::now();
    }

    /// Removes the files of merged segments.
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

    /// Commits uncommitted changes, waits for merges, then releases threads and memory.
    pub(super) fn close(mut self) -> Result<(), IndexError> {
        if let Some(payload) = self.uncommitted.take() {
            self.commit(&payload)?;
        }
        self.inner.wait_merging_threads().map_err(failed)
    }
}

/// Converts an entry to documents.
struct EntryDocuments<'w> {
    id: Arc<str>,
    columns: &'w SchemaColumns,
    waiting: &'w Arc<()>,
}

impl EntryDocuments<'_> {
    /// Adds the documents of a node: those of its children first, its own last.
    fn add(&self, mut node: EntryNode, level: FieldLevel, operations: &mut Vec<UserOperation<NodeDocument>>) {
        let below = match level {
            FieldLevel::Root => Some(FieldLevel::Child),
            FieldLevel::Child => Some(FieldLevel::Grandchild),
            FieldLevel::Grandchild => None,
        };
        if let Some(below) = below {
            for child in std::mem::take(&mut node.children) {
                self.add(child, below, operations);
            }
        }
        let waiting = (level == FieldLevel::Root).then(|| Arc::clone(self.waiting));
        operations.push(UserOperation::Add(NodeDocument::new(node, level, &self.id, *self.columns, waiting)));
    }
}
