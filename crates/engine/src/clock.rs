//! The clock of a shop: real time, or the time that a test sets.

use jiff::Timestamp;
use parking_lot::RwLock;

/// The time of one shop. Every rule that depends on time reads this clock.
#[derive(Debug, Default)]
pub struct ShopClock {
    set: RwLock<ClockMode>,
}

#[derive(Debug, Clone, Copy, Default)]
enum ClockMode {
    #[default]
    Real,
    /// Real time plus an offset.
    Shifted { millis: i64 },
}

impl ShopClock {
    /// Returns the current time, in whole milliseconds.
    pub fn now(&self) -> Timestamp {
        let real = Timestamp::now();
        let millis = match *self.set.read() {
            ClockMode::Real => real.as_millisecond(),
            ClockMode::Shifted { millis } => real.as_millisecond().saturating_add(millis),
        };
        Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX)
    }

    /// Sets the clock, which runs on from there.
    pub fn set(&self, now: Timestamp) {
        let millis = now.as_millisecond() - Timestamp::now().as_millisecond();
        *self.set.write() = ClockMode::Shifted { millis };
    }

    /// Advances the clock, or sets it back if the number is negative.
    pub fn advance_millis(&self, by: i64) {
        let mut set = self.set.write();
        let millis = match *set {
            ClockMode::Real => by,
            ClockMode::Shifted { millis } => millis.saturating_add(by),
        };
        *set = ClockMode::Shifted { millis };
    }

    /// Returns to real time.
    pub fn reset(&self) {
        *self.set.write() = ClockMode::Real;
    }
}

/// Formats a time as in documents, e.g. `2027-01-31T12:00:00.000Z`.
pub fn format_time(at: Timestamp) -> String {
    format!("{at:.3}")
}
