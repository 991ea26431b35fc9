//! The worker that delivers notifications to one Subscription. Start at [`SubscriptionWorker::run`].
//!
//! Notifications stay in the storage until they are delivered. Those about the same resource are delivered in order,
//! others in parallel. Failures are retried with exponential backoff, for 48 hours by the project's clock; after that
//! nothing more is delivered until the destination is changed (reference type `SubscriptionHealthStatus`).

use crate::SUBSCRIPTION;
use crate::delivered_names::{DeliveredNames, DeliveredNotification};
use crate::delivery_failure::DeliveryFailure;
use crate::delivery_record::DeliveryRecord;
use crate::destination::{bytes_max, deliver};
use crate::event_metrics::{DELIVERED, DELIVERY_FAILURES, DELIVERY_SECONDS, LAG_SECONDS};
use crate::payload::{Origin, Payload};
use jiff::{SignedDuration, Timestamp};
use kontor_engine::document::{must_get, text};
use kontor_engine::{Document, Notification, RETRY_PERIOD, Shop, storage_failure};
use kontor_enums::SubscriptionHealthStatus;
use kontor_errors::{ApiError, ApiResult};
use kontor_json::{Value, json};
use kontor_outbound::Outbound;
use metrics::{Counter, Histogram};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, spawn_blocking};

/// Deliveries have stopped.
const STOPPED: &str = SubscriptionHealthStatus::ConfigurationErrorDeliveryStopped.as_str();
/// Maximum time of retries of a notification, in hours.
const TRIED_HOURS_MAX: i64 = 48;
/// Maximum number of changes whose notifications are read, and later deleted, in one round.
const READ_AT_ONCE: usize = 256;
/// Maximum number of concurrent requests to one destination.
const REQUESTS_AT_ONCE: usize = 16;
/// Timeout of one request to a destination.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The backoff after the first failure. It doubles with each further failure.
const RETRY_MS_MIN: i64 = 1_000;
/// The longest backoff.
const RETRY_MS_MAX: i64 = 5 * 60 * 1_000;
/// Poll interval, in case a wake-up was missed.
pub(crate) const UNRUNG_PERIOD: Duration = Duration::from_secs(1);
/// How often the delivered notifications are recorded while others are being sent: after a crash, those of this
/// period are sent again.
const KEEP_PERIOD: Duration = Duration::from_secs(1);
/// How long running requests may take at shutdown.
const END_TIMEOUT: Duration = Duration::from_secs(4);
/// How often the project's clock is read during a backoff.
const CLOCK_PERIOD: Duration = Duration::from_millis(500);

/// The state of a worker that other tasks can see.
#[derive(Default)]
pub(crate) struct DeliveryProgress {
    /// The time of the next retry; `None` unless it waits after a failure.
    retry_at: Mutex<Option<Timestamp>>,
    /// Wakes the worker so that it reads the clock.
    pub(crate) look: Notify,
}

impl DeliveryProgress {
    /// Whether it waits for a retry that is still in the future.
    pub(crate) fn is_waiting(&self, now: Timestamp) -> bool {
        self.retry_at.lock().is_some_and(|at| now < at)
    }
}

/// Delivers notifications to one Subscription.
pub(crate) struct SubscriptionWorker {
    pub(crate) shop: Arc<Shop>,
    /// The id of the Subscription.
    pub(crate) id: String,
    pub(crate) outbound: Outbound,
    pub(crate) progress: Arc<DeliveryProgress>,
    /// Delivered notifications whose documents contain others that are not delivered yet.
    pub(crate) received: DeliveredNames,
    /// The failed attempts of each notification that is not delivered yet, by name.
    pub(crate) failed_attempts: Arc<Mutex<HashMap<String, u32>>>,
    /// True when the process shuts down.
    pub(crate) ending: watch::Receiver<bool>,
}

/// The result of a round.
enum DeliveryRoundResult {
    /// There was nothing to deliver.
    Nothing,
    Delivered,
    Failed,
}

/// The work of a round.
struct RoundWork {
    /// The notifications to send, grouped by their subject.
    left: VecDeque<Vec<Notification>>,
    received: Vec<DeliveredNotification>,
    failed: Option<DeliveryFailure>,
    /// Whether no more requests are started.
    is_ending: bool,
}

/// The running deliveries of a round.
struct RunningDeliveries {
    work: Arc<Mutex<RoundWork>>,
    senders: JoinSet<()>,
}

/// Returns the ids of the documents that contain the notifications, each once.
pub(crate) fn documents_of(all: &[Notification]) -> Vec<String> {
    let documents: HashSet<&String> = all.iter().map(|notification| &notification.kept_in).collect();
    documents.into_iter().cloned().collect()
}

/// Waits for the shutdown of the process.
pub(crate) async fn wait_for_shutdown(ending: &mut watch::Receiver<bool>) {
    // An error means that the sender was dropped, which is a shutdown too.
    let _ = ending.wait_for(|is_ending| *is_ending).await;
}

/// Sets the lag metric of a deleted Subscription to zero.
pub(crate) fn reset_lag(project: &str, id: &str) {
    let labels = [("project", project.to_owned()), ("subscription", id.to_owned())];
    metrics::gauge!(LAG_SECONDS, &labels).set(0.0);
}

/// The destination of a Subscription with its settings of one round.
struct DeliveryTarget {
    outbound: Outbound,
    destination: Value,
    is_cloud_event: bool,
    bytes_max: usize,
    shop: Arc<Shop>,
    /// The id of the Subscription, and its destination without secrets.
    id: String,
    shown_destination: Value,
    failed_attempts: Arc<Mutex<HashMap<String, u32>>>,
    delivered: Counter,
    failures: Counter,
    seconds: Histogram,
}

impl SubscriptionWorker {
    /// Delivers until the process shuts down.
    pub(crate) async fn run(mut self) {
        let mut telling = self.shop.new_notifications();
        let mut failures = 0;
        let mut ending = self.ending.clone();
        while let Err(error) = self.read_received().await {
            tracing::error!(project = %self.shop.key, subscription = self.id, %error, "notifications cannot be read");
            tokio::time::sleep(RETRY_PERIOD).await;
        }
        while !*ending.borrow() {
            telling.borrow_and_update();
            let round = self.round().await;
            let next = async {
                match round {
                    Ok(DeliveryRoundResult::Delivered) => failures = 0,
                    Ok(DeliveryRoundResult::Nothing) => {
                        let rung = tokio::time::timeout(UNRUNG_PERIOD, telling.changed());
                        tokio::select! {
                            _ = rung => {}
                            () = self.progress.look.notified() => {}
                        }
                    }
                    Ok(DeliveryRoundResult::Failed) => {
                        self.wait(failures).await;
                        failures += 1;
                    }
                    Err(error) => {
                        tracing::error!(project = %self.shop.key, subscription = self.id, %error, "notifications cannot be read");
                        tokio::time::sleep(RETRY_PERIOD).await;
                    }
                }
            };
            tokio::select! {
                () = next => {}
                () = wait_for_shutdown(&mut ending) => {}
            }
        }
    }

    async fn read_received(&mut self) -> ApiResult<()> {
        let (shop, id) = (Arc::clone(&self.shop), self.id.clone());
        let read = spawn_blocking(move || DeliveredNames::read(&shop, &id)).await;
        self.received =
            read.map_err(|error| ApiError::bug(format!("reading notifications ended early: {error}")))??;
        Ok(())
    }

    fn subscription(&self) -> ApiResult<Option<Arc<Document>>> {
        let all = self.shop.resident_documents(SUBSCRIPTION)?;
        Ok(all.iter().find(|document| text(document, &["id"]) == Some(&self.id)).cloned())
    }

    /// Waits for the time of the next retry, by the project's clock, or until the Subscription changes.
    async fn wait(&self, failures: u32) {
        let version =
            || self.subscription().ok()?.and_then(|subscription| subscription.get("version").cloned());
        let failed_at = version();
        let wait = RETRY_MS_MIN.saturating_mul(2_i64.saturating_pow(failures)).min(RETRY_MS_MAX);
        let now = self.shop.clock.now();
        let at = now.checked_add(SignedDuration::from_millis(wait)).unwrap_or(now);
        *self.progress.retry_at.lock() = Some(at);
        while self.shop.clock.now() < at && version() == failed_at {
            let left = at.duration_since(self.shop.clock.now()).unsigned_abs();
            tokio::select! {
                () = tokio::time::sleep(left.min(CLOCK_PERIOD)) => {}
                () = self.progress.look.notified() => {}
            }
        }
        *self.progress.retry_at.lock() = None;
    }

    /// Delivers the waiting notifications, of at most [`READ_AT_ONCE`] changes.
    async fn round(&mut self) -> ApiResult<DeliveryRoundResult> {
        let labels = [("project", self.shop.key.clone()), ("subscription", self.id.clone())];
        let (shop, id, received) = (Arc::clone(&self.shop), self.id.clone(), self.received.names());
        let (all, kept) = spawn_blocking(move || {
            let all = shop.notifications(&id, READ_AT_ONCE, &received)?;
            if !all.is_empty() {
                // Another server may have changed the Subscription.
                shop.catch_up_blocking()?;
            }
            let kept = shop.storage().setting(&format!("{SUBSCRIPTION}/{id}/destination"));
            Ok::<_, ApiError>((all, kept.map_err(storage_failure)?))
        })
        .await
        .map_err(|error| ApiError::bug(format!("reading notifications ended early: {error}")))??;
        let Some(oldest) = all.first().map(|oldest| oldest.at.clone()) else {
            metrics::gauge!(LAG_SECONDS, &labels).set(0.0);
            return Ok(DeliveryRoundResult::Nothing);
        };
        let Some(subscription) = self.subscription()? else { return Ok(DeliveryRoundResult::Nothing) };
        let status = text(&subscription, &["status"]).unwrap_or(SubscriptionHealthStatus::Healthy.as_str());
        if status == STOPPED {
            // These notifications were written before the Subscription was stopped: they are dropped.
            self.shop.delete_delivered(&documents_of(&all), None).await?;
            self.failed_attempts.lock().clear();
            return Ok(DeliveryRoundResult::Delivered);
        }
        metrics::gauge!(LAG_SECONDS, &labels).set(self.age(&oldest).as_secs_f64());
        // The destination with its secrets is stored separately from the masked one in the document.
        let whole = kept.and_then(|kept| kontor_json::from_str(&kept).ok());
        let shown_destination = must_get(&subscription, &["destination"])?.clone();
        let destination = whole.unwrap_or_else(|| shown_destination.clone());
        let receiver = Arc::new(DeliveryTarget {
            outbound: self.outbound.clone(),
            bytes_max: bytes_max(&destination),
            destination,
            is_cloud_event: text(&subscription, &["format", "type"]) == Some("CloudEvents"),
            shop: Arc::clone(&self.shop),
            id: self.id.clone(),
            shown_destination,
            failed_attempts: Arc::clone(&self.failed_attempts),
            delivered: metrics::counter!(DELIVERED, &labels),
            failures: metrics::counter!(DELIVERY_FAILURES, &labels),
            seconds: metrics::histogram!(DELIVERY_SECONDS, &labels),
        });
        let mut left = HashMap::new();
        for notification in &all {
            *left.entry(notification.kept_in.clone()).or_default() += 1;
        }
        let failed = self.deliver_all(&receiver, all, &mut left).await?;
        if failed.is_none() {
            self.set_status(status, SubscriptionHealthStatus::Healthy.as_str()).await?;
        }
        match failed {
            None => Ok(DeliveryRoundResult::Delivered),
            Some(why) => self.record_failure(&why, status, &oldest).await,
        }
    }

    /// Sends notifications until all are delivered, one fails, or the process shuts down. Records deliveries while
    /// others are running. Returns the failure, if there was one.
    async fn deliver_all(
        &mut self,
        receiver: &Arc<DeliveryTarget>,
        all: Vec<Notification>,
        left: &mut HashMap<String, usize>,
    ) -> ApiResult<Option<DeliveryFailure>> {
        let mut sending = receiver.send_all(all);
        let mut ending = self.ending.clone();
        let mut end_at = None;
        let mut keep = tokio::time::interval_at((Instant::now() + KEEP_PERIOD).into(), KEEP_PERIOD);
        loop {
            tokio::select! {
                done = sending.senders.join_next() => match done {
                    None => break,
                    Some(Ok(())) => {}
                    Some(Err(error)) => {
                        let why = format!("a delivery ended early: {error}");
                        sending.work.lock().failed.get_or_insert(DeliveryFailure::Temporary(why));
                    }
                },
                _ = keep.tick() => {
                    let received = std::mem::take(&mut sending.work.lock().received);
                    self.received.record_deliveries(left, received, &self.shop, &self.id).await?;
                }
                () = wait_for_shutdown(&mut ending), if end_at.is_none() => {
                    // Running requests may finish; no new ones are started.
                    sending.work.lock().is_ending = true;
                    end_at = Some(tokio::time::Instant::now() + END_TIMEOUT);
                }
                () = tokio::time::sleep_until(end_at.unwrap_or_else(tokio::time::Instant::now)), if end_at.is_some() => {
                    tracing::warn!(
                        project = %self.shop.key, subscription = self.id,
                        "the destination has not responded at shutdown: running deliveries are sent again"
                    );
                    break;
                }
            }
        }
        let (received, failed) = {
            let mut work = sending.work.lock();
            (std::mem::take(&mut work.received), work.failed.take())
        };
        self.received.record_deliveries(left, received, &self.shop, &self.id).await?;
        Ok(failed)
    }

    /// Records a failure in the status of the Subscription, and stops deliveries if they have failed for too long.
    async fn record_failure(
        &self,
        why: &DeliveryFailure,
        status: &str,
        oldest: &str,
    ) -> ApiResult<DeliveryRoundResult> {
        let (project, why_not) = (&self.shop.key, why.reason());
        tracing::warn!(project, subscription = self.id, why = why_not, "a notification was not delivered");
        if self.age(oldest) < SignedDuration::from_hours(TRIED_HOURS_MAX) {
            self.set_status(status, why.status()).await?;
            return Ok(DeliveryRoundResult::Failed);
        }
        tracing::error!(
            project,
            subscription = self.id,
            "nothing was delivered for {TRIED_HOURS_MAX} hours: deliveries stop until the destination is changed"
        );
        self.set_status(status, STOPPED).await?;
        Ok(DeliveryRoundResult::Delivered)
    }

    fn age(&self, at: &str) -> SignedDuration {
        let now = self.shop.clock.now();
        at.parse::<Timestamp>()
            .map_or(SignedDuration::ZERO, |at| now.duration_since(at))
            .max(SignedDuration::ZERO)
    }

    async fn set_status(&self, status: &str, now: &str) -> ApiResult<()> {
        let Some(kind) = self.shop.model().kind_by_type_id(SUBSCRIPTION).filter(|_| status != now) else {
            return Ok(());
        };
        self.shop.write_status(kind, &self.id, "status", json!(now)).await
    }
}

impl DeliveryTarget {
    /// Starts the senders: notifications about the same subject are sent in order, others in parallel.
    fn send_all(self: &Arc<Self>, all: Vec<Notification>) -> RunningDeliveries {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut left: VecDeque<Vec<Notification>> = VecDeque::new();
        for notification in all {
            let place = *places.entry(notification.document_id.clone()).or_insert(left.len());
            match left.get_mut(place) {
                Some(same) => same.push(notification),
                None => left.push_back(vec![notification]),
            }
        }
        let at_once = left.len().min(REQUESTS_AT_ONCE);
        let work = RoundWork { left, received: Vec::new(), failed: None, is_ending: false };
        let work = Arc::new(Mutex::new(work));
        let mut senders = JoinSet::new();
        for _ in 0..at_once {
            let (receiver, work) = (Arc::clone(self), Arc::clone(&work));
            senders.spawn(async move { receiver.send_queued(&work).await });
        }
        RunningDeliveries { work, senders }
    }

    async fn send_queued(&self, work: &Mutex<RoundWork>) {
        loop {
            let next = {
                let mut work = work.lock();
                if work.failed.is_some() { None } else { work.left.pop_front() }
            };
            let Some(same) = next else { return };
            for notification in same {
                if work.lock().is_ending {
                    return;
                }
                match self.deliver(&notification).await {
                    Ok(()) => {
                        let Notification { kept_in, name, .. } = notification;
                        work.lock().received.push(DeliveredNotification { kept_in, name });
                    }
                    Err(why) => {
                        work.lock().failed.get_or_insert(why);
                        return;
                    }
                }
            }
        }
    }

    async fn deliver(&self, notification: &Notification) -> Result<(), DeliveryFailure> {
        let origin = Origin { project_key: &self.shop.key, model: self.shop.model() };
        for (position, body) in notification.bodies.iter().enumerate() {
            let name = format!("{}-{position}", notification.name);
            let payload =
                Payload::from_notification(body, &name, self.is_cloud_event, self.bytes_max, origin);
            let mut record = DeliveryRecord::start(SUBSCRIPTION, &self.id, &self.shown_destination);
            let failed = self.failed_attempts.lock().get(&name).copied().unwrap_or_default();
            record.attempts = failed.saturating_add(1);
            let (started, mut received) = (Instant::now(), None);
            let delivered =
                deliver(&self.outbound, &self.destination, &payload, TIMEOUT, &mut received).await;
            let error = delivered.as_ref().err().map(|why| why.reason().to_owned());
            let sent = (&*payload.body, body);
            record.finish(&self.outbound, &self.shop.key, sent, received.as_ref(), error);
            let mut failed_attempts = self.failed_attempts.lock();
            match &delivered {
                Ok(()) => failed_attempts.remove(&name),
                Err(_) => failed_attempts.insert(name, failed.saturating_add(1)),
            };
            drop(failed_attempts);
            if delivered.is_err() {
                self.failures.increment(1);
                return delivered;
            }
            self.seconds.record(started.elapsed().as_secs_f64());
            self.delivered.increment(1);
        }
        Ok(())
    }
}
