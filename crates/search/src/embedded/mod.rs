//! The embedded index: tantivy, with each entry as a run of consecutive documents. Start at [`EmbeddedIndex`].
//!
//! An entry is written as its grandchildren, each child after its own, the root last ([`entry_writer`]). tantivy
//! preserves such runs through merges and deletions, because each goes whole to one of the writer threads, and
//! documents are not sorted. A segment knows which documents are children and roots ([`segment`]), so a match of a
//! Price can be lifted to its variant and to its Product ([`rows`], [`evaluation`]). Numbers and words of all fields
//! are columns by document: ranges, sorts ([`hit_order`]) and facets ([`facet`]) read them. tantivy's own queries and
//! scores are not used, since they have no rows.
//!
//! A commit contains the position in the change log, and a search sees the newest commit before its beginning.

mod bits;
mod buckets;
mod by_id;
mod cached_order;
mod commit_payload;
mod docs;
mod entry_writer;
mod evaluation;
mod expunge;
mod facet;
mod filtered_column;
mod found_term;
mod hit_order;
mod ids;
mod leaf_access;
mod levenshtein;
mod node_document;
mod nodes;
mod rows;
mod schema;
mod score;
mod search;
mod segment;
mod segment_cache;
mod segment_shape;
mod sort_keys;
mod term_lists;
mod values;
mod vocabulary;

use crate::{IndexBatch, IndexError, IndexPosition, IndexRequest, SearchIndex, SearchResult};
use entry_writer::{EntryWriter, IDLE};
use expunge::ExpungeState;
use parking_lot::{Mutex, RwLock};
use schema::SchemaColumns;
use segment::IndexSegment;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Instant;
use tantivy::directory::{MmapDirectory, RamDirectory};
use tantivy::index::SegmentId;
use tantivy::{Index, IndexReader, ReloadPolicy};

/// An index in a folder or in memory.
#[derive(Clone)]
pub struct EmbeddedIndex {
    shared: Arc<SharedIndex>,
}

struct SharedIndex {
    index: Index,
    columns: SchemaColumns,
    reader: IndexReader,
    /// The commit that searches use.
    now: RwLock<Arc<IndexCommit>>,
    /// The writer; it is open while there is something to write, and for [`IDLE`](entry_writer::IDLE) after that.
    writer: Mutex<Option<EntryWriter>>,
    expunging: Mutex<ExpungeState>,
}

/// The newest commit.
struct IndexCommit {
    segments: Vec<IndexSegment>,
    position: Option<IndexPosition>,
}

impl EmbeddedIndex {
    /// Opens the index in a folder, which is created if necessary. An unreadable index (files are missing, damaged,
    /// or of another format) is deleted and replaced by an empty one without [`position`](SearchIndex::position).
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let commit = folder.join("meta.json");
        while let Ok(before) = std::fs::read(&commit) {
            if let Ok(Ok(index)) = catch_unwind(|| Self::open_existing(folder)) {
                return Ok(index);
            }
            // A merge of the previous owner may have ended just now, and deleted files that were being read.
            if std::fs::read(&commit).is_ok_and(|now| now == before) {
                break;
            }
        }
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(failed)?;
        }
        std::fs::create_dir_all(folder).map_err(failed)?;
        let directory = MmapDirectory::open(folder).map_err(failed)?;
        let (schema, columns) = SchemaColumns::new();
        let index = Index::create(directory, schema, settings()).map_err(failed)?;
        Self::from_index(index, columns, None)
    }

    /// Creates an index in memory.
    ///
    /// # Errors
    /// None that are known.
    pub fn in_memory() -> Result<Self, IndexError> {
        let (schema, columns) = SchemaColumns::new();
        let index = Index::create(RamDirectory::create(), schema, settings()).map_err(failed)?;
        Self::from_index(index, columns, None)
    }

    fn open_existing(folder: &Path) -> Result<Self, IndexError> {
        let (schema, columns) = SchemaColumns::new();
        let index = Index::open_in_dir(folder).map_err(failed)?;
        if index.schema() != schema {
            return Err(IndexError::Failed("its fields are those of another version".into()));
        }
        let damaged = index.validate_checksum().map_err(failed)?;
        if !damaged.is_empty() {
            return Err(IndexError::Failed(format!("damaged files: {damaged:?}")));
        }
        let payload = index.load_metas().map_err(failed)?.payload;
        let position = payload.as_deref().map(commit_payload::read).transpose()?;
        Self::from_index(index, columns, position)
    }

    fn from_index(
        index: Index,
        columns: SchemaColumns,
        position: Option<IndexPosition>,
    ) -> Result<Self, IndexError> {
        let reader: IndexReader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(1)
            .try_into()
            .map_err(failed)?;
        let now = RwLock::new(Arc::new(IndexCommit { segments: Vec::new(), position }));
        let (writer, expunging) = (Mutex::new(None), Mutex::default());
        let shared = SharedIndex { index, columns, reader, now, writer, expunging };
        shared.reload(position)?;
        Ok(Self { shared: Arc::new(shared) })
    }
}

fn settings() -> tantivy::IndexSettings {
    tantivy::IndexSettings {
        docstore_compression: tantivy::store::Compressor::None, // Nothing is stored but columns.
        ..Default::default()
    }
}

impl SearchIndex for EmbeddedIndex {
    fn apply(&self, batch: IndexBatch) -> Result<(), IndexError> {
        let mut slot = self.shared.writer.lock();
        let before = self.shared.now.read().position;
        let completes = batch.position.is_complete && !before.is_some_and(|before| before.is_complete);
        let mut writer = self.shared.open_writer(&mut slot, !batch.position.is_complete)?;
        // On an error the writer is dropped, together with all uncommitted changes.
        for id in &batch.delete {
            writer.delete(id, &self.shared.columns);
        }
        writer.add_entries(batch.put, &self.shared.columns)?;
        let payload = commit_payload::write(batch.position);
        if completes {
            writer.commit_complete(&self.shared.index, &payload)?;
        } else {
            writer.commit(&payload)?;
        }
        *slot = Some(writer);
        self.shared.reload(Some(batch.position))
    }

    fn build(&self, batch: IndexBatch) -> Result<(), IndexError> {
        if batch.position.is_complete {
            return self.apply(batch);
        }
        let mut slot = self.shared.writer.lock();
        let mut writer = self.shared.open_writer(&mut slot, true)?;
        writer.build(batch.put, &self.shared.columns, commit_payload::write(batch.position))?;
        *slot = Some(writer);
        Ok(())
    }

    fn position(&self) -> Option<IndexPosition> {
        self.shared.now.read().position
    }

    fn expunge(&self) -> Result<bool, IndexError> {
        self.shared.expunge()
    }

    fn len(&self) -> Result<u64, IndexError> {
        let now = self.shared.now.read().clone();
        Ok(now.segments.iter().map(|segment| segment.alive_count as u64).sum())
    }

    fn search(&self, request: &IndexRequest) -> Result<SearchResult, IndexError> {
        let now = self.shared.now.read().clone();
        // Files that were damaged while they were open can make tantivy panic.
        catch_unwind(AssertUnwindSafe(|| search::search(&now.segments, request)))
            .unwrap_or_else(|_| Err(IndexError::Failed("a search panicked".into())))
    }
}

impl SharedIndex {
    /// Takes the writer out of `slot`; opens a new one if there is none for this kind of work.
    fn open_writer(
        self: &Arc<Self>,
        slot: &mut Option<EntryWriter>,
        is_building: bool,
    ) -> Result<EntryWriter, IndexError> {
        match slot.take() {
            Some(writer) if writer.is_for(is_building) => return Ok(writer),
            Some(other) => other.close()?,
            None => close_when_idle(self),
        }
        EntryWriter::open(&self.index, is_building)
    }

    /// Makes the newest commit visible to searches.
    fn reload(&self, position: Option<IndexPosition>) -> Result<(), IndexError> {
        self.reader.reload().map_err(failed)?;
        let before = self.now.read().clone();
        let searcher = self.reader.searcher();
        let segments =
            searcher.segment_readers().iter().filter(|reader| reader.max_doc() > 0).map(|reader| {
                let same = before.segments.iter().find(|segment| segment.id() == reader.segment_id());
                IndexSegment::open(reader, &self.columns, same)
            });
        let segments = segments.collect::<Result<Vec<_>, _>>()?;
        let is_there = |id: SegmentId| segments.iter().any(|segment| segment.id() == id);
        let gone = before.segments.iter().map(IndexSegment::id).filter(|id| !is_there(*id));
        segment_cache::OF_PROCESS.evict_segments(&gone.collect::<Vec<_>>());
        *self.now.write() = Arc::new(IndexCommit { segments, position });
        Ok(())
    }
}

impl Drop for SharedIndex {
    fn drop(&mut self) {
        let gone = self.now.get_mut().segments.iter().map(IndexSegment::id);
        segment_cache::OF_PROCESS.evict_segments(&gone.collect::<Vec<_>>());
    }
}

/// Closes the writer once nothing was written for a while, so that an idle index has no threads and no heap.
fn close_when_idle(shared: &Arc<SharedIndex>) {
    let shared: Weak<SharedIndex> = Arc::downgrade(shared);
    std::thread::spawn(move || {
        let mut wait = IDLE;
        loop {
            std::thread::sleep(wait);
            let Some(shared) = shared.upgrade() else { return };
            let mut slot = shared.writer.lock();
            let Some(writer) = slot.take() else { return };
            if writer.is_uncommitted() {
                // An uncommitted build is either continued or dropped with the index.
                *slot = Some(writer);
                wait = IDLE;
                continue;
            }
            let rest = IDLE.saturating_sub(Instant::now().saturating_duration_since(writer.used));
            if !rest.is_zero() {
                *slot = Some(writer);
                wait = rest;
                continue;
            }
            // Searches use the merged segments from now on.
            let position = shared.now.read().position;
            let _ = writer.close().and_then(|()| shared.reload(position));
            return;
        }
    });
}

/// Converts an error of tantivy or of the file system.
fn failed(error: impl std::fmt::Display) -> IndexError {
    IndexError::Failed(error.to_string())
}
