//! The last requests to each receiver, e.g. a webhook, for people who look for the reason of a failure.
//!
//! The log is in memory, and bounded: a few deliveries of each receiver, with the beginning of their bodies.

use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// How many deliveries of a receiver are kept.
const DELIVERIES_KEPT_MAX: usize = 10;
/// How many receivers are remembered; of more, the one without deliveries for the longest time is forgotten.
const RECEIVERS_KEPT_MAX: usize = 200;
/// How much of a body is kept, in bytes.
const BODY_BYTES_KEPT_MAX: usize = 8 * 1024;

/// A delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedDelivery {
    /// When it began, in milliseconds since 1970.
    pub at_ms: i64,
    /// How long it took.
    pub duration: Duration,
    /// Why it failed; `None` if it did not.
    pub error: Option<String>,
    /// The beginning of the body.
    pub body: String,
}

/// The last deliveries by project and receiver, e.g. `subscription/{id}`.
#[derive(Debug, Default)]
pub struct DeliveryLog(Mutex<HashMap<(String, String), VecDeque<RecordedDelivery>>>);

impl RecordedDelivery {
    /// Returns the record of a delivery with this body, of which the beginning is kept.
    pub fn new(at_ms: i64, duration: Duration, error: Option<String>, body: &[u8]) -> Self {
        let kept = &body[..body.len().min(BODY_BYTES_KEPT_MAX)];
        Self { at_ms, duration, error, body: String::from_utf8_lossy(kept).into_owned() }
    }
}

impl DeliveryLog {
    /// Records a delivery.
    pub fn record(&self, project: &str, receiver: &str, delivery: RecordedDelivery) {
        let mut all = self.0.lock();
        let key = (project.to_owned(), receiver.to_owned());
        if !all.contains_key(&key) && all.len() >= RECEIVERS_KEPT_MAX {
            let newest = |deliveries: &VecDeque<RecordedDelivery>| deliveries.back().map(|last| last.at_ms);
            let idle =
                all.iter().min_by_key(|(_, deliveries)| newest(deliveries)).map(|(key, _)| key.clone());
            idle.and_then(|idle| all.remove(&idle));
        }
        let deliveries = all.entry(key).or_default();
        while deliveries.len() >= DELIVERIES_KEPT_MAX {
            deliveries.pop_front();
        }
        deliveries.push_back(delivery);
    }

    /// Returns the last deliveries to a receiver, the newest first.
    pub fn last(&self, project: &str, receiver: &str) -> Vec<RecordedDelivery> {
        let all = self.0.lock();
        let found = all.get(&(project.to_owned(), receiver.to_owned()));
        found.into_iter().flatten().rev().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(at_ms: i64) -> RecordedDelivery {
        RecordedDelivery::new(at_ms, Duration::ZERO, None, b"{}")
    }

    #[test]
    fn keeps_the_last_deliveries_of_each_receiver() {
        let log = DeliveryLog::default();
        (0..15).for_each(|at| log.record("shop", "a", delivery(at)));
        log.record("shop", "b", delivery(1));
        let last = log.last("shop", "a");
        assert_eq!((last.len(), last[0].at_ms, last[9].at_ms), (10, 14, 5));
        assert_eq!(log.last("shop", "b").len(), 1);
        assert!(log.last("other", "a").is_empty());
    }

    #[test]
    fn forgets_the_receiver_that_is_idle_for_the_longest_time() {
        let log = DeliveryLog::default();
        (0..201).for_each(|at| log.record("shop", &at.to_string(), delivery(at)));
        assert!(log.last("shop", "0").is_empty());
        assert_eq!((log.last("shop", "1").len(), log.last("shop", "200").len()), (1, 1));
    }

    #[test]
    fn keeps_the_beginning_of_a_body() {
        let kept = RecordedDelivery::new(0, Duration::ZERO, None, &vec![b'x'; 100_000]).body;
        assert_eq!(kept.len(), BODY_BYTES_KEPT_MAX);
        // A character that is cut is replaced.
        assert!(RecordedDelivery::new(0, Duration::ZERO, None, &[0xc3]).body.contains('\u{fffd}'));
    }
}
