//! The last attempts to deliver to each receiver, e.g. a webhook, for developers who look for the reason of a failure, and
//! for tests that have no receiver of their own.
//!
//! The log is in memory, and bounded in entries and in bytes. Each receiver has one ring of deliveries and one of failures:
//! neither a busy receiver nor its successes push out the failure that a developer looks for.

use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// How much a log keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryLogLimits {
    /// Deliveries of each receiver, and as many failures.
    pub of_receiver_max: usize,
    /// The beginning of each body that is kept, in bytes.
    pub body_bytes_max: usize,
    /// All deliveries of a project, in bytes.
    pub of_project_bytes_max: usize,
    /// All deliveries of all projects, in bytes. Projects have equal shares.
    pub total_bytes_max: usize,
}

/// The limits of servers.
pub const DELIVERY_LOG_LIMITS: DeliveryLogLimits = DeliveryLogLimits {
    of_receiver_max: 50,
    body_bytes_max: 16 * 1024,
    of_project_bytes_max: 4 * 1024 * 1024,
    total_bytes_max: 32 * 1024 * 1024,
};

/// The limits of servers with test controls: bodies of all notifications fit.
pub const DELIVERY_LOG_LIMITS_OF_TESTS: DeliveryLogLimits = DeliveryLogLimits {
    of_receiver_max: 500,
    body_bytes_max: 256 * 1024,
    of_project_bytes_max: 16 * 1024 * 1024,
    total_bytes_max: 128 * 1024 * 1024,
};

/// How many erasures are remembered, for attempts that are on their way.
const ERASED_KEPT_MAX: usize = 100;
/// The memory of an entry apart from its texts, in bytes.
const ENTRY_BYTES: usize = 512;

/// A resource by its type and id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResourceName {
    /// The `typeId`.
    pub type_id: String,
    /// The id.
    pub id: String,
}

/// An attempt to deliver.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveryAttempt {
    /// The resource that names the destination, e.g. a Subscription.
    pub receiver: ResourceName,
    /// The resource that the request is about; `None`: it is about none.
    pub resource: Option<ResourceName>,
    /// The address of the destination, without credentials.
    pub destination: String,
    /// When it began, in milliseconds since 1970, by the clock of the machine.
    pub at_ms: i64,
    /// How long it took.
    pub duration: Duration,
    /// Its number: 1 for the first attempt.
    pub attempts: u32,
    /// The status of the response; `None`: there was none.
    pub http_status: Option<u16>,
    /// Why it failed; `None` if it did not.
    pub error: Option<String>,
    /// The body of the request.
    pub request_body: KeptBody,
    /// The body of the response.
    pub response_body: Option<KeptBody>,
}

/// The beginning of a body, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptBody(pub String);

/// An attempt in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedDelivery {
    /// Its number among those of the process.
    pub number: u64,
    /// The attempt.
    pub attempt: DeliveryAttempt,
    bytes: usize,
}

/// The last attempts, by project.
#[derive(Debug)]
pub struct DeliveryLog {
    limits: DeliveryLogLimits,
    logged: Mutex<LoggedDeliveries>,
}

#[derive(Debug, Default)]
struct LoggedDeliveries {
    last_number: u64,
    /// The last erasures: project, id, and when it was erased. Attempts that had begun before are not recorded.
    erased: VecDeque<(String, String, i64)>,
    projects: HashMap<String, ProjectDeliveries>,
}

/// The deliveries of a project, and the failures, by receiver.
#[derive(Debug, Default)]
struct ProjectDeliveries {
    bytes: usize,
    rings: HashMap<(ResourceName, bool), VecDeque<Arc<LoggedDelivery>>>,
}

impl Default for DeliveryLog {
    fn default() -> Self {
        Self::new(DELIVERY_LOG_LIMITS)
    }
}

impl DeliveryLog {
    /// Returns an empty log.
    pub fn new(limits: DeliveryLogLimits) -> Self {
        Self { limits, logged: Mutex::default() }
    }

    /// Returns the beginning of a body, as the log keeps it.
    pub fn kept_body(&self, body: &[u8]) -> KeptBody {
        let kept = &body[..body.len().min(self.limits.body_bytes_max)];
        KeptBody(String::from_utf8_lossy(kept).into_owned())
    }

    /// Records an attempt.
    pub fn record(&self, project: &str, attempt: DeliveryAttempt) {
        let bytes = attempt.bytes();
        let ring = (attempt.receiver.clone(), attempt.error.is_some());
        let mut logged = self.logged.lock();
        let mut erased =
            logged.erased.iter().filter(|(of, _, at_ms)| of == project && attempt.at_ms <= *at_ms);
        if erased.any(|(_, id, _)| attempt.names(id)) {
            return;
        }
        logged.last_number += 1;
        let delivery = Arc::new(LoggedDelivery { number: logged.last_number, attempt, bytes });
        let is_new = !logged.projects.contains_key(project);
        let of_project = logged.projects.entry(project.to_owned()).or_default();
        let ring = of_project.rings.entry(ring).or_default();
        ring.push_back(delivery);
        of_project.bytes += bytes;
        if ring.len() > self.limits.of_receiver_max
            && let Some(oldest) = ring.pop_front()
        {
            of_project.bytes -= oldest.bytes;
        }
        let share = self.limits.total_bytes_max / logged.projects.len();
        let bytes_max = share.min(self.limits.of_project_bytes_max);
        if is_new {
            logged.projects.values_mut().for_each(|of_project| of_project.shrink_to(bytes_max));
        } else if let Some(of_project) = logged.projects.get_mut(project) {
            of_project.shrink_to(bytes_max);
        }
    }

    /// Returns the last attempts that `is_wanted` accepts, the newest first.
    pub fn last(
        &self,
        project: &str,
        limit: usize,
        is_wanted: impl Fn(&DeliveryAttempt) -> bool,
    ) -> Vec<Arc<LoggedDelivery>> {
        let mut found: Vec<Arc<LoggedDelivery>> = {
            let logged = self.logged.lock();
            let rings = logged.projects.get(project).into_iter().flat_map(|project| project.rings.values());
            rings.flatten().map(Arc::clone).collect()
        };
        found.retain(|delivery| is_wanted(&delivery.attempt));
        found.sort_unstable_by_key(|delivery| std::cmp::Reverse(delivery.number));
        found.truncate(limit);
        found
    }

    /// Removes the attempts about a resource, and all whose bodies name it: its personal data was erased at `at_ms`.
    pub fn erase(&self, project: &str, id: &str, at_ms: i64) {
        let mut logged = self.logged.lock();
        if logged.erased.len() >= ERASED_KEPT_MAX {
            logged.erased.pop_front();
        }
        logged.erased.push_back((project.to_owned(), id.to_owned(), at_ms));
        let Some(of_project) = logged.projects.get_mut(project) else { return };
        for ring in of_project.rings.values_mut() {
            ring.retain(|delivery| !delivery.attempt.names(id));
        }
        of_project.count_again();
    }

    /// Removes the attempts of a project.
    pub fn clear(&self, project: &str) {
        self.logged.lock().projects.remove(project);
    }
}

impl ProjectDeliveries {
    /// Removes the oldest attempts until the others have at most this many bytes.
    fn shrink_to(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max {
            let number = |ring: &VecDeque<Arc<LoggedDelivery>>| ring.front().map(|oldest| oldest.number);
            let oldest = self.rings.values_mut().min_by_key(|ring| number(ring).unwrap_or(u64::MAX));
            let Some(removed) = oldest.and_then(VecDeque::pop_front) else { break };
            self.bytes -= removed.bytes;
        }
        self.rings.retain(|_, ring| !ring.is_empty());
    }

    fn count_again(&mut self) {
        self.rings.retain(|_, ring| !ring.is_empty());
        self.bytes = self.rings.values().flatten().map(|delivery| delivery.bytes).sum();
    }
}

impl DeliveryAttempt {
    fn bytes(&self) -> usize {
        let texts = [Some(&self.destination), self.error.as_ref(), Some(&self.request_body.0)];
        let outcome = self.response_body.as_ref().map(|body| &body.0);
        ENTRY_BYTES + texts.into_iter().chain([outcome]).flatten().map(String::len).sum::<usize>()
    }

    fn names(&self, id: &str) -> bool {
        self.resource.as_ref().is_some_and(|resource| resource.id == id)
            || self.request_body.0.contains(id)
            || self.response_body.as_ref().is_some_and(|body| body.0.contains(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery_attempt(receiver: &str, at_ms: i64, error: Option<&str>) -> DeliveryAttempt {
        let name = |type_id: &str, id: &str| ResourceName { type_id: type_id.to_owned(), id: id.to_owned() };
        DeliveryAttempt {
            receiver: name("receiver", receiver),
            resource: Some(name("zone", &format!("zone-{at_ms}"))),
            destination: "http://a.b".to_owned(),
            at_ms,
            duration: Duration::ZERO,
            attempts: 1,
            http_status: Some(200),
            error: error.map(str::to_owned),
            request_body: KeptBody(format!("{{\"about\": {at_ms}}}")),
            response_body: None,
        }
    }

    fn times(log: &DeliveryLog, project: &str, receiver: Option<&str>) -> Vec<i64> {
        let is_wanted =
            |attempt: &DeliveryAttempt| receiver.is_none_or(|receiver| attempt.receiver.id == receiver);
        log.last(project, usize::MAX, is_wanted).iter().map(|delivery| delivery.attempt.at_ms).collect()
    }

    #[test]
    fn keeps_the_last_deliveries_and_failures_of_each_receiver() {
        let log = DeliveryLog::new(DeliveryLogLimits { of_receiver_max: 3, ..DELIVERY_LOG_LIMITS });
        log.record("shop", delivery_attempt("a", 0, Some("it responded with 503")));
        (1..10).for_each(|at| log.record("shop", delivery_attempt("a", at, None)));
        log.record("shop", delivery_attempt("b", 10, None));
        assert_eq!(times(&log, "shop", None), [10, 9, 8, 7, 0], "the newest first");
        assert_eq!(times(&log, "shop", Some("b")), [10]);
        assert_eq!(log.last("shop", 1, |attempt| attempt.error.is_some())[0].attempt.at_ms, 0);
        assert!(times(&log, "other", None).is_empty());
        log.clear("shop");
        assert!(times(&log, "shop", None).is_empty());
    }

    #[test]
    fn is_bounded_in_bytes() {
        let limits = DeliveryLogLimits {
            of_project_bytes_max: 4 * ENTRY_BYTES,
            total_bytes_max: 5 * ENTRY_BYTES,
            ..DELIVERY_LOG_LIMITS
        };
        let log = DeliveryLog::new(limits);
        (0..10).for_each(|at| log.record("shop", delivery_attempt(&at.to_string(), at, None)));
        assert_eq!(times(&log, "shop", None), [9, 8, 7], "of any receiver");
        // A second project halves the share of the first.
        log.record("other", delivery_attempt("a", 11, None));
        assert_eq!((times(&log, "shop", None), times(&log, "other", None)), (vec![9, 8], vec![11]));
        let body = log.kept_body(&vec![b'x'; 100_000]);
        assert_eq!(body.0.len(), DELIVERY_LOG_LIMITS.body_bytes_max);
        // A character that is cut is replaced.
        assert!(log.kept_body(&[0xc3]).0.contains('\u{fffd}'));
    }

    #[test]
    fn erases_what_names_a_resource() {
        let log = DeliveryLog::default();
        (0..3).for_each(|at| log.record("shop", delivery_attempt("a", at, None)));
        let naming = KeptBody("{\"customerId\": \"zone-1\"}".to_owned());
        log.record("shop", DeliveryAttempt { request_body: naming, ..delivery_attempt("a", 4, None) });
        log.erase("shop", "zone-1", 10);
        assert_eq!(times(&log, "shop", None), [2, 0]);
        // An attempt that was on its way, and the notification of the deletion.
        log.record("shop", delivery_attempt("a", 1, None));
        let naming = KeptBody("{\"id\": \"zone-1\"}".to_owned());
        log.record("shop", DeliveryAttempt { request_body: naming, ..delivery_attempt("a", 11, None) });
        assert_eq!(times(&log, "shop", None), [11, 2, 0]);
        log.erase("other", "zone-1", 10);
    }
}
