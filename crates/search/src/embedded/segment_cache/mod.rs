//! An in-memory cache of data derived from segments, for data that many searches need and that takes longer
//! to read from the files of the index than to scan. A segment never changes, so its data is valid as long as
//! it exists. Start at [`SegmentCache::get_or_build`].
//!
//! All indexes of a process share the cache. An entry is made at its second use, by one search; the least
//! recently used one is evicted when there are too many. Every search works without it: it then reads the
//! columns and lists of the files.

mod cached_dictionary;
mod level_column;

pub(super) use cached_dictionary::CachedDictionary;
pub(super) use level_column::LevelColumn;

use crate::IndexError;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use tantivy::index::SegmentId;

/// The cache of all indexes of this process.
pub(super) static OF_PROCESS: LazyLock<Arc<SegmentCache>> = LazyLock::new(Arc::default);

/// Maximum size of the cache over all indexes, in bytes.
const KEPT_BYTES_MAX: usize = 48_000_000;
/// Larger entries are not cached.
pub(super) const PART_BYTES_MAX: usize = KEPT_BYTES_MAX / 4;
/// Maximum number of entries of the cache, including those that were requested only once and are not built yet.
const PARTS_MAX: usize = 4_096;
/// Keys are made from requests: an entry with a longer key is not cached. All keys together take at most 4
/// MB.
const NAME_BYTES_MAX: usize = 1_024;

/// Data that can be cached.
pub(super) trait CacheablePart: Any + Send + Sync {
    /// Returns the size in memory, in bytes.
    fn bytes(&self) -> usize;
}

impl CacheablePart for Vec<u32> {
    fn bytes(&self) -> usize {
        size_of_val(self.as_slice())
    }
}

/// The cache. Each segment has an id that is unique among all indexes.
#[derive(Default)]
pub(super) struct SegmentCache {
    inner: Mutex<SegmentCacheContent>,
}

#[derive(Default)]
struct SegmentCacheContent {
    slots: HashMap<(SegmentId, String), CacheSlot>,
    bytes: usize,
    /// The logical clock of the eviction: rises with each lookup.
    now: u64,
}

struct CacheSlot {
    state: CacheSlotState,
    bytes: usize,
    request: u64,
}

enum CacheSlotState {
    AskedOnce,
    /// The entry cannot be built, is too large, or is being built.
    Never,
    There(Arc<dyn Any + Send + Sync>),
}

impl SegmentCache {
    /// Returns the cached data of a segment; `name` must contain everything that the data depends on. `None` if it is
    /// not cached.
    pub(super) fn get_or_build<T: CacheablePart>(
        &self,
        segment: SegmentId,
        name: String,
        make: impl FnOnce() -> Result<Option<T>, IndexError>,
    ) -> Result<Option<Arc<T>>, IndexError> {
        if name.len() > NAME_BYTES_MAX {
            return Ok(None);
        }
        let key = (segment, name);
        {
            let mut inner = self.inner.lock();
            inner.now += 1;
            let now = inner.now;
            match inner.slots.get_mut(&key) {
                Some(slot) => {
                    slot.request = now;
                    match &slot.state {
                        CacheSlotState::There(part) => return Ok(Arc::clone(part).downcast().ok()),
                        CacheSlotState::Never => return Ok(None),
                        // Other searches do without it until it is built.
                        CacheSlotState::AskedOnce => slot.state = CacheSlotState::Never,
                    }
                }
                None => {
                    inner.evict_for_insert();
                    inner
                        .slots
                        .insert(key, CacheSlot { state: CacheSlotState::AskedOnce, bytes: 0, request: now });
                    return Ok(None);
                }
            }
        }
        let made = make().inspect_err(|_| self.inner.lock().forget(&key))?;
        let made = made.filter(|part| part.bytes() <= PART_BYTES_MAX).map(Arc::new);
        if let Some(part) = &made {
            self.inner.lock().insert(&key, part);
        }
        Ok(made)
    }

    /// Evicts the data of deleted segments.
    pub(super) fn evict_segments(&self, gone: &[SegmentId]) {
        if !gone.is_empty() {
            self.inner.lock().retain(|(segment, _), _| !gone.contains(segment));
        }
    }
}

impl SegmentCacheContent {
    /// Adds data to the cache, unless its segment was deleted in the meantime.
    fn insert<T: CacheablePart>(&mut self, key: &(SegmentId, String), part: &Arc<T>) {
        let Some(slot) = self.slots.get_mut(key) else { return };
        self.bytes = self.bytes - slot.bytes + part.bytes();
        *slot =
            CacheSlot { state: CacheSlotState::There(part.clone()), bytes: part.bytes(), request: self.now };
        while self.bytes > KEPT_BYTES_MAX {
            let oldest =
                self.slots.iter().filter(|(_, slot)| slot.bytes > 0).min_by_key(|(_, slot)| slot.request);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { return };
            self.forget(&key);
        }
    }

    fn forget(&mut self, key: &(SegmentId, String)) {
        self.bytes -= self.slots.remove(key).map_or(0, |slot| slot.bytes);
    }

    /// Makes room for one more entry: removes keys without data, and half of the entries if they are most of
    /// it.
    fn evict_for_insert(&mut self) {
        if self.slots.len() < PARTS_MAX {
            return;
        }
        self.retain(|_, slot| matches!(slot.state, CacheSlotState::There(_)));
        if self.slots.len() > PARTS_MAX / 2 {
            let mut requested: Vec<u64> = self.slots.values().map(|slot| slot.request).collect();
            requested.sort_unstable();
            let middle = requested[requested.len() / 2];
            self.retain(|_, slot| slot.request > middle);
        }
    }

    fn retain(&mut self, stays: impl Fn(&(SegmentId, String), &CacheSlot) -> bool) {
        self.slots.retain(|key, slot| stays(key, slot));
        self.bytes = self.slots.values().map(|slot| slot.bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kept: &SegmentCache, segment: SegmentId, name: &str, len: usize) -> Option<Arc<Vec<u32>>> {
        kept.get_or_build(segment, name.into(), || Ok(Some(vec![0_u32; len]))).unwrap()
    }

    #[test]
    fn builds_at_the_second_use_and_evicts_the_oldest() {
        let (kept, segment) = (SegmentCache::default(), SegmentId::generate_random());
        let len = PART_BYTES_MAX / size_of::<u32>();
        assert!(part(&kept, segment, "one", len).is_none());
        assert!(part(&kept, segment, "one", len).is_some());
        for name in ["two", "three", "four", "five"] {
            part(&kept, segment, "one", len);
            part(&kept, segment, name, len);
            assert!(part(&kept, segment, name, len).is_some());
        }
        assert!(kept.inner.lock().bytes <= KEPT_BYTES_MAX);
        assert!(part(&kept, segment, "one", 0).is_some_and(|one| one.len() == len));
        assert!(part(&kept, segment, "two", len).is_none());
        part(&kept, segment, "large", len + 1);
        assert!(part(&kept, segment, "large", len + 1).is_none());
        kept.evict_segments(&[segment]);
        assert_eq!(kept.inner.lock().bytes, 0);
        assert!(part(&kept, segment, "five", len).is_none());
    }

    #[test]
    fn indexes_share_the_cache() {
        let kept = SegmentCache::default();
        let len = PART_BYTES_MAX / size_of::<u32>();
        let segments: Vec<_> = (0..10).map(|_| SegmentId::generate_random()).collect();
        for segment in &segments {
            part(&kept, *segment, "one", len);
            assert!(part(&kept, *segment, "one", len).is_some());
            assert!(kept.inner.lock().bytes <= KEPT_BYTES_MAX);
        }
        // Evicting the data of one index leaves that of the others.
        let before = kept.inner.lock().bytes;
        kept.evict_segments(&segments[9..]);
        assert_eq!(kept.inner.lock().bytes, before - len * size_of::<u32>());
        assert!(part(&kept, segments[8], "one", 0).is_some_and(|one| one.len() == len));
    }

    #[test]
    fn one_search_builds_while_others_do_without() {
        let (kept, segment) = (SegmentCache::default(), SegmentId::generate_random());
        part(&kept, segment, "one", 1);
        let made = kept.get_or_build(segment, "one".into(), || {
            assert!(part(&kept, segment, "one", 2).is_none());
            Ok(Some(vec![0_u32; 1]))
        });
        assert!(made.unwrap().is_some());
        assert!(part(&kept, segment, "one", 2).is_some_and(|one| one.len() == 1));
        // A failed read may succeed later.
        let fails =
            || kept.get_or_build::<Vec<u32>>(segment, "two".into(), || Err(IndexError::Failed("no".into())));
        assert!(fails().is_ok() && fails().is_err());
        part(&kept, segment, "two", 1);
        assert!(part(&kept, segment, "two", 1).is_some());
    }

    #[test]
    fn does_not_cache_data_of_deleted_segments() {
        let (kept, segment) = (SegmentCache::default(), SegmentId::generate_random());
        part(&kept, segment, "one", 1);
        let made = kept.get_or_build(segment, "one".into(), || {
            kept.evict_segments(&[segment]);
            Ok(Some(vec![0_u32; 1]))
        });
        assert!(made.unwrap().is_some());
        assert!(kept.inner.lock().slots.is_empty());
        assert_eq!(kept.inner.lock().bytes, 0);
    }

    #[test]
    fn limits_the_number_of_entries() {
        let (kept, segment) = (SegmentCache::default(), SegmentId::generate_random());
        for number in 0..2 * PARTS_MAX {
            let name = number.to_string();
            part(&kept, segment, &name, number % 2);
            assert!(part(&kept, segment, &name, number % 2).is_some(), "{number}");
            assert!(kept.inner.lock().slots.len() <= PARTS_MAX);
        }
        let inner = kept.inner.lock();
        assert_eq!(inner.bytes, inner.slots.values().map(|slot| slot.bytes).sum::<usize>());
        drop(inner);
        let long = "long".repeat(NAME_BYTES_MAX);
        assert!(part(&kept, segment, &long, 1).is_none() && part(&kept, segment, &long, 1).is_none());
    }
}
