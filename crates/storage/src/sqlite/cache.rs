//! The bytes of hot documents, who holds hot unique keys, and which documents hold hot values of indexed paths, kept current
//! by the writer.
//!
//! **Invariant:** what was read before a write never gets in after it. A reader that misses takes a
//! placeholder first, then reads, then fills it; the writer, after its transaction is visible and before it
//! answers, overwrites or removes the entry, and with it the placeholder, which then cannot be filled.
//!
//! **Invariant:** nobody who has seen a transaction in the file finds in here what was before it. Between the moment in
//! which others see it and the one in which the entries follow, its places are marked, and those who look there are
//! sent to the file.

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

use super::number::Number;
use crate::{Stored, StoredRef};

/// The most bytes of a part of the cache that locks on its own.
const SHARD_BYTES_TARGET: u64 = 4 * 1024 * 1024;

/// The most parts.
const SHARDS_MAX: u64 = 32;

/// What an entry costs beside its bytes: the cache's own links, the allocations' heads.
const ENTRY_OVERHEAD_BYTES: u64 = 96;

/// The part of the cache that unique keys may fill: one in this many.
const UNIQUE_SHARE: u64 = 8;

/// The part of the cache that values of indexed paths may fill.
const INDEXED_SHARE: u64 = 16;

/// Words of the marks, of 64 marks each. Places share marks, which costs a read of the file now and then.
const MARK_WORDS: usize = 1024;

/// What weighs more than one in this many of a part is not kept.
const HEAVY_SHARE: u64 = 4;

/// A document's numbers and bytes.
#[derive(Debug, Clone)]
pub(super) struct CachedDocument {
    pub(super) version: i64,
    pub(super) revision: i64,
    pub(super) sequence: i64,
    pub(super) body: Bytes,
}

impl CachedDocument {
    /// The document with its id.
    pub(super) fn into_stored(self, id: &str) -> Stored {
        let CachedDocument { version, revision, sequence, body } = self;
        Stored { id: id.to_owned(), version, revision, sequence, body }
    }

    /// The same, borrowed.
    pub(super) fn borrowed<'d>(&'d self, id: &'d str) -> StoredRef<'d> {
        let CachedDocument { version, revision, sequence, body } = self;
        StoredRef { id, version: *version, revision: *revision, sequence: *sequence, body }
    }

    /// The document without its id.
    pub(super) fn from_stored(stored: &Stored) -> Self {
        let Stored { version, revision, sequence, body, .. } = stored;
        CachedDocument { version: *version, revision: *revision, sequence: *sequence, body: body.clone() }
    }
}

/// Who holds a unique key. At this revision the document does; at a later one if the key still stands in the cache
/// after the document was seen there, because keys that go do so before the documents follow.
#[derive(Debug, Clone)]
pub(super) struct Holder {
    pub(super) id: Box<str>,
    pub(super) revision: i64,
}

/// Kind and id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct DocumentPlace {
    pub(super) kind: Number,
    pub(super) id: Box<str>,
}

/// Kind, path and value: of a unique key, or of an indexed path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ValuePlace {
    pub(super) kind: Number,
    pub(super) path: Number,
    pub(super) value: Box<str>,
}

/// Which documents hold a value at an indexed path.
#[derive(Debug, Clone)]
pub(super) enum Holders {
    /// All their ids, sorted.
    Few(Arc<[Box<str>]>),
    /// More than are kept.
    Many,
}

/// A [`DocumentPlace`] that owns nothing. Its hash is the same: the fields are, in the same sequence.
#[derive(Hash)]
struct DocumentPlaceRef<'a>(Number, &'a str);

impl Equivalent<DocumentPlace> for DocumentPlaceRef<'_> {
    fn equivalent(&self, place: &DocumentPlace) -> bool {
        self.0 == place.kind && *self.1 == *place.id
    }
}

/// A [`ValuePlace`] that owns nothing.
#[derive(Hash)]
struct ValuePlaceRef<'a>(Number, Number, &'a str);

impl Equivalent<ValuePlace> for ValuePlaceRef<'_> {
    fn equivalent(&self, place: &ValuePlace) -> bool {
        self.0 == place.kind && self.1 == place.path && *self.2 == *place.value
    }
}

/// Weighs an entry in bytes.
#[derive(Debug, Clone)]
pub(super) struct Weigh;

impl Weighter<DocumentPlace, CachedDocument> for Weigh {
    fn weight(&self, place: &DocumentPlace, document: &CachedDocument) -> u64 {
        (place.id.len() + document.body.len()) as u64 + ENTRY_OVERHEAD_BYTES
    }
}

impl Weighter<ValuePlace, Holder> for Weigh {
    fn weight(&self, place: &ValuePlace, holder: &Holder) -> u64 {
        (place.value.len() + holder.id.len()) as u64 + ENTRY_OVERHEAD_BYTES
    }
}

impl Weighter<ValuePlace, Holders> for Weigh {
    fn weight(&self, place: &ValuePlace, holders: &Holders) -> u64 {
        let bytes: usize = match holders {
            Holders::Few(ids) => ids.iter().map(|id| size_of::<Box<str>>() + id.len()).sum(),
            Holders::Many => 0,
        };
        (place.value.len() + bytes) as u64 + ENTRY_OVERHEAD_BYTES
    }
}

/// The right to fill an entry, unless the writer is faster.
pub(super) type Filling<'a, Place, Content> =
    PlaceholderGuard<'a, Place, Content, Weigh, DefaultHashBuilder, DefaultLifecycle<Place, Content>>;

/// What the cache knows.
pub(super) enum Lookup<'a, Place, Content> {
    /// The content.
    Hit(Content),
    /// Nothing: the caller reads, then fills.
    Miss(Filling<'a, Place, Content>),
    /// Nothing that may be used, and another reader or the writer is about to fill it. Nobody waits for another.
    Busy,
}

impl<'a, Place, Content> From<FoundIn<'a, Place, Content>> for Lookup<'a, Place, Content> {
    fn from(found: FoundIn<'a, Place, Content>) -> Self {
        match found {
            GuardResult::Value(content) => Lookup::Hit(content),
            GuardResult::Guard(filling) => Lookup::Miss(filling),
            GuardResult::Timeout => Lookup::Busy,
        }
    }
}

type FoundIn<'a, Place, Content> =
    GuardResult<'a, Place, Content, Weigh, DefaultHashBuilder, DefaultLifecycle<Place, Content>>;

/// The cache of one shop.
pub(super) struct Cache {
    documents: QuickCache<DocumentPlace, CachedDocument, Weigh>,
    unique: QuickCache<ValuePlace, Holder, Weigh>,
    indexed: QuickCache<ValuePlace, Holders, Weigh>,
    marks: Marks,
    /// Odd while a transaction's places are marked; another number after each.
    generation: AtomicU64,
}

/// The places of a transaction that others may see already, and of which the entries are still to follow.
struct Marks {
    hasher: DefaultHashBuilder,
    words: Box<[AtomicU64]>,
}

impl Marks {
    fn new() -> Self {
        let words = std::iter::repeat_with(AtomicU64::default).take(MARK_WORDS).collect();
        Marks { hasher: DefaultHashBuilder::default(), words }
    }

    /// The word of a place, and its bit in there.
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
            // Most are clear, and reading one takes it away from nobody.
            if word.load(Ordering::Relaxed) != 0 {
                word.store(0, Ordering::Release);
            }
        }
    }
}

impl Cache {
    /// A cache of about so many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let shards = (bytes / SHARD_BYTES_TARGET).clamp(1, SHARDS_MAX).next_power_of_two();
        let (unique, indexed) = (bytes / UNIQUE_SHARE, bytes / INDEXED_SHARE);
        Cache {
            documents: part(bytes - unique - indexed, shards),
            unique: part(unique, shards),
            indexed: part(indexed, shards),
            marks: Marks::new(),
            generation: AtomicU64::new(0),
        }
    }

    /// The document, if it is here. Never a reason to wait.
    pub(super) fn document(&self, kind: Number, id: &str) -> Lookup<'_, DocumentPlace, CachedDocument> {
        if self.marks.is_marked(&DocumentPlaceRef(kind, id)) {
            return Lookup::Busy;
        }
        if let Some(document) = self.documents.get(&DocumentPlaceRef(kind, id)) {
            return Lookup::Hit(document);
        }
        let place = DocumentPlace { kind, id: id.into() };
        self.documents.get_value_or_guard(&place, Some(Duration::ZERO)).into()
    }

    /// The document as it stands in a state of the file that was read when nothing behind `seq` was known yet; `None` where that is
    /// not plain to see from here. By the second invariant nothing older than in that state is in here, and what is not newer
    /// than `seq` is not newer than it.
    pub(super) fn document_of_state(&self, kind: Number, id: &str, seq: i64) -> Option<CachedDocument> {
        let place = DocumentPlaceRef(kind, id);
        if self.marks.is_marked(&place) {
            return None;
        }
        self.documents.get(&place).filter(|document| document.revision <= seq)
    }

    /// Whether a key has the same holder as when it was looked up before.
    pub(super) fn still_holds(&self, kind: Number, path: Number, value: &str, before: &Holder) -> bool {
        let place = ValuePlaceRef(kind, path, value);
        !self.marks.is_marked(&place)
            && self
                .unique
                .get(&place)
                .is_some_and(|holder| holder.id == before.id && holder.revision == before.revision)
    }

    /// Who holds a unique key, if it is here.
    pub(super) fn unique(&self, kind: Number, path: Number, value: &str) -> Lookup<'_, ValuePlace, Holder> {
        self.at_value(&self.unique, ValuePlaceRef(kind, path, value))
    }

    /// Which documents hold a value at an indexed path, if it is here.
    pub(super) fn holders(&self, kind: Number, path: Number, value: &str) -> Lookup<'_, ValuePlace, Holders> {
        self.at_value(&self.indexed, ValuePlaceRef(kind, path, value))
    }

    fn at_value<'a, Content: Clone>(
        &self,
        part: &'a QuickCache<ValuePlace, Content, Weigh>,
        place: ValuePlaceRef<'_>,
    ) -> Lookup<'a, ValuePlace, Content>
    where
        Weigh: Weighter<ValuePlace, Content>,
    {
        if self.marks.is_marked(&place) {
            return Lookup::Busy;
        }
        if let Some(content) = part.get(&place) {
            return Lookup::Hit(content);
        }
        let ValuePlaceRef(kind, path, value) = place;
        let place = ValuePlace { kind, path, value: value.into() };
        part.get_value_or_guard(&place, Some(Duration::ZERO)).into()
    }

    /// Fills an entry with what was read.
    pub(super) fn fill(&self, filling: Filling<'_, DocumentPlace, CachedDocument>, document: &Stored) {
        // It fails where the writer was faster, which is the point of it.
        if document.body.len() as u64 <= self.documents.shard_capacity() / HEAVY_SHARE {
            let _ = filling.insert(CachedDocument::from_stored(document));
        }
    }

    /// Where the writer stands. Whoever was not sent to the file between two looks at the same number has seen entries of one
    /// state.
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Whether the writer stands where it stood, after all that was looked up until now.
    pub(super) fn is_still_at(&self, generation: u64) -> bool {
        fence(Ordering::Acquire);
        self.generation() == generation
    }

    /// Fills the entry of a unique key and that of the document that holds it, as they were read together.
    ///
    /// The document's placeholder is taken after the read, which is safe only where the writer has done nothing since
    /// the `generation` that was taken before it.
    pub(super) fn fill_both(
        &self,
        filling: Filling<'_, ValuePlace, Holder>,
        generation: u64,
        kind: Number,
        document: &Stored,
    ) {
        let place = self.document(kind, &document.id);
        let is_same = generation.is_multiple_of(2) && self.is_still_at(generation);
        let holder = Holder { id: document.id.as_str().into(), revision: document.revision };
        if filling.insert(holder).is_ok()
            && is_same
            && let Lookup::Miss(filling) = place
        {
            self.fill(filling, document);
        }
    }

    /// Marks what a transaction writes, before others can see it. Until [`update`](Self::update) or
    /// [`forget_marks`](Self::forget_marks). By the writer alone.
    pub(super) fn mark(&self, effects: &Effects) {
        effects.documents.iter().for_each(|(place, _)| self.marks.set(place));
        effects.unique.iter().for_each(|(place, _)| self.marks.set(place));
        effects.indexed.iter().for_each(|place| self.marks.set(place));
        // Behind all marks: who reads this number sees them, and who has read the one before is told that it has passed.
        self.generation.fetch_or(1, Ordering::AcqRel);
    }

    /// Takes the marks away of a transaction that failed.
    pub(super) fn forget_marks(&self) {
        self.next_generation();
        self.marks.clear();
    }

    fn next_generation(&self) {
        let generation = self.generation.load(Ordering::Acquire);
        self.generation.store((generation | 1) + 1, Ordering::Release);
    }

    /// Takes over what a transaction wrote: first the keys, then the documents, see
    /// [`fill_both`](Self::fill_both). By the writer alone.
    pub(super) fn update(&self, effects: Effects) {
        for (place, holder) in effects.unique {
            put_or_remove(&self.unique, place, holder);
        }
        for (place, document) in effects.documents {
            put_or_remove(&self.documents, place, document);
        }
        for place in &effects.indexed {
            self.indexed.remove(place);
        }
        // In this sequence: else who has found one entry before there were marks could find another after them.
        self.next_generation();
        self.marks.clear();
    }

    /// Forgets everything, and stops whoever is about to fill an entry.
    pub(super) fn clear(&self) {
        self.unique.clear();
        self.documents.clear();
        self.indexed.clear();
        self.next_generation();
    }
}

/// What a transaction did to documents and unique keys, in sequence, `None` for what is gone; and where it wrote or removed rows
/// of indexed paths.
#[derive(Debug, Default)]
pub(super) struct Effects {
    pub(super) documents: Vec<(DocumentPlace, Option<CachedDocument>)>,
    pub(super) unique: Vec<(ValuePlace, Option<Holder>)>,
    pub(super) indexed: Vec<ValuePlace>,
    /// Data was erased.
    pub(super) erases: bool,
}

/// Overwrites or removes an entry, and a placeholder in its stead.
///
/// What is heavy is removed rather than overwritten: it would push out too many others, and the cache does
/// not clear the placeholder of what it then does not admit.
fn put_or_remove<Place, Content>(
    part: &QuickCache<Place, Content, Weigh>,
    place: Place,
    content: Option<Content>,
) where
    Place: Eq + Hash,
    Content: Clone,
    Weigh: Weighter<Place, Content>,
{
    match content {
        Some(content) if Weigh.weight(&place, &content) <= part.shard_capacity() / HEAVY_SHARE => {
            part.insert(place, content);
        }
        _ => drop(part.remove(&place)),
    }
}

fn part<Place, Content>(bytes: u64, shards: u64) -> QuickCache<Place, Content, Weigh>
where
    Place: Eq + Hash,
    Content: Clone,
    Weigh: Weighter<Place, Content>,
{
    let estimated_items = usize::try_from(bytes / 2048).unwrap_or(usize::MAX).max(32);
    #[allow(clippy::expect_used)] // Building fails only where one of these two is missing.
    let options = OptionsBuilder::new()
        .estimated_items_capacity(estimated_items)
        .weight_capacity(bytes)
        .shards(usize::try_from(shards).unwrap_or(1))
        .build()
        .expect("capacities are given");
    QuickCache::with_options(options, Weigh, DefaultHashBuilder::default(), DefaultLifecycle::default())
}
