//! A broken invariant of the server, for the log.

use std::fmt;
use std::panic::Location;

/// A broken invariant, with the line of the code that noticed it: a defect of the server or of its files, never of
/// the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bug {
    broken: String,
    /// The place as `file:line`.
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
