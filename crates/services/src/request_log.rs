//! The last requests of each project: who called what, how long it took, and why it was refused.
//!
//! The log is in memory, and bounded in entries and in bytes. Each project has one ring of refused requests and one of
//! others, so that no traffic pushes out the refusal that a developer looks for. A lock of one project is held for a push or
//! for a copy of pointers, never while an entry is built or freed.

use crate::log_json::{duration_ms_json, insert_texts, time_json};
use kontor_json::{Map, Value, json};
use parking_lot::{Mutex, RwLock};
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::mem::size_of;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// How much a log keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLogLimits {
    /// Refused requests of a project, and as many others.
    pub of_project_max: usize,
    /// Both of a project, in bytes.
    pub of_project_bytes_max: usize,
    /// All requests of all projects, in bytes. Projects have equal shares.
    pub total_bytes_max: usize,
    /// The beginning of each request body that is kept, in bytes; 0: none is.
    pub body_bytes_max: usize,
}

/// The limits of servers.
pub const REQUEST_LOG_LIMITS: RequestLogLimits = RequestLogLimits {
    of_project_max: 1_000,
    of_project_bytes_max: 512 * 1024,
    total_bytes_max: 32 * 1024 * 1024,
    body_bytes_max: 0,
};

/// The limits of servers with test controls.
pub const REQUEST_LOG_LIMITS_OF_TESTS: RequestLogLimits = RequestLogLimits {
    of_project_max: 5_000,
    of_project_bytes_max: 16 * 1024 * 1024,
    total_bytes_max: 128 * 1024 * 1024,
    body_bytes_max: 256 * 1024,
};

/// The longest text of an entry apart from its body, in bytes; longer ones are cut.
const TEXT_BYTES_MAX: usize = 512;
/// How long all requests are recorded after a client has read the log.
const WATCHED_MS: i64 = 15 * 60 * 1_000;

/// A request in the log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoggedRequest {
    /// When it began, in milliseconds since 1970, by the clock of the machine.
    pub at_ms: i64,
    /// The method.
    pub method: String,
    /// The path without secrets, with the names of its parameters.
    pub path: String,
    /// The status of the response.
    pub status: u16,
    /// How long it took.
    pub duration: Duration,
    /// The id of the API Client.
    pub client: Option<String>,
    /// The email address of the operator.
    pub operator: Option<String>,
    /// The correlation id.
    pub correlation_id: String,
    /// The error.
    pub reason: Option<String>,
    /// The sent request, for tests.
    pub sent: Option<SentRequest>,
}

/// A sent request with its body. Only servers with test controls keep it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SentRequest {
    /// Path and query, unchanged.
    pub uri: String,
    /// The beginning of the body; empty if there was none.
    pub body: String,
}

/// Which requests a caller wants.
#[derive(Debug, Clone, Default)]
pub struct RequestFilter {
    /// These statuses.
    pub status: Option<RangeInclusive<u16>>,
    /// The id of an API Client.
    pub client: Option<String>,
    /// A part of the path.
    pub path: Option<String>,
    /// The number of requests.
    pub limit: usize,
}

/// The last requests, by project.
#[derive(Debug)]
pub struct RequestLog {
    limits: RequestLogLimits,
    /// Until when all requests are recorded, in milliseconds since 1970.
    watched_until_ms: AtomicI64,
    projects: RwLock<HashMap<String, ProjectRequests>>,
}

#[derive(Debug, Default)]
struct ProjectRequests {
    last_number: AtomicU64,
    refused: Mutex<RequestRing>,
    served: Mutex<RequestRing>,
}

#[derive(Debug, Default)]
struct RequestRing {
    bytes: usize,
    /// With their numbers, which are those of the project.
    requests: VecDeque<(u64, Arc<LoggedRequest>)>,
}

impl Default for RequestLog {
    fn default() -> Self {
        Self::new(REQUEST_LOG_LIMITS)
    }
}

impl RequestLog {
    /// Returns an empty log.
    pub fn new(limits: RequestLogLimits) -> Self {
        Self { limits, watched_until_ms: AtomicI64::new(0), projects: RwLock::default() }
    }

    /// Returns how much of a body is kept, in bytes; `None`: nothing of it.
    pub fn body_bytes_max(&self) -> Option<usize> {
        Some(self.limits.body_bytes_max).filter(|bytes| *bytes > 0)
    }

    /// Records all requests for a while, because a client reads the log.
    pub fn watch(&self) {
        let until = jiff::Timestamp::now().as_millisecond().saturating_add(WATCHED_MS);
        self.watched_until_ms.store(until, Ordering::Relaxed);
    }

    /// Returns whether all requests are recorded at the moment, and not only the refused ones.
    pub fn is_watched(&self) -> bool {
        if self.body_bytes_max().is_some() {
            return true;
        }
        let until = self.watched_until_ms.load(Ordering::Relaxed);
        until > 0 && jiff::Timestamp::now().as_millisecond() < until
    }

    /// Records a request of a project; `exists` runs for a key without requests, so that requests to other keys need no
    /// memory.
    pub fn record(&self, project: &str, request: LoggedRequest, exists: impl FnOnce() -> bool) {
        let request = Arc::new(request.cut());
        {
            let projects = self.projects.read();
            if let Some(of_project) = projects.get(project) {
                let share = self.bytes_max_of_ring(projects.len());
                let freed = of_project.push(request, self.limits.of_project_max, share);
                drop(projects);
                drop(freed);
                return;
            }
        }
        if !exists() {
            return;
        }
        let mut projects = self.projects.write();
        let of_project = projects.entry(project.to_owned()).or_default();
        drop(of_project.push(request, self.limits.of_project_max, usize::MAX));
        let share = self.bytes_max_of_ring(projects.len());
        projects.values().for_each(|of_project| of_project.shrink_to(share));
    }

    fn bytes_max_of_ring(&self, projects: usize) -> usize {
        (self.limits.total_bytes_max / projects.max(1)).min(self.limits.of_project_bytes_max) / 2
    }

    /// Returns the last requests of a project, the newest first.
    pub fn last(&self, project: &str, filter: &RequestFilter) -> Vec<Arc<LoggedRequest>> {
        let mut all = match self.projects.read().get(project) {
            Some(of_project) => of_project.all(),
            None => return Vec::new(),
        };
        all.retain(|(_, request)| filter.accepts(request));
        all.sort_unstable_by_key(|(number, _)| Reverse(*number));
        all.truncate(filter.limit);
        all.into_iter().map(|(_, request)| request).collect()
    }

    /// Removes the requests that name a resource, because its personal data was erased. The log does not know the email
    /// address of that person, so it removes all requests whose error has an email address, e.g. one that is in use.
    pub fn erase(&self, project: &str, id: &str) {
        if let Some(of_project) = self.projects.read().get(project) {
            let may_name = |request: &LoggedRequest| request.names(id) || request.has_email_in_reason();
            of_project.rings().for_each(|ring| ring.lock().retain(|request| !may_name(request)));
        }
    }

    /// Removes the requests of a project.
    pub fn clear(&self, project: &str) {
        drop(self.projects.write().remove(project));
    }
}

impl ProjectRequests {
    fn rings(&self) -> impl Iterator<Item = &Mutex<RequestRing>> {
        [&self.refused, &self.served].into_iter()
    }

    /// Adds a request. Returns those that it pushes out: they are freed after the lock.
    fn push(
        &self,
        request: Arc<LoggedRequest>,
        count_max: usize,
        bytes_max: usize,
    ) -> Vec<(u64, Arc<LoggedRequest>)> {
        let number = self.last_number.fetch_add(1, Ordering::Relaxed);
        let is_refused = request.status >= 400 || request.reason.is_some();
        let ring = if is_refused { &self.refused } else { &self.served };
        let mut ring = ring.lock();
        ring.bytes += request.bytes();
        ring.requests.push_back((number, request));
        ring.shrink_to(count_max, bytes_max)
    }

    fn shrink_to(&self, bytes_max: usize) {
        self.rings().for_each(|ring| drop(ring.lock().shrink_to(usize::MAX, bytes_max)));
    }

    fn all(&self) -> Vec<(u64, Arc<LoggedRequest>)> {
        self.rings().flat_map(|ring| ring.lock().requests.iter().cloned().collect::<Vec<_>>()).collect()
    }
}

impl RequestRing {
    fn shrink_to(&mut self, count_max: usize, bytes_max: usize) -> Vec<(u64, Arc<LoggedRequest>)> {
        let mut freed = Vec::new();
        while self.requests.len() > count_max || self.bytes > bytes_max {
            let Some(oldest) = self.requests.pop_front() else { break };
            self.bytes -= oldest.1.bytes();
            freed.push(oldest);
        }
        freed
    }

    fn retain(&mut self, is_kept: impl Fn(&LoggedRequest) -> bool) {
        self.requests.retain(|(_, request)| is_kept(request));
        self.bytes = self.requests.iter().map(|(_, request)| request.bytes()).sum();
    }
}

impl RequestFilter {
    fn accepts(&self, request: &LoggedRequest) -> bool {
        self.status.as_ref().is_none_or(|statuses| statuses.contains(&request.status))
            && self.client.as_ref().is_none_or(|client| request.client.as_ref() == Some(client))
            && self.path.as_ref().is_none_or(|path| request.path.contains(path))
    }
}

impl LoggedRequest {
    /// Returns the entry as JSON, without what was sent.
    pub fn to_json(&self) -> Value {
        let mut shown = Map::new();
        shown.insert("at", time_json(self.at_ms));
        shown.insert("method", json!(self.method));
        shown.insert("path", json!(self.path));
        shown.insert("status", json!(self.status));
        shown.insert("durationMs", duration_ms_json(self.duration));
        let correlation_id = Some(&self.correlation_id).filter(|id| !id.is_empty());
        let texts = [
            ("clientId", self.client.as_ref()),
            ("operator", self.operator.as_ref()),
            ("correlationId", correlation_id),
            ("reason", self.reason.as_ref()),
        ];
        insert_texts(&mut shown, texts);
        Value::Object(shown)
    }

    fn bytes(&self) -> usize {
        let optional = [&self.client, &self.operator, &self.reason].into_iter().flatten();
        let sent = self.sent.iter().flat_map(|sent| [&sent.uri, &sent.body]);
        let texts = [&self.method, &self.path, &self.correlation_id].into_iter().chain(optional).chain(sent);
        size_of::<Self>() + texts.map(String::len).sum::<usize>()
    }

    fn names(&self, id: &str) -> bool {
        let sent = self.sent.iter().flat_map(|sent| [&sent.uri, &sent.body]);
        [&self.path].into_iter().chain(&self.reason).chain(sent).any(|text| text.contains(id))
    }

    fn has_email_in_reason(&self) -> bool {
        self.reason.as_ref().is_some_and(|reason| reason.contains('@'))
    }

    /// Cuts long texts.
    fn cut(mut self) -> Self {
        let optional = [&mut self.client, &mut self.operator, &mut self.reason].into_iter().flatten();
        for text in [&mut self.method, &mut self.path, &mut self.correlation_id].into_iter().chain(optional) {
            if text.len() > TEXT_BYTES_MAX {
                text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, status: u16) -> LoggedRequest {
        LoggedRequest { path: path.to_owned(), status, ..LoggedRequest::default() }
    }

    fn paths(log: &RequestLog, project: &str, filter: &RequestFilter) -> Vec<String> {
        log.last(project, filter).iter().map(|request| request.path.clone()).collect()
    }

    fn all() -> RequestFilter {
        RequestFilter { limit: usize::MAX, ..RequestFilter::default() }
    }

    #[test]
    fn keeps_the_last_requests_and_refusals_of_each_project() {
        let log = RequestLog::new(RequestLogLimits { of_project_max: 2, ..REQUEST_LOG_LIMITS });
        log.record("shop", request("/shop/nothing", 404), || true);
        for path in ["/shop/a", "/shop/b", "/shop/c"] {
            log.record("shop", request(path, 200), || true);
        }
        log.record("none", request("/none", 404), || false);
        assert_eq!(paths(&log, "shop", &all()), ["/shop/c", "/shop/b", "/shop/nothing"]);
        assert!(paths(&log, "none", &all()).is_empty(), "no such project");
        let refused = RequestFilter { status: Some(400..=499), limit: 1, ..RequestFilter::default() };
        assert_eq!(paths(&log, "shop", &refused), ["/shop/nothing"]);
        let of_path = RequestFilter { path: Some("/b".to_owned()), ..all() };
        assert_eq!(paths(&log, "shop", &of_path), ["/shop/b"]);
        let of_client = RequestFilter { client: Some("x".to_owned()), ..all() };
        assert!(paths(&log, "shop", &of_client).is_empty());
        let reason = Some("a customer with the email 'ada@example.com' exists".to_owned());
        log.record("shop", LoggedRequest { reason, ..request("/shop/customers", 400) }, || true);
        log.erase("shop", "nothing");
        assert_eq!(paths(&log, "shop", &all()), ["/shop/c", "/shop/b"]);
        log.clear("shop");
        assert!(paths(&log, "shop", &all()).is_empty());
    }

    #[test]
    fn is_bounded_in_bytes_and_shared_by_projects() {
        let bytes = size_of::<LoggedRequest>() + TEXT_BYTES_MAX;
        let limits = RequestLogLimits { total_bytes_max: 8 * bytes, ..REQUEST_LOG_LIMITS };
        let log = RequestLog::new(limits);
        let long = "ä".repeat(TEXT_BYTES_MAX);
        (0..9).for_each(|_| log.record("a", request(&long, 404), || true));
        let kept = paths(&log, "a", &all());
        assert_eq!((kept.len(), kept[0].len()), (4, TEXT_BYTES_MAX));
        log.record("b", request(&long, 404), || true);
        assert_eq!((paths(&log, "a", &all()).len(), paths(&log, "b", &all()).len()), (2, 1));
    }

    #[test]
    fn is_watched_for_a_while_after_it_was_read() {
        let log = RequestLog::default();
        assert!(!log.is_watched());
        log.watch();
        assert!(log.is_watched());
        assert!(RequestLog::new(REQUEST_LOG_LIMITS_OF_TESTS).is_watched(), "tests read everything");
    }
}
