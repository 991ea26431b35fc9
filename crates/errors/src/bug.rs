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
    /// The kind of the document that is broken, where it is one.
    kind: Option<String>,
    /// Its id.
    id: Option<String>,
}

impl Bug {
    #[track_caller]
    pub(crate) fn from_caller(broken: String) -> Self {
        let caller = Location::caller();
        Self::new(broken, format!("{}:{}", caller.file(), caller.line()))
    }

    pub(crate) fn new(broken: String, place: String) -> Self {
        Self { broken, place, kind: None, id: None }
    }

    /// Says which document is broken, as far as that has not been said.
    pub(crate) fn say_document(&mut self, kind: Option<&str>, id: &str) {
        if self.kind.is_none() {
            self.kind = kind.map(str::to_owned);
        }
        self.id.get_or_insert_with(|| id.to_owned());
    }

    /// Returns the kind of the document that is broken, where it is one and its kind is known.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// The id of the document that is broken, where it is one.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (noticed at {})", self.broken, self.place)
    }
}
