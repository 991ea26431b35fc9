//! The last requests, for the console: who called what, how long it took, and why it was refused.
//!
//! Refused requests are always recorded; others only while an operator uses the console, so that the log costs nothing
//! otherwise. It is in memory, bounded, and has neither bodies nor query strings.

use crate::request_metadata::RequestMetadata;
use axum::http::StatusCode;
use axum::http::request::Parts;
use kontor_engine::format_time;
use kontor_json::{Map, Value, json};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// How many requests are kept.
const REQUESTS_KEPT_MAX: usize = 2_000;
/// The longest path and reason that is kept, in bytes; longer ones are cut.
const TEXT_BYTES_MAX: usize = 512;
/// How long all requests are recorded after an operator has used the console.
const WATCHED_MS: i64 = 15 * 60 * 1_000;

/// The recorder of the last requests.
#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    requests: Mutex<VecDeque<LoggedRequest>>,
    /// Until when all requests are recorded, in milliseconds since 1970.
    watched_until_ms: AtomicI64,
}

/// A recorded request.
#[derive(Debug, Clone)]
pub(crate) struct LoggedRequest {
    at_ms: i64,
    method: String,
    path: String,
    status: u16,
    duration_ms: f64,
    project: Option<String>,
    client: Option<String>,
    operator: Option<String>,
    reason: Option<String>,
}

impl RequestLog {
    /// Records all requests for a while, because an operator uses the console.
    pub(crate) fn watch(&self) {
        let until = jiff::Timestamp::now().as_millisecond().saturating_add(WATCHED_MS);
        self.watched_until_ms.store(until, Ordering::Relaxed);
    }

    /// Returns whether all requests are recorded at the moment.
    pub(crate) fn is_watched(&self) -> bool {
        let until = self.watched_until_ms.load(Ordering::Relaxed);
        until > 0 && jiff::Timestamp::now().as_millisecond() < until
    }

    /// Records a request if it was refused, or if all are recorded. `path` has no secrets.
    pub(crate) fn record(
        &self,
        parts: &Parts,
        path: &dyn std::fmt::Display,
        status: StatusCode,
        duration: Duration,
    ) {
        let is_refused = status.is_client_error() || status.is_server_error();
        if !is_refused && !self.is_watched() {
            return;
        }
        let noted = RequestMetadata::from_parts(parts);
        let text = |of: fn(&RequestMetadata) -> Option<&String>| noted.and_then(of).map(|text| cut(text));
        let request = LoggedRequest {
            at_ms: jiff::Timestamp::now().as_millisecond(),
            method: parts.method.as_str().to_owned(),
            path: cut(&path.to_string()),
            status: status.as_u16(),
            duration_ms: duration.as_secs_f64() * 1_000.0,
            project: text(|noted| noted.project.get()),
            client: text(|noted| noted.client.get()),
            operator: text(|noted| noted.operator.get()),
            reason: text(|noted| noted.reason.get()),
        };
        let mut requests = self.requests.lock();
        while requests.len() >= REQUESTS_KEPT_MAX {
            requests.pop_front();
        }
        requests.push_back(request);
    }

    /// Returns the last requests of a project, or of all, the newest first.
    pub(crate) fn last(&self, project: Option<&str>, limit: usize) -> Vec<Value> {
        let requests = self.requests.lock();
        let all = requests.iter().rev();
        let of_project = all.filter(|request| project.is_none() || request.project.as_deref() == project);
        of_project.take(limit).map(LoggedRequest::to_json).collect()
    }
}

impl LoggedRequest {
    fn to_json(&self) -> Value {
        let at = jiff::Timestamp::from_millisecond(self.at_ms).unwrap_or_default();
        let mut shown = Map::new();
        shown.insert("at", json!(format_time(at)));
        shown.insert("method", json!(self.method));
        shown.insert("path", json!(self.path));
        shown.insert("status", json!(self.status));
        shown.insert("durationMs", json!((self.duration_ms * 1_000.0).round() / 1_000.0));
        let texts = [
            ("project", &self.project),
            ("client", &self.client),
            ("operator", &self.operator),
            ("reason", &self.reason),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                shown.insert(name, json!(text));
            }
        }
        Value::Object(shown)
    }
}

/// Returns the beginning of a text.
fn cut(text: &str) -> String {
    text.chars()
        .scan(0, |bytes, letter| {
            *bytes += letter.len_utf8();
            (*bytes <= TEXT_BYTES_MAX).then_some(letter)
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn record(log: &RequestLog, path: &str, status: u16) {
        let (parts, ()) = Request::builder().uri("/").body(()).unwrap().into_parts();
        log.record(&parts, &path, StatusCode::from_u16(status).unwrap(), Duration::from_millis(2));
    }

    #[test]
    fn records_refusals_always_and_everything_while_it_is_watched() {
        let log = RequestLog::default();
        record(&log, "/shop/states", 200);
        record(&log, "/shop/nothing", 404);
        assert_eq!(log.last(None, 10).len(), 1);
        log.watch();
        record(&log, "/shop/states", 200);
        let last = log.last(None, 10);
        assert_eq!(
            (last.len(), &last[0]["status"], &last[1]["path"]),
            (2, &json!(200), &json!("/shop/nothing"))
        );
        assert!(log.last(Some("shop"), 10).is_empty(), "these requests named no project");
    }

    #[test]
    fn is_bounded() {
        let log = RequestLog::default();
        for _ in 0..REQUESTS_KEPT_MAX + 10 {
            record(&log, &"ä".repeat(TEXT_BYTES_MAX), 404);
        }
        let last = log.last(None, usize::MAX);
        assert_eq!(last.len(), REQUESTS_KEPT_MAX);
        assert_eq!(last[0]["path"].as_str().unwrap().len(), TEXT_BYTES_MAX);
    }
}
