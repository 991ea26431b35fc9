//! The queue of Import Operations of one running project, and its worker. Start at [`OperationQueue::run`].
//!
//! The worker takes operations in the order of their arrival. Operations on one document run one after the other,
//! others in parallel. An operation with missing references waits until they exist: the worker reads in the change
//! log which documents were written. So the cost of a request depends on its content, and not on the number of
//! waiting operations.
//!
//! Of several servers over a database, only the keeper has a queue. It finds the operations that others have accepted
//! in the change log, so a crash of any server leaves none behind.

mod wake_ups;

use crate::limits::{ATTEMPTS_MAX, BATCH_MAX, PARALLEL};
use crate::operation::{self, OperationWork};
use crate::outcome::{ImportFailure, MissingReference, OperationOutcome};
use crate::{container, resource};
use futures_util::StreamExt as _;
use kontor_engine::{Document, Shop, storage_failure};
use kontor_errors::{ApiError, ApiResult, Code, catch_panic_of};
use kontor_model::ImportType;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How often waiting operations are checked without a wake-up.
const LOOK_PERIOD: Duration = Duration::from_secs(1);
/// How often expired containers and operations are deleted, in multiples of [`LOOK_PERIOD`].
const SWEEP_LOOKS: u32 = 60;
/// Maximum number of entries of the change log read at once.
const CHANGES_READ: usize = 4096;
/// The backoff after a conflict with another request, multiplied by the number of the attempt.
const PAUSE: Duration = Duration::from_millis(50);

/// The unfinished operations of a project.
#[derive(Default)]
pub(crate) struct OperationQueue {
    state: Mutex<OperationQueueState>,
    /// Wakes the worker when operations are added.
    bell: Notify,
    /// Held while the worker runs: there is one at a time.
    worker_lock: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct OperationQueueState {
    /// Ids of operations to process, the oldest first.
    ready: VecDeque<String>,
    /// Ids of waiting operations, by the missing reference that they wait for.
    waiting: HashMap<MissingReference, HashSet<String>>,
    /// Ids of the operations whose Products wait for their first product variant, by the Product.
    unfinished: HashMap<MissingReference, String>,
    /// The epoch of the storage when this state was read. With another epoch, the storage has other content; `None`:
    /// the state must be read.
    epoch: Option<u64>,
    /// The last entry of the change log that was checked for missing references and for operations of other servers.
    seen: u64,
    /// When operations were last woken that wait for a part of a document (e.g. a product variant).
    looked_at: Option<Instant>,
    /// Whether any document has changed since then.
    is_changed: bool,
}

/// How often operations are woken that wait for a part of a document: every changed document may contain it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WakePolicy {
    /// After every change.
    Each,
    /// At most once in a [`LOOK_PERIOD`].
    SomeTimes,
}

impl OperationQueue {
    /// Adds operations that were accepted by this server.
    pub(crate) fn add(&self, ids: Vec<String>, shop: &Shop) {
        // On a shared database, the keeper reads them in the change log.
        if !shop.storage().is_shared() {
            self.state.lock().ready.extend(ids);
        }
        self.bell.notify_one();
    }

    /// Runs the worker as long as the project runs.
    pub(crate) async fn run(self: Arc<Self>, shop: Arc<Shop>) {
        let mut periods = 0;
        // After a panic, operations may have been taken out of the queue.
        self.state.lock().epoch = None;
        loop {
            if let Err(error) = self.work(&shop, WakePolicy::SomeTimes).await {
                tracing::error!(project = %shop.key, %error, "import operations could not be processed");
                tokio::time::sleep(LOOK_PERIOD).await;
            }
            if tokio::time::timeout(LOOK_PERIOD, self.bell.notified()).await.is_err() {
                periods += 1;
            }
            if periods >= SWEEP_LOOKS {
                periods = 0;
                if let Err(error) = sweep(&shop).await {
                    tracing::error!(project = %shop.key, %error, "expired import operations could not be deleted");
                }
            }
        }
    }

    /// Processes operations until the rest waits for missing references.
    pub(crate) async fn work_off(&self, shop: &Shop) -> ApiResult<()> {
        self.work(shop, WakePolicy::Each).await
    }

    async fn work(&self, shop: &Shop, looks: WakePolicy) -> ApiResult<()> {
        let _worker_guard = self.worker_lock.lock().await;
        while self.reload_if_replaced(shop)? {
            let batch = self.take_batch();
            if batch.is_empty() {
                if self.wake(shop, looks)? {
                    continue;
                }
                return Ok(());
            }
            if let Err(error) = self.process_batch(shop, &batch).await {
                // Operations that are finished already are skipped then.
                let mut state = self.state.lock();
                batch.into_iter().rev().for_each(|id| state.ready.push_front(id));
                return Err(error);
            }
        }
        Ok(())
    }

    /// Processes operations: those on one document one after the other, others in parallel. Fails if the storage is
    /// out of reach or full.
    async fn process_batch(&self, shop: &Shop, batch: &[String]) -> ApiResult<()> {
        // Other servers may have changed e.g. Subscriptions.
        shop.catch_up().await?;
        let mut lanes: Vec<(MissingReference, Vec<OperationWork>)> = Vec::new();
        let mut places: HashMap<MissingReference, usize> = HashMap::new();
        for id in batch {
            let read = operation::work(shop, id).or_else(|error| skipped(shop, id, error))?;
            let Some(work) = read else { continue };
            let lane = resource::lane(&work);
            let place = *places.entry(lane.clone()).or_insert_with(|| {
                lanes.push((lane, Vec::new()));
                lanes.len() - 1
            });
            lanes[place].1.push(work);
        }
        let results: Vec<ApiResult<()>> = futures_util::stream::iter(lanes)
            .map(|(_, works)| async move {
                for work in works {
                    let id = work.id.clone();
                    self.process(shop, work).await.or_else(|error| skipped(shop, &id, error))?;
                }
                Ok(())
            })
            .buffer_unordered(PARALLEL)
            .collect()
            .await;
        results.into_iter().collect()
    }

    fn take_batch(&self) -> Vec<String> {
        let mut state = self.state.lock();
        let count = state.ready.len().min(BATCH_MAX);
        let mut taken: Vec<String> = state.ready.drain(..count).collect();
        // An operation that was woken twice is processed once.
        let mut seen = HashSet::new();
        taken.retain(|id| seen.insert(id.clone()));
        taken
    }

    /// Reads the unfinished operations from the storage, if its content was replaced or this process has just become
    /// the keeper of the project. Returns false if another process is the keeper.
    fn reload_if_replaced(&self, shop: &Shop) -> ApiResult<bool> {
        if !shop.storage().is_keeper() {
            *self.state.lock() = OperationQueueState::default();
            return Ok(false);
        }
        let epoch = shop.storage().epoch().map_err(storage_failure)?;
        if self.state.lock().epoch == Some(epoch) {
            return Ok(true);
        }
        // Read before the operations, so that no change in between is missed.
        let seen = shop.storage().last_seq().map_err(storage_failure)?;
        let mut ready: VecDeque<String> = operation::open(shop)?.into();
        let mut state = self.state.lock();
        // A request may have added operations after the others were read.
        let known: HashSet<&String> = ready.iter().collect();
        let added: Vec<String> = state.ready.iter().filter(|id| !known.contains(id)).cloned().collect();
        ready.extend(added);
        *state = OperationQueueState { ready, epoch: Some(epoch), seen, ..OperationQueueState::default() };
        Ok(true)
    }

    /// Processes one operation and stores the result.
    async fn process(&self, shop: &Shop, work: OperationWork) -> ApiResult<()> {
        let Some(import) = import_of(shop, &work) else {
            let error = ApiError::bug(format!("nothing imports resources of type {}", work.type_name));
            return operation::store_outcome(shop, &work, &ImportFailure::Refused(error).outcome()).await;
        };
        let whole = resource::completes(&work);
        let waiting = whole.as_ref().map(|whole| self.unfinished(shop, whole)).transpose()?.flatten();
        let draft = waiting.as_ref().map(|(_, draft)| draft);
        let outcome = import_with_retries(shop, import, &work, draft).await;
        let (project, state) = (shop.key.clone(), outcome.state());
        metrics::counter!("kontor_import_operations_total", "project" => project, "state" => state.as_str())
            .increment(1);
        operation::store_outcome(shop, &work, &outcome).await?;
        match &outcome {
            OperationOutcome::Unresolved(missing) => {
                let mut state = self.state.lock();
                for one in missing {
                    state.waiting.entry(one.clone()).or_default().insert(work.id.clone());
                }
            }
            OperationOutcome::WaitForMasterVariant => {
                let own = resource::imported_resource(&work);
                self.state.lock().unfinished.insert(own.clone(), work.id.clone());
                // Variants of the Product that wait for it may contain what it needs.
                self.wake_waiting_for(&own);
            }
            OperationOutcome::Imported(version) => {
                if let (Some((waited, _)), Some(whole)) = (waiting, whole) {
                    self.state.lock().unfinished.remove(&whole);
                    operation::store_outcome(shop, &waited, &OperationOutcome::Imported(*version)).await?;
                    self.wake_waiting_for(&whole);
                }
                self.wake_waiting_for(&resource::imported_resource(&work));
            }
            OperationOutcome::ValidationFailed(_) | OperationOutcome::Rejected(_) => {}
        }
        Ok(())
    }

    /// Returns the operation of a Product that waits for its first product variant, with its draft.
    fn unfinished(
        &self,
        shop: &Shop,
        whole: &MissingReference,
    ) -> ApiResult<Option<(OperationWork, Document)>> {
        let id = self.state.lock().unfinished.get(whole).cloned();
        let Some(work) = id.map(|id| operation::work(shop, &id)).transpose()?.flatten() else {
            return Ok(None);
        };
        let draft = resource::draft_of(shop, &work).ok();
        Ok(draft.map(|draft| (work, draft)))
    }
}

/// Skips an operation after an error, e.g. because it is damaged, so that the others are processed. Fails if an attempt
/// may succeed later.
fn skipped<T: Default>(shop: &Shop, id: &str, error: ApiError) -> ApiResult<T> {
    if error.code() == Code::OverCapacity {
        return Err(error);
    }
    let bug = error.broken().map(tracing::field::display);
    tracing::error!(project = %shop.key, operation = id, %error, bug, "an import operation was skipped");
    Ok(T::default())
}

/// Imports a resource, and retries after conflicts and server errors.
async fn import_with_retries(
    shop: &Shop,
    import: &ImportType,
    work: &OperationWork,
    waiting: Option<&Document>,
) -> OperationOutcome {
    let mut attempt = 1;
    loop {
        let bringing = Box::pin(resource::import_resource(shop, import, work, waiting));
        let brought = catch_panic_of(bringing).await.unwrap_or_else(|panicked| {
            let bug = panicked.broken().map(tracing::field::display);
            tracing::error!(project = %shop.key, operation = work.id, bug, "an import panicked");
            Err(ImportFailure::Refused(panicked))
        });
        match brought {
            Ok(version) => return OperationOutcome::Imported(version),
            Err(stopped) if stopped.is_retryable() && attempt < ATTEMPTS_MAX => {
                tokio::time::sleep(PAUSE * attempt).await;
                attempt += 1;
            }
            Err(stopped) => return stopped.outcome(),
        }
    }
}

/// Deletes expired containers and operations.
pub(crate) async fn sweep(shop: &Shop) -> ApiResult<()> {
    container::sweep(shop).await?;
    operation::sweep(shop).await
}

fn import_of<'s>(shop: &'s Shop, work: &OperationWork) -> Option<&'s ImportType> {
    shop.model().imports().iter().find(|import| import.type_name == work.type_name)
}
