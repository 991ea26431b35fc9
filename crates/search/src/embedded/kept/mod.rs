//! What of segments is kept ready in memory: what many searches need again, and what takes longer to read from the files of the index than to
//! look at. A segment never changes, so what was made of it stays right for as long as it is there.
//!
//! A part is made when it is asked for the second time, and the one that nobody asked for the longest makes room when there are
//! too many. All searches go without: they read the columns and lists of the files then.

mod level_column;
mod words;

pub(super) use level_column::LevelColumn;
pub(super) use words::{KeptWords, WORDS_BYTES_MAX};

use crate::IndexError;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use tantivy::index::SegmentId;

/// Bytes that are kept of an index.
const KEPT_BYTES_MAX: usize = 48_000_000;
/// One part takes at most one in so many of these.
const PART_OF_BYTES_MAX: usize = 4;
/// Parts that were asked for once are remembered until there are so many.
const ASKED_ONCE_MAX: usize = 4_096;

/// Something that can be kept.
pub(super) trait KeptPart: Any + Send + Sync {
    /// How much memory it takes.
    fn bytes(&self) -> usize;
}

impl KeptPart for Vec<u32> {
    fn bytes(&self) -> usize {
        size_of_val(self.as_slice())
    }
}

/// What is kept of all segments of an index.
#[derive(Default)]
pub(super) struct Kept {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    slots: HashMap<(SegmentId, String), Slot>,
    bytes: usize,
    /// Rises with each question.
    now: u64,
}

struct Slot {
    state: State,
    bytes: usize,
    asked: u64,
}

enum State {
    AskedOnce,
    /// It cannot be made, or takes too much.
    Never,
    There(Arc<dyn Any + Send + Sync>),
}

impl Kept {
    /// A part of a segment, by a name that says all that it depends on. `None`: it is not kept, now or ever.
    pub(super) fn part<T: KeptPart>(
        &self,
        segment: SegmentId,
        name: String,
        make: impl FnOnce() -> Result<Option<T>, IndexError>,
    ) -> Result<Option<Arc<T>>, IndexError> {
        let key = (segment, name);
        {
            let mut inner = self.inner.lock();
            inner.now += 1;
            let now = inner.now;
            match inner.slots.get_mut(&key) {
                Some(slot) => {
                    slot.asked = now;
                    match &slot.state {
                        State::There(part) => return Ok(Arc::clone(part).downcast().ok()),
                        State::Never => return Ok(None),
                        State::AskedOnce => {}
                    }
                }
                None => {
                    if inner.slots.len() >= ASKED_ONCE_MAX {
                        inner.slots.retain(|_, slot| matches!(slot.state, State::There(_)));
                    }
                    inner.slots.insert(key, Slot { state: State::AskedOnce, bytes: 0, asked: now });
                    return Ok(None);
                }
            }
        }
        let made = make()?.filter(|part| part.bytes() <= KEPT_BYTES_MAX / PART_OF_BYTES_MAX).map(Arc::new);
        self.inner.lock().insert(key, made.clone());
        Ok(made)
    }

    /// Forgets what is of other segments.
    pub(super) fn retain(&self, is_there: impl Fn(SegmentId) -> bool) {
        let mut inner = self.inner.lock();
        inner.slots.retain(|(segment, _), _| is_there(*segment));
        inner.bytes = inner.slots.values().map(|slot| slot.bytes).sum();
    }
}

impl Inner {
    fn insert<T: KeptPart>(&mut self, key: (SegmentId, String), part: Option<Arc<T>>) {
        let bytes = part.as_ref().map_or(0, |part| part.bytes());
        let state = part.map_or(State::Never, |part| State::There(part));
        let before = self.slots.insert(key, Slot { state, bytes, asked: self.now });
        self.bytes = self.bytes - before.map_or(0, |slot| slot.bytes) + bytes;
        while self.bytes > KEPT_BYTES_MAX {
            let oldest =
                self.slots.iter().filter(|(_, slot)| slot.bytes > 0).min_by_key(|(_, slot)| slot.asked);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { return };
            self.bytes -= self.slots.remove(&key).map_or(0, |slot| slot.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kept: &Kept, segment: SegmentId, name: &str, len: usize) -> Option<Arc<Vec<u32>>> {
        kept.part(segment, name.into(), || Ok(Some(vec![0_u32; len]))).unwrap()
    }

    #[test]
    fn parts_are_made_when_asked_for_again_and_the_oldest_make_room() {
        let (kept, segment) = (Kept::default(), SegmentId::generate_random());
        let len = KEPT_BYTES_MAX / 4 / PART_OF_BYTES_MAX;
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
        kept.retain(|_| false);
        assert_eq!(kept.inner.lock().bytes, 0);
        assert!(part(&kept, segment, "five", len).is_none());
    }
}
