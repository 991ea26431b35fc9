//! How many requests were answered, and how long that took: what `/metrics` shows of the faces.
//!
//! A counter is looked up by its labels once and kept: looking it up costs more than a small answer's routing.

use axum::http::{Method, StatusCode};
use metrics::{Counter, Histogram, counter, histogram};
use std::sync::OnceLock;

/// Methods that are told apart. They are few, so that the number of series stays bounded whatever clients send.
const METHODS: [Method; 5] = [Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::OPTIONS];
/// What all other methods count as.
const OTHER: &str = "other";
/// Statuses are 100 to 999.
const STATUSES: usize = 900;

/// The counters of a server.
#[derive(Default)]
pub(crate) struct Counts {
    by_method: [OfMethod; METHODS.len() + 1],
}

#[derive(Default)]
struct OfMethod {
    durations: OnceLock<Histogram>,
    requests: OnceLock<Box<[OnceLock<Counter>]>>,
}

impl Counts {
    /// Counts an answered request.
    pub(crate) fn count(&self, method: &Method, status: StatusCode, seconds: f64) {
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
}
