//! The background service that delivers to the Subscriptions of all running projects: it starts and stops a worker
//! ([`SubscriptionWorker`]) for each Subscription.

use crate::SUBSCRIPTION;
use crate::delivered_names::{self, DeliveredNames};
use crate::subscription_worker::{self, DeliveryProgress, SubscriptionWorker, UNRUNG_PERIOD};
use futures_util::future::BoxFuture;
use kontor_engine::document::text;
use kontor_engine::{AllOfKind, BackgroundService, RETRY_PERIOD, Shop, spawn_restarting};
use kontor_errors::{ApiError, ApiResult};
use kontor_outbound::Outbound;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle, JoinSet, spawn_blocking};

/// Poll interval of [`Subscriptions::settle`].
const FOLLOWING_PERIOD: Duration = Duration::from_millis(3);
/// Maximum number of changes whose notifications to a deleted Subscription are deleted at once.
const FORGOTTEN_AT_ONCE: usize = 256;
/// How long workers may take at shutdown: to finish running requests, and to record deliveries.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// The background service that delivers notifications for all projects of a server.
pub struct Subscriptions {
    /// `None`: nothing is delivered; notifications wait in the storage.
    outbound: Option<Outbound>,
    progress: Arc<AllProgress>,
    /// Becomes true at shutdown. Each worker has a receiver for as long as it runs.
    ending: watch::Sender<bool>,
}

/// The state of all workers, by the keys of projects and the ids of Subscriptions.
type AllProgress = Mutex<HashMap<(String, String), Arc<DeliveryProgress>>>;

impl Subscriptions {
    /// Delivers through `outbound`; without it nothing is delivered, and nothing is lost.
    pub fn new(outbound: Option<Outbound>) -> Self {
        Self { outbound, progress: Arc::default(), ending: watch::Sender::new(false) }
    }

    fn progress(&self, project: &str, id: &str) -> Option<Arc<DeliveryProgress>> {
        self.progress.lock().get(&(project.to_owned(), id.to_owned())).cloned()
    }
}

impl BackgroundService for Subscriptions {
    fn start(&self, shop: &Arc<Shop>) -> JoinHandle<()> {
        let outbound = self.outbound.as_ref().map(|outbound| outbound.of_project(&shop.key));
        let (shop, progress) = (Arc::clone(shop), Arc::clone(&self.progress));
        let ending = self.ending.subscribe();
        let project = shop.key.clone();
        spawn_restarting(Some(&project), "deliveries", move || {
            let (outbound, shop, progress) = (outbound.clone(), Arc::clone(&shop), Arc::clone(&progress));
            let ending = ending.clone();
            Box::pin(async move {
                if let Some(outbound) = outbound {
                    run_workers(&shop, &outbound, &progress, ending).await;
                }
            })
        })
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.ending.send_replace(true);
            if tokio::time::timeout(END_TIMEOUT, self.ending.closed()).await.is_err() {
                tracing::warn!(
                    "the last deliveries of some Subscriptions could not be recorded: they are sent again"
                );
            }
        })
    }

    fn delete_data(&self, key: &str) {
        self.progress.lock().retain(|(project, _), _| project != key);
    }

    fn settle<'a>(&'a self, shop: &'a Arc<Shop>) -> BoxFuture<'a, ApiResult<()>> {
        Box::pin(async move {
            // If another process delivers, its progress is unknown here.
            while self.outbound.is_some() && shop.storage().is_keeper() {
                let mut is_settled = true;
                for id in undelivered_subscriptions(shop).await? {
                    let progress = self.progress(&shop.key, &id);
                    if let Some(progress) = &progress {
                        progress.look.notify_one();
                    }
                    is_settled &= progress.is_some_and(|progress| progress.is_waiting(shop.clock.now()));
                }
                if is_settled {
                    break;
                }
                tokio::time::sleep(FOLLOWING_PERIOD).await;
            }
            Ok(())
        })
    }
}

/// Returns the ids of Subscriptions with undelivered notifications.
async fn undelivered_subscriptions(shop: &Arc<Shop>) -> ApiResult<Vec<String>> {
    let shop = Arc::clone(shop);
    let read = spawn_blocking(move || shop.recipients_with_queue()).await;
    read.map_err(|error| ApiError::bug(format!("reading notifications ended early: {error}")))?
}

/// Runs a worker for each Subscription of a shop, until the process shuts down.
async fn run_workers(
    shop: &Arc<Shop>,
    outbound: &Outbound,
    progress: &AllProgress,
    mut ending: watch::Receiver<bool>,
) {
    let mut followers = JoinSet::new();
    let mut following: HashMap<String, AbortHandle> = HashMap::new();
    let mut changed = shop.resident_changes();
    let mut looks_for_left = true;
    loop {
        changed.borrow_and_update();
        let Some(all) = read_subscriptions(shop).await else {
            if *ending.borrow() {
                break;
            }
            continue;
        };
        let is_keeper = shop.storage().is_keeper();
        let mut ids: Vec<&str> = all.iter().filter_map(|subscription| text(subscription, &["id"])).collect();
        if !is_keeper {
            // Another process delivers.
            ids.clear();
        }
        while followers.try_join_next().is_some() {}
        following.retain(|id, follower| {
            let stands = ids.contains(&id.as_str());
            if !stands {
                follower.abort();
                looks_for_left = true;
                progress.lock().remove(&(shop.key.clone(), id.clone()));
                subscription_worker::reset_lag(&shop.key, id);
            }
            stands && !follower.is_finished()
        });
        for id in ids {
            following.entry(id.to_owned()).or_insert_with(|| {
                let mine = Arc::<DeliveryProgress>::default();
                progress.lock().insert((shop.key.clone(), id.to_owned()), Arc::clone(&mine));
                let follower = SubscriptionWorker {
                    shop: Arc::clone(shop),
                    id: id.to_owned(),
                    outbound: outbound.clone(),
                    progress: mine,
                    received: DeliveredNames::default(),
                    failed_attempts: Arc::default(),
                    ending: ending.clone(),
                };
                followers.spawn(follower.run())
            });
        }
        if looks_for_left && is_keeper {
            match delete_orphans(shop).await {
                Ok(()) => looks_for_left = false,
                Err(error) => {
                    tracing::error!(project = %shop.key, %error, "undeliverable notifications cannot be deleted");
                    tokio::time::sleep(RETRY_PERIOD).await;
                }
            }
        }
        // Polls also without a wake-up, in case one was missed.
        tokio::select! {
            _ = tokio::time::timeout(UNRUNG_PERIOD, changed.changed()) => {}
            () = subscription_worker::wait_for_shutdown(&mut ending) => break,
        }
    }
    while followers.join_next().await.is_some() {}
}

/// Returns the Subscriptions of a shop; `None` after a pause if they cannot be read.
async fn read_subscriptions(shop: &Shop) -> Option<AllOfKind> {
    match shop.resident_documents(SUBSCRIPTION) {
        Ok(all) => Some(all),
        Err(error) => {
            tracing::error!(project = %shop.key, %error, "the Subscriptions cannot be read");
            tokio::time::sleep(RETRY_PERIOD).await;
            None
        }
    }
}

/// Deletes the notifications to deleted Subscriptions.
async fn delete_orphans(shop: &Arc<Shop>) -> ApiResult<()> {
    for id in undelivered_subscriptions(shop).await? {
        let stands =
            |all: &AllOfKind| all.iter().any(|subscription| text(subscription, &["id"]) == Some(id.as_str()));
        loop {
            // Another server may have created the Subscription. It did so before it wrote the notifications.
            shop.catch_up().await?;
            if stands(&shop.resident_documents(SUBSCRIPTION)?) {
                break;
            }
            let left = shop.notifications(&id, FORGOTTEN_AT_ONCE, &HashSet::new())?;
            if left.is_empty() {
                break;
            }
            let note = delivered_names::delete_names(&id);
            shop.delete_delivered(&subscription_worker::documents_of(&left), Some(note)).await?;
        }
    }
    Ok(())
}
