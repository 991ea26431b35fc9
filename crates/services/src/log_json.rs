//! The JSON of times, durations and optional texts in the entries of logs.

use kontor_engine::format_time;
use kontor_json::{Map, Value, json};
use std::time::Duration;

/// Returns a time in milliseconds since 1970 as the API writes it.
pub(crate) fn time_json(at_ms: i64) -> Value {
    json!(format_time(jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default()))
}

/// Returns a duration in milliseconds, with three decimals.
pub(crate) fn duration_ms_json(duration: Duration) -> Value {
    let duration_ms = duration.as_secs_f64() * 1_000.0;
    json!((duration_ms * 1_000.0).round() / 1_000.0)
}

/// Inserts the texts that there are.
pub(crate) fn insert_texts<const N: usize>(entry: &mut Map, texts: [(&str, Option<&String>); N]) {
    for (name, text) in texts {
        if let Some(text) = text {
            entry.insert(name, json!(text));
        }
    }
}
