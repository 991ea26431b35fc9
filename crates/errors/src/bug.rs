//! A broken invariant, for the log.

use std::fmt;
use std::panic::Location;

/// What must hold and does not, and the line of the code that noticed: a defect of the server or of its files, never
/// of what was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bug {
    broken: String,
    /// `file:line`.
    place: String,
}

impl Bug {
    #[track_caller]
    pub(crate) fn noticed(broken: String) -> Self {
        let caller = Location::caller();
        Self { broken, place: format!("{}:{}", caller.file(), caller.line()) }
    }

    pub(crate) fn at(broken: String, place: String) -> Self {
        Self { broken, place }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (noticed at {})", self.broken, self.place)
    }
}
