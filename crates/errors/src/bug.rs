//! A broken invariant, for the log.

use std::fmt;
use std::panic::Location;

/// What must hold and does not, and the line of the code that noticed: a defect of the server or of its files, never
/// of what was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bug {
    broken: String,
    file: &'static str,
    line: u32,
}

impl Bug {
    #[track_caller]
    pub(crate) fn noticed(broken: String) -> Self {
        let caller = Location::caller();
        Self { broken, file: caller.file(), line: caller.line() }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (noticed at {}:{})", self.broken, self.file, self.line)
    }
}
