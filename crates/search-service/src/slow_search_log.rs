//! Logs slow searches: the request, and the duration of each step.

use kontor_engine::Shop;
use kontor_json::{Map, Value};
use kontor_search::SearchResult;
use std::fmt::Display;
use std::time::{Duration, Instant};

/// Maximum number of logged bytes of a request.
const REQUEST_BYTES_MAX: usize = 8_000;

/// Properties of a request that contain no search values.
const LOGGED_PROPERTIES: [&str; 13] = [
    "field",
    "fieldType",
    "language",
    "order",
    "mode",
    "scope",
    "level",
    "boost",
    "caseInsensitive",
    "mustMatch",
    "size",
    "limit",
    "offset",
];
/// Replaces values that are not logged.
const UNTOLD: &str = "…";

/// The duration of one search and of its steps.
pub(crate) struct SearchTimer {
    /// Minimum duration of a logged search; `None`: no search is logged.
    slow: Option<Duration>,
    begun: Instant,
    last: Instant,
    took: Vec<(&'static str, Duration)>,
}

impl SearchTimer {
    /// Starts the measurement.
    pub(crate) fn new(slow: Option<Duration>) -> Self {
        let now = Instant::now();
        Self { slow, begun: now, last: now, took: Vec::new() }
    }

    /// Adds the steps that the index measured itself.
    pub(crate) fn add_index_steps(&mut self, response: &SearchResult) {
        self.last = Instant::now();
        self.took.extend_from_slice(&response.step_durations);
    }

    /// Adds a step that ends now.
    pub(crate) fn add_step(&mut self, step: &'static str) {
        let now = Instant::now();
        self.took.push((step, now - self.last));
        self.last = now;
    }

    /// Ends the measurement, and logs the search if it was slow.
    pub(crate) fn log_if_slow<R: Display>(
        self,
        shop: &Shop,
        search: &str,
        total: u64,
        request: impl FnOnce() -> R,
    ) {
        let took = self.begun.elapsed();
        if self.slow.is_none_or(|slow| took < slow) {
            return;
        }
        let steps: Vec<String> =
            self.took.iter().map(|(step, took)| format!("{step} {}", milliseconds(*took))).collect();
        let mut request = request().to_string();
        request.truncate(request.floor_char_boundary(REQUEST_BYTES_MAX));
        tracing::warn!(
            project = %shop.key,
            search,
            took = %milliseconds(took),
            steps = %steps.join(", "),
            total,
            request = %request,
            "a slow search"
        );
    }
}

/// Returns a request without search values: only its fields and conditions.
pub(crate) fn without_values(sent: &Map) -> Value {
    let told = sent.iter().map(|(name, value)| {
        let is_told = LOGGED_PROPERTIES.contains(&name.as_str()) && !value.is_array() && !value.is_object();
        (name.clone(), if is_told { value.clone() } else { shape(value) })
    });
    Value::Object(told.collect())
}

fn shape(value: &Value) -> Value {
    match value {
        Value::Object(members) => without_values(members),
        Value::Array(elements) => Value::Array(elements.iter().map(shape).collect()),
        _ => UNTOLD.into(),
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn hides_search_values() {
        let sent = json!({
            "query": {"and": [
                {"exact": {"field": "email", "value": "ada@example.com", "caseInsensitive": true}},
                {"exact": {"field": "stores", "values": ["one", "two"]}},
                {"range": {"field": "createdAt", "gte": "2027-01-01T00:00:00.000Z"}},
            ]},
            "sort": [{"field": "lastName", "order": "desc"}],
            "limit": 20,
        });
        let told = without_values(sent.as_object().unwrap());
        assert_eq!(
            told,
            json!({
                "query": {"and": [
                    {"exact": {"field": "email", "value": "…", "caseInsensitive": true}},
                    {"exact": {"field": "stores", "values": ["…", "…"]}},
                    {"range": {"field": "createdAt", "gte": "…"}},
                ]},
                "sort": [{"field": "lastName", "order": "desc"}],
                "limit": 20,
            })
        );
    }
}
