//! Indexed paths: their values, and the queries on them.

use std::ops::Bound;

/// Reals up to this amount are whole numbers without loss, where they have no fraction.
pub const WHOLE_REAL_MAX: f64 = 9_007_199_254_740_992.0;

/// A value of an indexed path.
///
/// Truth values are the integers 0 and 1, date-times ISO 8601 text in UTC, so that their sequence is right.
/// Numbers sort before text; an integer and a real of the same amount are the same value. A real that is
/// not finite is no value and leaves no row.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexValue {
    /// Text, compared byte by byte.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Real(f64),
}

impl From<&str> for IndexValue {
    fn from(text: &str) -> Self {
        IndexValue::Text(text.to_owned())
    }
}

impl From<String> for IndexValue {
    fn from(text: String) -> Self {
        IndexValue::Text(text)
    }
}

impl From<i64> for IndexValue {
    fn from(number: i64) -> Self {
        IndexValue::Integer(number)
    }
}

impl From<f64> for IndexValue {
    fn from(number: f64) -> Self {
        IndexValue::Real(number)
    }
}

impl From<bool> for IndexValue {
    fn from(truth: bool) -> Self {
        IndexValue::Integer(i64::from(truth))
    }
}

/// The requested values of an indexed path.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexRange {
    /// Any of these values (`=` and `in`).
    In(Vec<IndexValue>),
    /// The values between two bounds (`<`, `>`, …). Where one bound is text and the other open, only text
    /// is meant, and likewise for numbers; with both open, all values are.
    Between(Bound<IndexValue>, Bound<IndexValue>),
}

impl IndexRange {
    /// The documents that hold exactly this value.
    pub fn equal(value: impl Into<IndexValue>) -> Self {
        IndexRange::In(vec![value.into()])
    }

    /// All documents that hold any value at the path.
    pub fn all() -> Self {
        IndexRange::Between(Bound::Unbounded, Bound::Unbounded)
    }
}

/// The order of an index lookup's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexSort {
    /// By id, which for UUIDv7 is the sequence of creation. Free for [`IndexRange::In`]; over
    /// [`IndexRange::Between`] it costs a sort of all matches.
    #[default]
    Id,
    /// By value, then id. Free for [`IndexRange::Between`]. A document with several values in the range
    /// stands where the first of them stands.
    Value,
}

/// Where a page of an index lookup begins.
#[derive(Debug, Clone, PartialEq)]
pub enum After {
    /// Behind this id, for [`IndexSort::Id`].
    Id(String),
    /// Behind this value and id, for [`IndexSort::Value`].
    Value(IndexValue, String),
}

/// Which part of the matches is wanted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexPage {
    /// The order of the matches.
    pub sort: IndexSort,
    /// From the last to the first.
    pub descending: bool,
    /// Begin behind this place.
    pub after: Option<After>,
    /// Then leave out this many.
    pub offset: usize,
    /// Then give at most this many; `None` for all.
    pub limit: Option<usize>,
}

impl IndexPage {
    /// The first `limit` matches by id.
    pub fn first(limit: usize) -> Self {
        IndexPage { limit: Some(limit), ..IndexPage::default() }
    }
}

/// The direction of a scan through the ids of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScanDirection {
    /// Oldest first.
    #[default]
    Ascending,
    /// Newest first.
    Descending,
}
