//! Converts positions of the change log to SQLite's integers.

use crate::Seq;

/// Returns a position as SQLite stores it. No log reaches the maximum.
pub(super) fn to_sqlite_integer(seq: Seq) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}
