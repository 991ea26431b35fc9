//! All searches of a server: starts a task for each shop that maintains its indexes, and returns the indexes that are
//! ready.
//!
//! Start at [`Searches::ready`] for searches, and at `run_indexing` for the task.

use crate::build::index_failure;
use crate::index_store::IndexStore;
use crate::index_worker::{IndexWorker, ServedIndex};
use crate::live_fields::LiveFields;
use crate::search_usage;
use crate::status::IndexingStatus;
use futures_util::future::BoxFuture;
use kontor_engine::{BackgroundService, RETRY_PERIOD, Searchable, Shop, spawn_restarting, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code, catch_panic};
use kontor_search::{IndexError, IndexRequest, SearchIndex, SearchResult, SearchableFields};
use kontor_storage::Seq;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

/// Maximum number of concurrent steps of index work. All indexes take turns, so that none waits until another is built.
const AT_ONCE: usize = 2;
/// Minimum time for which changes are collected before they are indexed: much of the cost of a batch does not depend on
/// its size.
const COLLECTED: Duration = Duration::from_millis(50);
/// Maximum of the same: a change should be found soon.
const COLLECTED_MAX: Duration = Duration::from_millis(500);
/// Changes are collected this many times as long as the last batch took, so that writes get most of a busy machine.
const COLLECTED_BY_TAKEN: u32 = 2;
/// Maximum pause of the task of a shop without changes. It checks then whether a search is unused or turned on.
const PERIOD: Duration = Duration::from_secs(1);
/// Poll interval of [`Searches::settle`].
const SETTLE_PERIOD: Duration = Duration::from_millis(5);

/// All searches of a server.
pub struct Searches {
    searchables: Vec<Arc<dyn Searchable>>,
    place: Arc<dyn IndexStore>,
    projects: RwLock<HashMap<String, Arc<Vec<IndexWorker>>>>,
    permits: Arc<Semaphore>,
}

/// A search that is ready to use.
#[derive(Clone)]
pub struct SearchHandle {
    /// The index.
    pub index: Arc<dyn SearchIndex>,
    /// The searchable fields.
    pub fields: Arc<dyn SearchableFields>,
}

/// Why a search is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadyReason {
    /// It is turned off.
    Off,
    /// Its first index is being built.
    Indexing,
}

impl Searches {
    /// Creates the searches of some kinds of resources, with their indexes at `place`.
    pub fn new(searchables: Vec<Arc<dyn Searchable>>, place: Arc<dyn IndexStore>) -> Self {
        Self { searchables, place, projects: RwLock::default(), permits: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Returns a search of a shop by its name, or why it is not ready. Records that it was used. Fails if the search
    /// server cannot be reached.
    pub fn find_ready_search(
        &self,
        shop: &Arc<Shop>,
        name: &str,
    ) -> ApiResult<Result<SearchHandle, UnreadyReason>> {
        let Some((all, position)) = self.find_worker(shop, name) else {
            return Err(ApiError::bug(format!("no rules make entries of a search '{name}'")));
        };
        let kept = &all[position];
        // The task of the shop turns idle searches off, within a second.
        if !search_usage::is_wanted(shop, &*kept.searchable) || kept.usage.is_idle(shop, &*kept.searchable)? {
            return Ok(Err(UnreadyReason::Off));
        }
        if kept.usage.note(shop) {
            let (all, shop) = (Arc::clone(&all), Arc::clone(shop));
            // In the background: losing the record of one use does not matter.
            spawn_blocking(move || {
                let kept = &all[position];
                if let Err(error) = kept.usage.write(&shop, &*kept.searchable) {
                    tracing::warn!(project = %shop.key, %error, "could not store the time of the last search");
                }
            });
        }
        let Some(ServedIndex { index, fields }) = kept.served_index() else {
            return match self.place.fault() {
                Some(why) => Err(index_failure(&IndexError::Unavailable(why))),
                None => Ok(Err(UnreadyReason::Indexing)),
            };
        };
        // The epoch changes when a restore replaces the content: an index of the old content must not serve searches.
        let epoch = shop.storage().epoch().map_err(storage_failure)?;
        let position = index.position();
        if position.is_none_or(|position| position.epoch != epoch) {
            return Ok(Err(UnreadyReason::Indexing));
        }
        let generation = position.map(|position| position.generation);
        let fields = LiveFields::new(fields, Arc::clone(&kept.searchable), Arc::clone(shop), generation);
        Ok(Ok(SearchHandle { index, fields: Arc::new(fields) }))
    }

    /// Returns why searches are unavailable at the moment, if known.
    pub fn fault(&self) -> Option<String> {
        self.place.fault()
    }

    /// Returns the indexing status of a search; `None` if it is turned off.
    pub fn status(&self, shop: &Arc<Shop>, name: &str) -> Option<IndexingStatus> {
        let (all, position) = self.find_worker(shop, name)?;
        let kept = &all[position];
        search_usage::is_wanted(shop, &*kept.searchable).then(|| kept.status())
    }

    /// Returns the name of the search that handles requests with a value of the header `x-ab-test-id`, if the shop has
    /// one in place of the named search.
    pub fn name_in_ab_test(&self, shop: &Shop, name: &str, test: &str) -> Option<&'static str> {
        let usual = self.searchables.iter().find(|searchable| searchable.name() == name)?;
        let project = shop.project();
        let mut tested = self.searchables.iter().filter(|one| one.ab_test_id() == Some(test));
        let found = tested.find(|one| one.kind() == usual.kind() && one.setting() == usual.setting())?;
        found.is_for(&project).then(|| found.name())
    }

    fn find_worker(&self, shop: &Shop, name: &str) -> Option<(Arc<Vec<IndexWorker>>, usize)> {
        let all = Arc::clone(self.projects.read().get(&shop.key)?);
        let position = all.iter().position(|kept| kept.searchable.name() == name)?;
        Some((all, position))
    }

    fn create_workers(&self, shop: &Shop) -> ApiResult<Arc<Vec<IndexWorker>>> {
        let kept = self.searchables.iter().map(|searchable| IndexWorker::new(shop, Arc::clone(searchable)));
        let kept = Arc::new(kept.collect::<ApiResult<Vec<_>>>()?);
        self.projects.write().insert(shop.key.clone(), Arc::clone(&kept));
        Ok(kept)
    }
}

impl SearchHandle {
    /// Searches the index. Blocks the thread. Fails with 400 if the request is too expensive, with 503 if the server of
    /// the index is unreachable, and otherwise with an internal error.
    pub fn search(&self, request: &IndexRequest) -> ApiResult<SearchResult> {
        self.index.search(request).map_err(|error| index_failure(&error))
    }
}

impl BackgroundService for Searches {
    fn start(&self, shop: &Arc<Shop>) -> JoinHandle<()> {
        let kept = self.create_workers(shop);
        let (place, permits, shop) = (Arc::clone(&self.place), Arc::clone(&self.permits), Arc::clone(shop));
        let project = shop.key.clone();
        spawn_restarting(Some(&project), "indexing", move || match kept.clone() {
            Ok(kept) => {
                Box::pin(run_indexing(kept, Arc::clone(&place), Arc::clone(&permits), Arc::clone(&shop)))
            }
            Err(error) => {
                tracing::error!(project = %shop.key, %error, "could not supervise the index workers");
                Box::pin(std::future::ready(()))
            }
        })
    }

    fn delete_data(&self, key: &str) {
        self.projects.write().remove(key);
        self.place.forget(key);
    }

    fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let Some(all) = self.projects.read().get(&shop.key).cloned() else { return Ok(()) };
            let target = shop.storage().last_seq().map_err(storage_failure)?;
            for position in 0..all.len() {
                while let Some(kept) = all.get(position)
                    && search_usage::is_wanted(shop, &*kept.searchable)
                {
                    if kept.usage.is_idle(shop, &*kept.searchable)? {
                        search_usage::turn_off(shop, &*kept.searchable).await?;
                        continue;
                    }
                    if !step(&all, position, &self.place, &self.permits, shop).await? {
                        if has_reached(&all, position, target).await? {
                            break;
                        }
                        tokio::time::sleep(SETTLE_PERIOD).await;
                    }
                }
            }
            Ok(())
        })
    }

    fn expire<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            let Some(all) = self.projects.read().get(&shop.key).cloned() else { return Ok(()) };
            for kept in all.iter() {
                // Repeats if the Project was changed concurrently.
                while search_usage::is_wanted(shop, &*kept.searchable)
                    && kept.usage.is_idle(shop, &*kept.searchable)?
                {
                    search_usage::turn_off(shop, &*kept.searchable).await?;
                }
            }
            Ok(())
        })
    }
}

/// The task of one shop: maintains its indexes until the shop is closed.
async fn run_indexing(
    kept: Arc<Vec<IndexWorker>>,
    place: Arc<dyn IndexStore>,
    permits: Arc<Semaphore>,
    shop: Arc<Shop>,
) {
    let mut changes = shop.storage().subscribe();
    loop {
        let (began, mut pause) = (Instant::now(), None);
        for position in 0..kept.len() {
            match step_of(&kept, position, &place, &permits, &shop).await {
                Ok(true) => pause = Some(Duration::ZERO),
                Ok(false) => {}
                // The client of the search server logs this once.
                Err(error) if error.code() == Code::OverCapacity => pause = Some(RETRY_PERIOD),
                Err(error) => {
                    let (search, bug) =
                        (kept[position].searchable.name(), error.broken().map(tracing::field::display));
                    tracing::error!(project = %shop.key, search, %error, bug, "indexing failed");
                    pause = Some(RETRY_PERIOD);
                }
            }
        }
        if pause.is_some_and(|pause| pause.is_zero()) {
            tokio::task::yield_now().await;
            continue;
        }
        tokio::time::sleep(pause.unwrap_or_else(|| collect_duration(began.elapsed()))).await;
        // Continues after a change or after a second. No sender: the shop is closing.
        if let Ok(Err(_)) = tokio::time::timeout(PERIOD, changes.changed()).await {
            return;
        }
    }
}

/// Returns for how long changes are collected after a round that took `taken`.
fn collect_duration(taken: Duration) -> Duration {
    (taken * COLLECTED_BY_TAKEN).clamp(COLLECTED, COLLECTED_MAX)
}

/// Does one step of the work on one index. Turns the search off first if it is unused; of several servers, the keeper
/// does.
async fn step_of(
    all: &Arc<Vec<IndexWorker>>,
    position: usize,
    place: &Arc<dyn IndexStore>,
    permits: &Arc<Semaphore>,
    shop: &Arc<Shop>,
) -> ApiResult<bool> {
    let kept = &all[position];
    if kept.is_inactive(shop) {
        return Ok(false);
    }
    // The fields and entries of an index follow from the settings, too.
    shop.catch_up().await?;
    if search_usage::is_wanted(shop, &*kept.searchable)
        && shop.storage().is_keeper()
        && kept.usage.is_idle(shop, &*kept.searchable)?
    {
        search_usage::turn_off(shop, &*kept.searchable).await?;
    }
    step(all, position, place, permits, shop).await
}

async fn step(
    all: &Arc<Vec<IndexWorker>>,
    position: usize,
    place: &Arc<dyn IndexStore>,
    permits: &Arc<Semaphore>,
    shop: &Arc<Shop>,
) -> ApiResult<bool> {
    let _permit = permits.acquire().await.map_err(|_| ApiError::bug("the turns of indexing are over"))?;
    let (all, place, shop) = (Arc::clone(all), Arc::clone(place), Arc::clone(shop));
    spawn_blocking(move || catch_panic(|| all[position].step(&shop, &*place))?).await.map_err(join_error)?
}

async fn has_reached(all: &Arc<Vec<IndexWorker>>, position: usize, target: Seq) -> ApiResult<bool> {
    let all = Arc::clone(all);
    spawn_blocking(move || all[position].has_reached(target)).await.map_err(join_error)
}

#[track_caller]
fn join_error(error: JoinError) -> ApiError {
    ApiError::bug(format!("work on an index ended early: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collects_changes_for_longer_after_slow_batches() {
        let after = |ms| collect_duration(Duration::from_millis(ms)).as_millis();
        assert_eq!([after(0), after(25), after(100), after(5_000)], [50, 50, 200, 500]);
    }
}
