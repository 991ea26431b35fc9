//! Logs missing fields that a rule cannot refuse and reads as empty: not at each read, or one broken document
//! in a popular list would fill the disk.

use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Maximum number of different reports, by missing field and line of the rule. Further ones share one counter.
const TOLD_APART_MAX: usize = 1_000;

static SO_FAR: Mutex<MissingFieldLog> = Mutex::new(MissingFieldLog::new());

/// Number of reports since the start, by message.
struct MissingFieldLog(BTreeMap<String, u64>);

impl MissingFieldLog {
    const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Counts a report. Returns its number if it is to be logged: the first, the second, the fourth, the eighth …
    fn count(&mut self, missing: &str) -> Option<u64> {
        let is_apart = self.0.contains_key(missing) || self.0.len() < TOLD_APART_MAX;
        let times = self.0.entry(if is_apart { missing } else { "" }.to_owned()).or_default();
        *times += 1;
        times.is_power_of_two().then_some(*times)
    }
}

/// Logs a missing field and its place.
pub(crate) fn log_missing_field(missing: &str) {
    let times = SO_FAR.lock().count(missing);
    if let Some(times) = times {
        tracing::error!(bug = missing, times, "stored value missing or unknown, read as empty");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_a_repeated_report_ever_more_rarely() {
        let mut counted = MissingFieldLog::new();
        let reported: Vec<u64> = (0..1_000).filter_map(|_| counted.count("a name")).collect();
        assert_eq!(reported, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
        assert_eq!(counted.count("a key"), Some(1), "each is counted for itself");
    }

    #[test]
    fn limits_the_number_of_reports() {
        let mut counted = MissingFieldLog::new();
        let reported = (0..3 * TOLD_APART_MAX).filter_map(|number| counted.count(&number.to_string()));
        assert!(reported.count() <= TOLD_APART_MAX + 12, "those behind the bound count as one");
        assert!(counted.0.len() <= TOLD_APART_MAX + 1);
    }
}
