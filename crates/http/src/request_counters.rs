//! Counts and durations of requests, for `/metrics`.
//!
//! A counter is looked up by its labels once and cached: a lookup costs more than routing a small response.
//! The number of series is bounded whatever clients send: methods and routes are those of the model, projects
//! are those that exist.

use axum::http::{Method, StatusCode};
use kontor_model::ServedOperation;
use metrics::{Counter, Histogram, counter, histogram};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Methods with a label of their own.
const METHODS: [Method; 5] = [Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::OPTIONS];
/// The label of all other methods.
const OTHER: &str = "other";
/// Statuses are 100 to 999.
const STATUSES: usize = 900;
/// Routes and projects have one label for each class of statuses.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The counters of a server.
pub(crate) struct RequestCounters {
    by_method: [MethodCounters; METHODS.len() + 1],
    by_route: Box<[StatusClassCounters]>,
    by_project: RwLock<HashMap<String, Arc<StatusClassCounters>, foldhash::fast::RandomState>>,
    refused_tokens: OnceLock<Counter>,
}

#[derive(Default)]
struct MethodCounters {
    durations: OnceLock<Histogram>,
    requests: OnceLock<Box<[OnceLock<Counter>]>>,
}

#[derive(Default)]
struct StatusClassCounters([OnceLock<Counter>; CLASSES.len()]);

impl StatusClassCounters {
    fn count(&self, status: StatusCode, new: impl FnOnce(&'static str) -> Counter) {
        let class = usize::from(status.as_u16() / 100).wrapping_sub(1);
        if let (Some(counter), Some(name)) = (self.0.get(class), CLASSES.get(class)) {
            counter.get_or_init(|| new(name)).increment(1);
        }
    }
}

impl RequestCounters {
    /// Returns counters for the operations of a model.
    pub(crate) fn new(operations: &[ServedOperation]) -> Self {
        Self {
            by_method: Default::default(),
            by_route: operations.iter().map(|_| StatusClassCounters::default()).collect(),
            by_project: RwLock::default(),
            refused_tokens: OnceLock::new(),
        }
    }

    /// Counts a response and its duration.
    pub(crate) fn count(&self, method: &Method, status: StatusCode, seconds: f64) {
        if status == StatusCode::UNAUTHORIZED {
            self.refused_tokens.get_or_init(|| counter!("kontor_tokens_refused_total")).increment(1);
        }
        let which = METHODS.iter().position(|known| known == method);
        let method = which.and_then(|which| METHODS.get(which)).map_or(OTHER, Method::as_str);
        let Some(of_method) = self.by_method.get(which.unwrap_or(METHODS.len())) else { return };
        let of_method_name = || String::from(method);
        let requests =
            of_method.requests.get_or_init(|| std::iter::repeat_with(OnceLock::new).take(STATUSES).collect());
        if let Some(requests) = requests.get(usize::from(status.as_u16()) - 100) {
            let new = || {
                let status = status.as_str().to_owned();
                counter!("kontor_http_requests_total", "method" => of_method_name(), "status" => status)
            };
            requests.get_or_init(new).increment(1);
        }
        let new = || histogram!("kontor_http_request_duration_seconds", "method" => of_method_name());
        of_method.durations.get_or_init(new).record(seconds);
    }

    /// Counts the response of an operation by its position in the model's table.
    pub(crate) fn count_route(&self, operations: &[ServedOperation], position: usize, status: StatusCode) {
        let (Some(counted), Some(operation)) = (self.by_route.get(position), operations.get(position)) else {
            return;
        };
        counted.count(status, |class| {
            let method = operation.method.as_str();
            counter!("kontor_route_requests_total", "method" => method, "route" => operation.template(), "status" => class)
        });
    }

    /// Counts the response of a request for a project; `exists` runs if the key is new.
    pub(crate) fn count_project(&self, key: &str, status: StatusCode, exists: impl FnOnce() -> bool) {
        let known = self.by_project.read().get(key).map(Arc::clone);
        let counted = match known {
            Some(counted) => counted,
            None if exists() => Arc::clone(self.by_project.write().entry(key.to_owned()).or_default()),
            None => return,
        };
        counted.count(
            status,
            |class| counter!("kontor_project_requests_total", "project" => key.to_owned(), "status" => class),
        );
    }
}
