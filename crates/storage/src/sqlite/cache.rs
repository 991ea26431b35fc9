//! Caches documents, unique keys and ids by indexed values; the writer updates it. Start at [`Cache::document`].
//!
//! **Invariant:** data read before a write never enters the cache after it. A reader that misses first takes a
//! placeholder, then reads, then fills it. After its transaction is visible and before it acknowledges commits, the
//! writer overwrites or removes the entry, and with it the placeholder, which then cannot be filled.
//!
//! **Invariant:** a reader that has seen a transaction in the file finds nothing older in the cache. Between the moment
//! when the transaction becomes visible and the update of its entries, their places are marked, and lookups of marked
//! places are sent to the file.

use bytes::Bytes;
use quick_cache::{
    DefaultHashBuilder, Equivalent, OptionsBuilder, Weighter,
    sync::{Cache as QuickCache, DefaultLifecycle, GuardResult, PlaceholderGuard},
};
use std::{
    hash::{BuildHasher, Hash},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering, fence},
    },
    time::Duration,
};

use super::name_number::NameNumber;
use crate::{StoredDocument, StoredDocumentRef};

/// Maximum bytes of a shard: a part of the cache with its own lock.
const SHARD_BYTES_TARGET: u64 = 4 * 1024 * 1024;

/// Maximum number of shards.
const SHARDS_MAX: u64 = 32;

/// The cost of an entry in addition to its bytes: links of the cache, headers of allocations.
const ENTRY_OVERHEAD_BYTES: u64 = 96;

/// The share of the cache for unique keys: one in this many bytes.
const UNIQUE_SHARE: u64 = 8;

/// The share of the cache for values of indexed paths: one in this many bytes.
const INDEXED_SHARE: u64 = 16;

/// Number of words of the marks, with 64 marks each. Places share marks, which only costs a read of the file now and
/// then.
const MARK_WORDS: usize = 1024;

/// Entries that weigh more than one in this many bytes of a shard are not cached.
const HEAVY_SHARE: u64 = 4;

/// A document without its id.
#[derive(Debug, Clone)]
pub(super) struct CachedDocument {
    pub(super) version: i64,
    pub(super) revision: i64,
    pub(super) sequence: i64,
    pub(super) body: Bytes,
}

impl CachedDocument {
    /// Adds the id.
    pub(super) fn into_stored(self, id: &str) -> StoredDocument {
        let CachedDocument { version, revision, sequence, body } = self;
        StoredDocument { id: id.to_owned(), version, revision, sequence, body }
    }

    /// Borrows the document, with its id.
    pub(super) fn borrowed<'d>(&'d self, id: &'d str) -> StoredDocumentRef<'d> {
        let CachedDocument { version, revision, sequence, body } = self;
        StoredDocumentRef { id, version: *version, revision: *revision, sequence: *sequence, body }
    }

    /// Copies a document without its id.
    pub(super) fn from_stored(stored: &StoredDocument) -> Self {
        let StoredDocument { version, revision, sequence, body, .. } = stored;
        CachedDocument { version: *version, revision: *revision, sequence: *sequence, body: body.clone() }
    }
}

/// The document that holds a unique key. It does at this revision; at a later one only if the key is still in the cache
/// after the document was found there, because removed keys leave the cache before the documents are updated.
#[derive(Debug, Clone)]
pub(super) struct KeyHolder {
    pub(super) id: Box<str>,
    pub(super) revision: i64,
}

/// Kind and id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct DocumentPlace {
    pub(super) kind: NameNumber,
    pub(super) id: Box<str>,
}

/// Kind, path and value of a unique key or an indexed path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ValuePlace {
    pub(super) kind: NameNumber,
    pub(super) path: NameNumber,
    pub(super) value: Box<str>,
}

/// The documents with a value at an indexed path.
#[derive(Debug, Clone)]
pub(super) enum ValueHolders {
    /// All ids, sorted.
    Few(Arc<[Box<str>]>),
    /// More ids than the cache keeps.
    Many,
}

/// A borrowed [`DocumentPlace`] with the same hash, because it has the same fields in the same order.
#[derive(Hash)]
struct DocumentPlaceRef<'a>(NameNumber, &'a str);

impl Equivalent<DocumentPlace> for DocumentPlaceRef<'_> {
    fn equivalent(&self, place: &DocumentPlace) -> bool {
        self.0 == place.kind && *self.1 == *place.id
    }
}

/// A borrowed [`ValuePlace`].
#[derive(Hash)]
struct ValuePlaceRef<'a>(NameNumber, NameNumber, &'a str);

impl Equivalent<ValuePlace> for ValuePlaceRef<'_> {
    fn equivalent(&self, place: &ValuePlace) -> bool {
        self.0 == place.kind && self.1 == place.path && *self.2 == *place.value
    }
}

/// Weighs an entry in bytes.
#[derive(Debug, Clone)]
pub(super) struct EntryWeighter;

impl Weighter<DocumentPlace, CachedDocument> for EntryWeighter {
    fn weight(&self, place: &DocumentPlace, document: &CachedDocument) -> u64 {
        (place.id.len() + document.body.len()) as u64 + ENTRY_OVERHEAD_BYTES
    }
}

impl Weighter<ValuePlace, KeyHolder> for EntryWeighter {
    fn weight(&self, place: &ValuePlace, holder: &KeyHolder) -> u64 {
        (place.value.len() + holder.id.len()) as u64 + ENTRY_OVERHEAD_BYTES
    }
}

impl Weighter<ValuePlace, ValueHolders> for EntryWeighter {
    fn weight(&self, place: &ValuePlace, holders: &ValueHolders) -> u64 {
        let bytes: usize = match holders {
            ValueHolders::Few(ids) => ids.iter().map(|id| size_of::<Box<str>>() + id.len()).sum(),
            ValueHolders::Many => 0,
        };
        (place.value.len() + bytes) as u64 + ENTRY_OVERHEAD_BYTES
    }
}

/// A placeholder: the right to fill an entry, unless the writer changes it first.
pub(super) type CachePlaceholder<'a, RowPlace, ColumnContent> = PlaceholderGuard<
    'a,
    RowPlace,
    ColumnContent,
    EntryWeighter,
    DefaultHashBuilder,
    DefaultLifecycle<RowPlace, ColumnContent>,
>;

/// The result of a cache lookup.
pub(super) enum CacheLookup<'a, RowPlace, ColumnContent> {
    /// The content.
    Hit(ColumnContent),
    /// No entry: the caller reads, then fills the placeholder.
    Miss(CachePlaceholder<'a, RowPlace, ColumnContent>),
    /// No usable entry: another reader or the writer is about to fill it. The caller reads from the file instead of
    /// waiting.
    Busy,
}

impl<'a, RowPlace, ColumnContent> From<GuardedLookup<'a, RowPlace, ColumnContent>>
    for CacheLookup<'a, RowPlace, ColumnContent>
{
    fn from(found: GuardedLookup<'a, RowPlace, ColumnContent>) -> Self {
        match found {
            GuardResult::Value(content) => CacheLookup::Hit(content),
            GuardResult::Guard(filling) => CacheLookup::Miss(filling),
            GuardResult::Timeout => CacheLookup::Busy,
        }
    }
}

type GuardedLookup<'a, RowPlace, ColumnContent> = GuardResult<
    'a,
    RowPlace,
    ColumnContent,
    EntryWeighter,
    DefaultHashBuilder,
    DefaultLifecycle<RowPlace, ColumnContent>,
>;

/// The cache of one shop.
pub(super) struct Cache {
    documents: QuickCache<DocumentPlace, CachedDocument, EntryWeighter>,
    unique: QuickCache<ValuePlace, KeyHolder, EntryWeighter>,
    indexed: QuickCache<ValuePlace, ValueHolders, EntryWeighter>,
    marks: PlaceMarks,
    /// Odd while places of a transaction are marked; greater after each transaction.
    generation: AtomicU64,
}

/// The places of a transaction that is visible, or about to be, while its entries are not updated yet. A bit set by
/// hash.
struct PlaceMarks {
    hasher: DefaultHashBuilder,
    words: Box<[AtomicU64]>,
}

impl PlaceMarks {
    fn new() -> Self {
        let words = std::iter::repeat_with(AtomicU64::default).take(MARK_WORDS).collect();
        PlaceMarks { hasher: DefaultHashBuilder::default(), words }
    }

    /// Returns the word of a place, and its bit in the word.
    fn mark(&self, place: &impl Hash) -> (&AtomicU64, u64) {
        let hash = self.hasher.hash_one(place);
        let word = (hash >> 6) as usize % MARK_WORDS;
        (&self.words[word], 1 << (hash & 63))
    }

    fn is_marked(&self, place: &impl Hash) -> bool {
        let (word, bit) = self.mark(place);
        word.load(Ordering::Acquire) & bit != 0
    }

    fn set(&self, place: &impl Hash) {
        let (word, bit) = self.mark(place);
        word.fetch_or(bit, Ordering::Release);
    }

    fn clear(&self) {
        for word in &self.words {
            // Most words are 0, and reading does not take the cache line away from other cores.
            if word.load(Ordering::Relaxed) != 0 {
                word.store(0, Ordering::Release);
            }
        }
    }
}

impl Cache {
    /// Creates a cache of about this many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let shards = (bytes / SHARD_BYTES_TARGET).clamp(1, SHARDS_MAX).next_power_of_two();
        let (unique, indexed) = (bytes / UNIQUE_SHARE, bytes / INDEXED_SHARE);
        Cache {
            documents: part(bytes - unique - indexed, shards),
            unique: part(unique, shards),
            indexed: part(indexed, shards),
            marks: PlaceMarks::new(),
            generation: AtomicU64::new(0),
        }
    }

    /// Looks up a document. Never blocks.
    pub(super) fn document(
        &self,
        kind: NameNumber,
        id: &str,
    ) -> CacheLookup<'_, DocumentPlace, CachedDocument> {
        if self.marks.is_marked(&DocumentPlaceRef(kind, id)) {
            return CacheLookup::Busy;
        }
        if let Some(document) = self.documents.get(&DocumentPlaceRef(kind, id)) {
            return CacheLookup::Hit(document);
        }
        let place = DocumentPlace { kind, id: id.into() };
        self.documents.get_value_or_guard(&place, Some(Duration::ZERO)).into()
    }

    /// Returns a document as it is in a snapshot of the file whose newest change is `seq` or later; `None` if the cache
    /// cannot tell. By the second invariant the cache has nothing older than the snapshot, and a revision up to `seq`
    /// is not newer than it.
    pub(super) fn document_of_snapshot(
        &self,
        kind: NameNumber,
        id: &str,
        seq: i64,
    ) -> Option<CachedDocument> {
        let place = DocumentPlaceRef(kind, id);
        if self.marks.is_marked(&place) {
            return None;
        }
        self.documents.get(&place).filter(|document| document.revision <= seq)
    }

    /// Returns whether a key still has the holder of an earlier lookup.
    pub(super) fn still_holds(
        &self,
        kind: NameNumber,
        path: NameNumber,
        value: &str,
        before: &KeyHolder,
    ) -> bool {
        let place = ValuePlaceRef(kind, path, value);
        !self.marks.is_marked(&place)
            && self
                .unique
                .get(&place)
                .is_some_and(|holder| holder.id == before.id && holder.revision == before.revision)
    }

    /// Looks up the holder of a unique key.
    pub(super) fn unique_holder(
        &self,
        kind: NameNumber,
        path: NameNumber,
        value: &str,
    ) -> CacheLookup<'_, ValuePlace, KeyHolder> {
        self.at_value(&self.unique, ValuePlaceRef(kind, path, value))
    }

    /// Looks up the documents with a value at an indexed path.
    pub(super) fn holders(
        &self,
        kind: NameNumber,
        path: NameNumber,
        value: &str,
    ) -> CacheLookup<'_, ValuePlace, ValueHolders> {
        self.at_value(&self.indexed, ValuePlaceRef(kind, path, value))
    }

    fn at_value<'a, ColumnContent: Clone>(
        &self,
        part: &'a QuickCache<ValuePlace, ColumnContent, EntryWeighter>,
        place: ValuePlaceRef<'_>,
    ) -> CacheLookup<'a, ValuePlace, ColumnContent>
    where
        EntryWeighter: Weighter<ValuePlace, ColumnContent>,
    {
        if self.marks.is_marked(&place) {
            return CacheLookup::Busy;
        }
        if let Some(content) = part.get(&place) {
            return CacheLookup::Hit(content);
        }
        let ValuePlaceRef(kind, path, value) = place;
        let place = ValuePlace { kind, path, value: value.into() };
        part.get_value_or_guard(&place, Some(Duration::ZERO)).into()
    }

    /// Fills an entry with a read document.
    pub(super) fn fill(
        &self,
        filling: CachePlaceholder<'_, DocumentPlace, CachedDocument>,
        document: &StoredDocument,
    ) {
        // The insert fails if the writer was faster, which is the purpose of placeholders.
        if document.body.len() as u64 <= self.documents.shard_capacity() / HEAVY_SHARE {
            let _ = filling.insert(CachedDocument::from_stored(document));
        }
    }

    /// Returns the writer's generation. Entries looked up between two equal results, without a [`CacheLookup::Busy`], belong
    /// to one snapshot.
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns whether the generation is still the same, after all earlier lookups.
    pub(super) fn is_still_at(&self, generation: u64) -> bool {
        fence(Ordering::Acquire);
        self.generation() == generation
    }

    /// Fills the entries of a unique key and of its document, which were read together.
    ///
    /// The document's placeholder is taken after the read. That is safe only if the writer has done nothing since
    /// `generation` was taken, before the read.
    pub(super) fn fill_both(
        &self,
        filling: CachePlaceholder<'_, ValuePlace, KeyHolder>,
        generation: u64,
        kind: NameNumber,
        document: &StoredDocument,
    ) {
        let place = self.document(kind, &document.id);
        let is_same = generation.is_multiple_of(2) && self.is_still_at(generation);
        let holder = KeyHolder { id: document.id.as_str().into(), revision: document.revision };
        if filling.insert(holder).is_ok()
            && is_same
            && let CacheLookup::Miss(filling) = place
        {
            self.fill(filling, document);
        }
    }

    /// Marks the places that a transaction writes, before it becomes visible, until [`update`](Self::update) or
    /// [`forget_marks`](Self::forget_marks). Only the writer calls this.
    pub(super) fn mark(&self, effects: &TransactionEffects) {
        effects.documents.iter().for_each(|(place, _)| self.marks.set(place));
        effects.unique.iter().for_each(|(place, _)| self.marks.set(place));
        effects.indexed.iter().for_each(|place| self.marks.set(place));
        // After all marks: a reader that sees the new generation sees the marks; one that has the old generation fails
        // its check.
        self.generation.fetch_or(1, Ordering::AcqRel);
    }

    /// Removes the marks of a transaction that failed.
    pub(super) fn forget_marks(&self) {
        self.next_generation();
        self.marks.clear();
    }

    fn next_generation(&self) {
        let generation = self.generation.load(Ordering::Acquire);
        self.generation.store((generation | 1) + 1, Ordering::Release);
    }

    /// Applies the effects of a transaction: first keys, then documents, see [`fill_both`](Self::fill_both). Only the
    /// writer calls this.
    pub(super) fn update(&self, effects: TransactionEffects) {
        for (place, holder) in effects.unique {
            put_or_remove(&self.unique, place, holder);
        }
        for (place, document) in effects.documents {
            put_or_remove(&self.documents, place, document);
        }
        for place in &effects.indexed {
            self.indexed.remove(place);
        }
        // In this order: otherwise a reader could find one entry before the marks were set and another after they were
        // cleared.
        self.next_generation();
        self.marks.clear();
    }

    /// Removes everything, and invalidates all placeholders.
    pub(super) fn clear(&self) {
        self.unique.clear();
        self.documents.clear();
        self.indexed.clear();
        self.next_generation();
    }
}

/// The effects of a transaction: written documents and unique keys in order (`None`: deleted), and the values of
/// indexed paths whose rows changed.
#[derive(Debug, Default)]
pub(super) struct TransactionEffects {
    pub(super) documents: Vec<(DocumentPlace, Option<CachedDocument>)>,
    pub(super) unique: Vec<(ValuePlace, Option<KeyHolder>)>,
    pub(super) indexed: Vec<ValuePlace>,
    /// Data was erased for good.
    pub(super) erases: bool,
}

/// Overwrites or removes an entry or its placeholder.
///
/// Heavy entries are removed, not overwritten: they would displace too many others, and the cache does not clear the
/// placeholder of an entry that it does not admit.
fn put_or_remove<RowPlace, ColumnContent>(
    part: &QuickCache<RowPlace, ColumnContent, EntryWeighter>,
    place: RowPlace,
    content: Option<ColumnContent>,
) where
    RowPlace: Eq + Hash,
    ColumnContent: Clone,
    EntryWeighter: Weighter<RowPlace, ColumnContent>,
{
    match content {
        Some(content) if EntryWeighter.weight(&place, &content) <= part.shard_capacity() / HEAVY_SHARE => {
            part.insert(place, content);
        }
        _ => drop(part.remove(&place)),
    }
}

fn part<RowPlace, ColumnContent>(
    bytes: u64,
    shards: u64,
) -> QuickCache<RowPlace, ColumnContent, EntryWeighter>
where
    RowPlace: Eq + Hash,
    ColumnContent: Clone,
    EntryWeighter: Weighter<RowPlace, ColumnContent>,
{
    let estimated_items = usize::try_from(bytes / 2048).unwrap_or(usize::MAX).max(32);
    #[allow(clippy::expect_used)] // Building fails only where one of these two is missing.
    let options = OptionsBuilder::new()
        .estimated_items_capacity(estimated_items)
        .weight_capacity(bytes)
        .shards(usize::try_from(shards).unwrap_or(1))
        .build()
        .expect("capacities are given");
    QuickCache::with_options(
        options,
        EntryWeighter,
        DefaultHashBuilder::default(),
        DefaultLifecycle::default(),
    )
}
