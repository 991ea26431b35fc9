//! [`IndexSegment`]: a segment as searches use it, with its roots and children, its columns and its terms.

use super::bits::Bits;
use super::docs::Docs;
use super::failed;
use super::ids::Ids;
use super::schema::{SchemaColumns, is_whole, key};
use super::segment_cache::{CacheablePart, LevelColumn, OF_PROCESS};
use super::segment_shape::SegmentShape;
use super::values::{ColumnValues, TextLengths};
use crate::{FieldKind, FieldLevel, IndexError, SearchField};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use tantivy::SegmentReader;
use tantivy::columnar::{Column, StrColumn};
use tantivy::index::InvertedIndexReader;
use tantivy::index::SegmentId;

/// Maximum number of columns kept open in a segment. Further ones are opened for each search.
const OPEN_COLUMNS_MAX: usize = 512;

/// A segment at one commit.
pub(super) struct IndexSegment {
    pub(super) reader: SegmentReader,
    pub(super) shape: Arc<SegmentShape>,
    /// The roots that are not deleted.
    pub(super) alive: Arc<Bits>,
    /// Their number.
    pub(super) alive_count: usize,
    pub(super) columns: SchemaColumns,
    open: Arc<OpenColumns>,
}

/// The open columns of a segment; shared by all commits.
#[derive(Default)]
struct OpenColumns {
    values: RwLock<HashMap<String, Option<ColumnValues>>>,
    lengths: RwLock<HashMap<String, Option<TextLengths>>>,
    ids: OnceLock<Arc<Ids>>,
}

impl IndexSegment {
    /// Opens a segment; `before` is the same segment at an earlier commit, if there was one.
    pub(super) fn open(
        reader: &SegmentReader,
        columns: &SchemaColumns,
        before: Option<&Self>,
    ) -> Result<Self, IndexError> {
        let (shape, open) = match before {
            Some(before) => (before.shape.clone(), before.open.clone()),
            None => (Arc::new(SegmentShape::read(reader)?), Arc::default()),
        };
        let unchanged = before.filter(|before| before.reader.delete_opstamp() == reader.delete_opstamp());
        let alive = match (unchanged, reader.alive_bitset()) {
            (Some(before), _) => before.alive.clone(),
            (None, None) => Arc::new(shape.roots.clone()),
            (None, Some(bitset)) => {
                let mut alive = shape.roots.clone();
                for doc in shape.roots.iter().filter(|doc| bitset.is_deleted(*doc)) {
                    alive.remove(doc);
                }
                Arc::new(alive)
            }
        };
        let alive_count = unchanged.map_or_else(|| alive.count(), |before| before.alive_count);
        Ok(Self { reader: reader.clone(), shape, alive, alive_count, columns: *columns, open })
    }

    pub(super) fn id(&self) -> SegmentId {
        self.reader.segment_id()
    }

    /// Returns the number of documents, of all levels and including deleted ones.
    pub(super) fn len(&self) -> u32 {
        self.shape.len
    }

    /// Returns the values of a field; `None` if no document has one.
    pub(super) fn values(&self, field: &SearchField) -> Result<Option<ColumnValues>, IndexError> {
        let key = key(field);
        if let Some(values) = self.open.values.read().get(&key) {
            return Ok(values.clone());
        }
        let fast = self.reader.fast_fields();
        let values = if field.kind == FieldKind::Id {
            fast.str(&format!("ids.{key}")).map_err(failed)?.map(ColumnValues::Words)
        } else if is_whole(field.kind) {
            fast.str(&format!("whole.{key}")).map_err(failed)?.map(ColumnValues::Words)
        } else {
            fast.column_opt(&format!("numbers.{key}")).map_err(failed)?.map(ColumnValues::Numbers)
        };
        let mut open = self.open.values.write();
        if open.len() < OPEN_COLUMNS_MAX {
            open.insert(key, values.clone());
        }
        Ok(values)
    }

    /// Returns the lengths of the texts of a field; `None` if no document has one.
    pub(super) fn lengths(&self, field: &SearchField) -> Result<Option<TextLengths>, IndexError> {
        let key = key(field);
        if let Some(lengths) = self.open.lengths.read().get(&key) {
            return Ok(lengths.clone());
        }
        let column: Option<Column<i64>> =
            self.reader.fast_fields().column_opt(&format!("numbers.{key}")).map_err(failed)?;
        let lengths = column.map(|column| {
            let documents = u64::from(column.values.num_vals());
            let terms = column.values.iter().map(|length| length as u64).sum();
            TextLengths { column, documents, terms }
        });
        let mut open = self.open.lengths.write();
        if open.len() < OPEN_COLUMNS_MAX {
            open.insert(key, lengths.clone());
        }
        Ok(lengths)
    }

    /// Returns cached data of this segment, see [`SegmentCache::get_or_build`](super::segment_cache::SegmentCache::get_or_build).
    pub(super) fn get_or_build<T: CacheablePart>(
        &self,
        name: String,
        make: impl FnOnce() -> Result<Option<T>, IndexError>,
    ) -> Result<Option<Arc<T>>, IndexError> {
        OF_PROCESS.get_or_build(self.id(), name, make)
    }

    /// Returns the cached column of a field of roots or children, if there is one.
    pub(super) fn level_column(&self, field: &SearchField) -> Result<Option<Arc<LevelColumn>>, IndexError> {
        let Some(values) = self.values(field)? else { return Ok(None) };
        self.get_or_build(format!("column {}", key(field)), || {
            Ok(LevelColumn::read(&values, field.level, &self.shape))
        })
    }

    /// Returns the cached column of the lengths of texts, if there is one.
    pub(super) fn level_lengths(
        &self,
        field: &SearchField,
        lengths: &TextLengths,
    ) -> Result<Option<Arc<LevelColumn>>, IndexError> {
        self.get_or_build(format!("lengths {}", key(field)), || {
            Ok(LevelColumn::read(&ColumnValues::Numbers(lengths.column.clone()), field.level, &self.shape))
        })
    }

    /// Returns a column of words that every segment may have: ids, labels.
    pub(super) fn words(&self, name: &'static str) -> Result<Option<StrColumn>, IndexError> {
        if let Some(values) = self.open.values.read().get(name) {
            return Ok(values.clone().and_then(|values| match values {
                ColumnValues::Words(column) => Some(column),
                ColumnValues::Numbers(_) => None,
            }));
        }
        let column = self.reader.fast_fields().str(name).map_err(failed)?;
        self.open.values.write().insert(name.to_owned(), column.clone().map(ColumnValues::Words));
        Ok(column)
    }

    /// Returns the ids of the entries; `None` if there is no entry.
    pub(super) fn ids(&self) -> Result<Option<Arc<Ids>>, IndexError> {
        if let Some(ids) = self.open.ids.get() {
            return Ok(Some(ids.clone()));
        }
        let Some(column) = self.words("id")? else { return Ok(None) };
        Ok(Some(self.open.ids.get_or_init(|| Arc::new(Ids::read(&column, &self.shape))).clone()))
    }

    /// Returns the inverted index of a field of tantivy.
    pub(super) fn inverted_index(
        &self,
        field: tantivy::schema::Field,
    ) -> Result<Arc<InvertedIndexReader>, IndexError> {
        self.reader.inverted_index(field).map_err(failed)
    }

    /// Returns the documents that end the runs of a level: a document belongs to the next one of them.
    fn run_ends(&self, level: FieldLevel) -> &Bits {
        match level {
            FieldLevel::Grandchild => &self.shape.upper,
            FieldLevel::Root | FieldLevel::Child => &self.shape.roots,
        }
    }

    /// Returns the first document below a document of this level; the document itself ends the run.
    pub(super) fn first_below(&self, level: FieldLevel, doc: u32) -> u32 {
        let before = match level {
            FieldLevel::Root => self.shape.roots.previous(doc),
            FieldLevel::Child | FieldLevel::Grandchild => self.shape.upper.previous(doc),
        };
        before.map_or(0, |before| before + 1)
    }

    /// Returns the children of an entry, given by its root.
    pub(super) fn children(&self, root: u32) -> impl Iterator<Item = u32> + '_ {
        let next = |from: u32| self.shape.upper.next(from);
        let all = std::iter::successors(next(self.first_below(FieldLevel::Root, root)), move |child| {
            next(child + 1)
        });
        all.take_while(move |child| *child < root)
    }

    /// Returns the parents of documents of `level`, i.e. documents of the next higher level, each once.
    pub(super) fn parents(&self, docs: &Docs, level: FieldLevel) -> Docs {
        let ends = self.run_ends(level);
        match docs {
            Docs::Few(docs) => {
                let mut lifted = Vec::new();
                let mut last = None;
                for doc in docs {
                    if last.is_some_and(|last| *doc < last) {
                        continue;
                    }
                    let Some(parent) = ends.next(*doc) else { break };
                    lifted.push(parent);
                    last = Some(parent);
                }
                Docs::from_sorted(lifted, self.len())
            }
            Docs::Many(bits) => {
                let mut lifted = Bits::none(self.len());
                let mut at = 0;
                while let Some(doc) = bits.next(at) {
                    let Some(parent) = ends.next(doc) else { break };
                    lifted.insert(parent);
                    at = parent + 1;
                }
                Docs::Many(lifted)
            }
        }
    }

    /// Returns the documents of `docs`, all of `level`, that belong to one of `above`, all of the level
    /// `above_level`.
    pub(super) fn descendants(
        &self,
        docs: &Docs,
        level: FieldLevel,
        above: &Docs,
        above_level: FieldLevel,
    ) -> Docs {
        let ends = if above_level == FieldLevel::Root { &self.shape.roots } else { self.run_ends(level) };
        match (docs, above) {
            (Docs::Many(bits), Docs::Few(above)) => {
                let mut found = Vec::new();
                for parent in above {
                    let mut at = self.first_below(above_level, *parent);
                    while let Some(doc) = bits.next(at).filter(|doc| doc < parent) {
                        found.push(doc);
                        at = doc + 1;
                    }
                }
                Docs::from_sorted(found, self.len())
            }
            (docs, above) => {
                let mut found = Vec::new();
                let mut last = (0, false);
                let mut seen = false;
                docs.for_each(|doc| {
                    if !seen || doc > last.0 {
                        seen = true;
                        last = ends.next(doc).map_or((u32::MAX, false), |end| (end, above.contains(end)));
                    }
                    if last.1 {
                        found.push(doc);
                    }
                });
                Docs::from_sorted(found, self.len())
            }
        }
    }
}
