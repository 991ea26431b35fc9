//! Positions of the change log, as SQLite stores them.

use crate::Seq;

/// A position as SQLite stores it. A log with more entries than that is not written in a lifetime.
pub(super) fn number(seq: Seq) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}
