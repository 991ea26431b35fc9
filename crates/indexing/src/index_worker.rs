//! The worker that keeps one index of one shop: opens or builds it, follows the change log, and builds a new one next
//! to it when the fields change.
//!
//! Start at [`IndexWorker::step`]; [`crate::searches`] calls it repeatedly. Searches read only [`IndexWorker::answering`]. An index
//! may be shared by several processes: then one writes it (the keeper), and the others read what it publishes.

use crate::build::{IndexBuild, index_failure};
use crate::change_log_follower::{self, ChangeLogFollower};
use crate::index_erasure::IndexErasure;
use crate::index_store::IndexStore;
use crate::search_usage::{self, SearchUsage};
use crate::status::{IndexingState, IndexingStatus};
use kontor_engine::{Searchable, Shop, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code};
use kontor_search::{IndexError, SearchIndex, SearchableFields};
use kontor_storage::Seq;
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pause between two checks of a shared index for changes by other processes.
const LOOKED_AGAIN_EVERY: Duration = Duration::from_millis(500);

/// One index of one shop, and the state of the work on it.
pub(crate) struct IndexWorker {
    pub(crate) searchable: Arc<dyn Searchable>,
    pub(crate) usage: SearchUsage,
    /// The index that searches use; `None`: none is complete.
    served: RwLock<Option<ServedIndex>>,
    status: RwLock<IndexingStatus>,
    /// The state of the work; its lock lets one step run at a time.
    work: Mutex<WorkerState>,
}

/// A complete index, and its searchable fields.
#[derive(Clone)]
pub(crate) struct ServedIndex {
    pub(crate) index: Arc<dyn SearchIndex>,
    pub(crate) fields: Arc<dyn SearchableFields>,
}

#[derive(Default)]
struct WorkerState {
    active: Option<ActiveIndex>,
    building: Option<IndexBuild>,
    /// The current generation of the fields; `None`: must be determined.
    generation: Option<u64>,
    /// Whether the indexes left by a former process were checked.
    has_looked: bool,
    /// Another process writes the index; this one only reads what it publishes.
    reads_along: bool,
    /// When a shared index was last checked for changes by other processes.
    looked_again: Option<Instant>,
    erasing: IndexErasure,
}

struct ActiveIndex {
    index: Arc<dyn SearchIndex>,
    slot: String,
    following: ChangeLogFollower,
}

impl IndexWorker {
    pub(crate) fn new(shop: &Shop, searchable: Arc<dyn Searchable>) -> ApiResult<Self> {
        let usage = SearchUsage::read(shop, &*searchable)?;
        Ok(Self {
            searchable,
            usage,
            served: RwLock::default(),
            status: RwLock::default(),
            work: Mutex::default(),
        })
    }

    /// Returns the index that searches use, once one is complete.
    pub(crate) fn served_index(&self) -> Option<ServedIndex> {
        self.served.read().clone()
    }

    pub(crate) fn status(&self) -> IndexingStatus {
        self.status.read().clone()
    }

    /// Returns whether the search is off and no index is left. This is the common case, and the check is cheap.
    pub(crate) fn is_inactive(&self, shop: &Shop) -> bool {
        !search_usage::is_wanted(shop, &*self.searchable)
            && self.work.try_lock().is_some_and(|work| work.has_no_index())
    }

    /// Returns whether the index has indexed all changes up to an entry of the change log.
    pub(crate) fn has_reached(&self, seq: Seq) -> bool {
        let work = self.work.lock();
        if work.reads_along {
            let position = self.served_index().and_then(|answering| answering.index.position());
            return position.is_some_and(|position| position.seq >= seq);
        }
        work.building.is_none()
            && work.generation.is_some()
            && work.active.as_ref().is_some_and(|active| active.following.has_reached(seq))
    }

    /// Does the next step, of at most some tenths of a second. Returns true if more work is left now. On an error,
    /// drops all indexes, to build them again; unless the search server is only out of reach.
    pub(crate) fn step(&self, shop: &Shop, place: &dyn IndexStore) -> ApiResult<bool> {
        let mut work = self.work.lock();
        if place.is_shared() && !shop.storage().is_keeper() {
            return self.read_published(&mut work, shop, place);
        }
        if work.reads_along {
            // This process is the writer now. Searches use the old index until the indexes that are there were checked.
            *work = WorkerState::default();
        }
        if !search_usage::is_wanted(shop, &*self.searchable) {
            self.drop_all(&mut work, shop, place);
            return Ok(false);
        }
        let result = self.maintain_index(&mut work, shop, place);
        if let Err(error) = &result {
            if error.code() == Code::OverCapacity {
                // The search server is out of reach or busy. The index is fine, and its position is read again later.
                work.rewind();
                return result;
            }
            // The index may be broken: the next attempt builds a new one.
            self.drop_all(&mut work, shop, place);
            work.has_looked = true;
            self.update_status(shop, |status| {
                status.state = IndexingState::Failed;
                status.retries += 1;
            });
        }
        result
    }

    /// Uses the index that another process writes and publishes.
    fn read_published(&self, work: &mut WorkerState, shop: &Shop, place: &dyn IndexStore) -> ApiResult<bool> {
        if !work.reads_along {
            *work = WorkerState { reads_along: true, ..WorkerState::default() };
        }
        if !search_usage::is_wanted(shop, &*self.searchable) {
            *self.served.write() = None;
            return Ok(false);
        }
        if !work.is_due() {
            return Ok(false);
        }
        let there_is = match self.served_index() {
            Some(answering) => answering.index.refresh().map(|()| Some(answering.index)),
            None => place.published(&shop.key, self.searchable.name()),
        };
        let index = match there_is {
            Err(error @ IndexError::Unavailable(_)) => return Err(index_failure(&error)),
            other => other.ok().flatten(),
        };
        let epoch = shop.storage().epoch().map_err(storage_failure)?;
        let of_now = |index: &Arc<dyn SearchIndex>| {
            index.position().is_some_and(|position| position.is_complete && position.epoch == epoch)
        };
        let Some(index) = index.filter(of_now) else {
            *self.served.write() = None;
            self.update_status(shop, |status| status.state = IndexingState::Indexing);
            return Ok(false);
        };
        let (fields, _) = change_log_follower::current_fields(shop, &*self.searchable)?;
        *self.served.write() = Some(ServedIndex { index, fields });
        if self.status().state != IndexingState::Ready {
            self.update_status(shop, |status| status.state = IndexingState::Ready);
        }
        Ok(false)
    }

    fn maintain_index(&self, work: &mut WorkerState, shop: &Shop, place: &dyn IndexStore) -> ApiResult<bool> {
        let storage = shop.storage();
        if place.is_shared() && work.active.is_some() && work.is_due() {
            self.check_shared_index(work)?;
        }
        let epoch = storage.epoch().map_err(storage_failure)?;
        let of_now =
            |index: &dyn SearchIndex| index.position().is_some_and(|position| position.epoch == epoch);
        if work.active.as_ref().is_some_and(|active| !of_now(&*active.index)) {
            self.drop_all(work, shop, place);
        }
        if work.building.as_ref().is_some_and(|building| building.position().epoch != epoch) {
            self.drop_building(work, shop, place);
        }
        let generation = match work.generation {
            Some(generation) => generation,
            None => self.check_fields(work, shop, place, epoch)?,
        };
        let mut more = false;
        if let (Some(active), Some(answering)) = (&mut work.active, self.served_index()) {
            let followed =
                active.following.step(shop, &*self.searchable, &*answering.fields, &*active.index)?;
            more = followed.more;
            let lag = storage.last_seq().map_err(storage_failure)?.saturating_sub(active.following.read());
            metrics::gauge!("kontor_search_lag", "project" => shop.key.clone(), "search" => self.searchable.name())
                .set(lag as f64);
            if followed.deleted {
                work.erasing.schedule_check();
            }
            let has_reached = |seq| active.following.has_reached(seq);
            work.erasing.step(shop, &*self.searchable, &*active.index, has_reached)?;
            if followed.shapes_changed {
                work.generation = None;
                more = true;
            }
        }
        if work.building.is_some() {
            more |= self.build(work, shop, place)?;
        } else if work.active.is_none() {
            self.start_build(work, generation, shop, place)?;
            more = true;
        }
        Ok(more)
    }

    /// Checks that a shared index still exists, and stores its position for the other processes.
    fn check_shared_index(&self, work: &WorkerState) -> ApiResult<()> {
        let Some(active) = &work.active else { return Ok(()) };
        active.index.refresh().map_err(|error| index_failure(&error))?;
        if active.index.position().is_none() {
            tracing::warn!(search = self.searchable.name(), "a shared search index is missing");
            return Err(ApiError::internal());
        }
        active.following.store_position(&*active.index)
    }

    /// Determines the current fields and generation, and compares them with the existing indexes. Starts a new index
    /// if the fields changed.
    fn check_fields(
        &self,
        work: &mut WorkerState,
        shop: &Shop,
        place: &dyn IndexStore,
        epoch: u64,
    ) -> ApiResult<u64> {
        let (fields, generation) = change_log_follower::current_fields(shop, &*self.searchable)?;
        if !work.has_looked {
            self.take_up(work, shop, place, (epoch, generation), &fields)?;
            work.has_looked = true;
        }
        if work.building.as_ref().is_some_and(|building| building.position().generation != generation) {
            self.drop_building(work, shop, place);
        }
        let is_outdated = work.active.as_ref().is_some_and(|active| {
            active.index.position().is_none_or(|position| position.generation != generation)
        });
        if is_outdated {
            // The old index serves searches with its old fields until the new one is complete.
            if work.building.is_none() {
                self.start_build(work, generation, shop, place)?;
            }
        } else if let Some(answering) = self.served.write().as_mut() {
            answering.fields = fields;
        }
        work.generation = Some(generation);
        Ok(generation)
    }

    /// Opens an index left by a former process if it is complete and has the current epoch and generation. Removes all
    /// others.
    fn take_up(
        &self,
        work: &mut WorkerState,
        shop: &Shop,
        place: &dyn IndexStore,
        (epoch, generation): (u64, u64),
        fields: &Arc<dyn SearchableFields>,
    ) -> ApiResult<()> {
        let name = self.searchable.name();
        // Runs again if an error of the search server interrupted it before.
        work.active = None;
        let named = self.named_slot(shop, place)?;
        let last_seq = shop.storage().last_seq().map_err(storage_failure)?;
        for slot in place.slots(&shop.key, name).map_err(|error| index_failure(&error))? {
            let index = place.open(&shop.key, name, &slot).map_err(|error| index_failure(&error))?;
            let position = index.position().unwrap_or_default();
            let is_of_now = position.epoch == epoch && position.generation == generation;
            let is_of_this_shop =
                position.seq <= last_seq && named.as_ref().is_none_or(|named| *named == slot);
            let is_usable = position.is_complete && is_of_now && is_of_this_shop;
            if work.active.is_none() && is_usable {
                self.publish(&slot, shop, place)?;
                *self.served.write() =
                    Some(ServedIndex { index: Arc::clone(&index), fields: Arc::clone(fields) });
                work.active = Some(ActiveIndex { following: ChangeLogFollower::from(position), index, slot });
                self.update_status(shop, |status| status.state = IndexingState::Ready);
            } else {
                drop(index);
                place.remove(&shop.key, name, &slot);
            }
        }
        Ok(())
    }

    /// Returns the slot of a shared index that the storage of this shop names. Indexes in other slots belong to a
    /// deleted shop with the same key. Returns `None` if indexes are not shared.
    fn named_slot(&self, shop: &Shop, place: &dyn IndexStore) -> ApiResult<Option<String>> {
        if !place.is_shared() {
            return Ok(None);
        }
        let named = shop.storage().setting(&slot_setting(&*self.searchable)).map_err(storage_failure)?;
        Ok(Some(named.unwrap_or_default()))
    }

    /// Publishes the index of a slot, so that all processes use it.
    fn publish(&self, slot: &str, shop: &Shop, place: &dyn IndexStore) -> ApiResult<()> {
        if place.is_shared() {
            let setting = slot_setting(&*self.searchable);
            shop.storage().set_setting(&setting, Some(slot)).map_err(storage_failure)?;
        }
        place.publish(&shop.key, self.searchable.name(), slot).map_err(|error| index_failure(&error))
    }

    /// Starts to build a new index, next to the one that searches use.
    fn start_build(
        &self,
        work: &mut WorkerState,
        generation: u64,
        shop: &Shop,
        place: &dyn IndexStore,
    ) -> ApiResult<()> {
        let name = self.searchable.name();
        let mut slot = next_slot(&place.slots(&shop.key, name).map_err(|error| index_failure(&error))?);
        if place.is_shared() {
            // A unique name: the removal of an older index may have failed.
            slot = format!("{slot}-{}", shop.clock.now().as_millisecond());
        }
        let index = place.open(&shop.key, name, &slot).map_err(|error| index_failure(&error))?;
        work.building = Some(IndexBuild::new(index, slot, generation, shop)?);
        let total = shop.storage().count(self.searchable.kind()).map_err(storage_failure)?;
        tracing::info!(project = %shop.key, search = name, documents = total, "building a search index");
        self.update_status(shop, |status| {
            status.state = IndexingState::Indexing;
            status.indexed = 0;
            status.failed = 0;
            status.estimated_total = total;
            status.started_at = Some(shop.clock.now());
        });
        Ok(())
    }

    /// Builds the next chunk. When the index is complete, searches use it, and the old one is removed.
    fn build(&self, work: &mut WorkerState, shop: &Shop, place: &dyn IndexStore) -> ApiResult<bool> {
        let Some(building) = &mut work.building else { return Ok(false) };
        let is_done = building.step(shop, &*self.searchable)?;
        let (indexed, failed) = (building.indexed, building.failed);
        let name = self.searchable.name();
        tracing::debug!(project = %shop.key, search = name, indexed, "building a search index");
        metrics::gauge!("kontor_search_built", "project" => shop.key.clone(), "search" => name)
            .set(indexed as f64);
        self.update_status(shop, |status| {
            status.indexed = indexed;
            status.failed = failed;
        });
        if is_done {
            self.publish(&building.slot, shop, place)?;
        }
        if is_done && let Some(IndexBuild { index, slot, .. }) = work.building.take() {
            let (fields, _) = change_log_follower::current_fields(shop, &*self.searchable)?;
            *self.served.write() = Some(ServedIndex { index: Arc::clone(&index), fields });
            let following = ChangeLogFollower::from(index.position().unwrap_or_default());
            work.erasing.restart(shop, &*self.searchable)?;
            if let Some(old) = work.active.replace(ActiveIndex { index, slot, following }) {
                place.remove(&shop.key, name, &old.slot);
            }
            tracing::info!(project = %shop.key, search = name, indexed, failed, "the search index is ready");
            self.update_status(shop, |status| {
                status.state = IndexingState::Ready;
                status.retries = 0;
            });
        }
        Ok(true)
    }

    fn drop_building(&self, work: &mut WorkerState, shop: &Shop, place: &dyn IndexStore) {
        if let Some(building) = work.building.take() {
            place.remove(&shop.key, self.searchable.name(), &building.slot);
        }
    }

    fn drop_all(&self, work: &mut WorkerState, shop: &Shop, place: &dyn IndexStore) {
        let had_nothing = work.active.is_none() && work.building.is_none();
        if had_nothing && work.has_looked && work.generation.is_none() {
            return;
        }
        *self.served.write() = None;
        *work = WorkerState { has_looked: true, ..WorkerState::default() };
        // Slots that cannot be listed now are found to be outdated later.
        for slot in place.slots(&shop.key, self.searchable.name()).unwrap_or_default() {
            place.remove(&shop.key, self.searchable.name(), &slot);
        }
        let mut status = self.status.write();
        *status = IndexingStatus { retries: status.retries, ..IndexingStatus::default() };
    }

    fn update_status(&self, shop: &Shop, change: impl FnOnce(&mut IndexingStatus)) {
        let mut status = self.status.write();
        change(&mut status);
        status.last_modified_at = Some(shop.clock.now());
    }
}

impl WorkerState {
    fn has_no_index(&self) -> bool {
        self.active.is_none() && self.building.is_none() && self.has_looked
    }

    /// Returns whether to check for changes by other processes now.
    fn is_due(&mut self) -> bool {
        let is_due = self.looked_again.is_none_or(|last| last.elapsed() >= LOOKED_AGAIN_EVERY);
        if is_due {
            self.looked_again = Some(Instant::now());
        }
        is_due
    }

    /// Returns to the position stored in the index: it may lack changes that were read after it.
    fn rewind(&mut self) {
        if let Some(active) = &mut self.active {
            active.following = ChangeLogFollower::from(active.index.position().unwrap_or_default());
        }
        self.generation = None;
    }
}

/// Returns the name of the setting that holds this shop's slot of a shared index.
fn slot_setting(searchable: &dyn Searchable) -> String {
    format!("search.{}.slot", searchable.name())
}

/// Returns an unused slot: the next number.
fn next_slot(slots: &[String]) -> String {
    let number = |slot: &String| slot.split('-').next()?.parse::<u64>().ok();
    let last = slots.iter().filter_map(number).max();
    last.map_or(1, |last| last + 1).to_string()
}
