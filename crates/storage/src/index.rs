//! Indexed paths: their values, and the ranges, orders and pages of queries.

use std::ops::Bound;

/// Real numbers up to this amount without a fraction convert to integers without loss (2^53).
pub const WHOLE_REAL_MAX: f64 = 9_007_199_254_740_992.0;

/// A value of an indexed path.
///
/// Booleans are stored as the integers 0 and 1, date-times as ISO 8601 text in UTC, so that they sort correctly.
/// Numbers sort before text; an integer and a real of the same amount are equal. A real that is not finite
/// is not indexed.
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
    /// The values between two bounds (`<`, `>`, …). If one bound is text and the other open, only texts
    /// match, and likewise for numbers; if both are open, all values match.
    Between(Bound<IndexValue>, Bound<IndexValue>),
}

impl IndexRange {
    /// Matches exactly this value.
    pub fn equal(value: impl Into<IndexValue>) -> Self {
        IndexRange::In(vec![value.into()])
    }

    /// Matches all documents that have a value at the path.
    pub fn all() -> Self {
        IndexRange::Between(Bound::Unbounded, Bound::Unbounded)
    }
}

/// The order of an index query's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexSort {
    /// By id, which for UUIDv7 is the order of creation. Costs nothing for [`IndexRange::In`], a sort of
    /// all matches for [`IndexRange::Between`].
    #[default]
    Id,
    /// By value, then id. Costs nothing for [`IndexRange::Between`]. A document with several values in the
    /// range is listed at the first of them.
    Value,
}

/// The position (cursor) after which a page of an index query begins.
#[derive(Debug, Clone, PartialEq)]
pub enum PageStart {
    /// After this id, for [`IndexSort::Id`].
    Id(String),
    /// After this value and id, for [`IndexSort::Value`].
    Value(IndexValue, String),
}

/// The order and the page of an index query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexPage {
    /// The order of the matches.
    pub sort: IndexSort,
    /// Returns the last matches first.
    pub descending: bool,
    /// Begins after this position.
    pub after: Option<PageStart>,
    /// The number of matches to skip there.
    pub offset: usize,
    /// The maximum number of matches; `None`: all.
    pub limit: Option<usize>,
}

impl IndexPage {
    /// Returns the page of the first `limit` matches by id.
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
