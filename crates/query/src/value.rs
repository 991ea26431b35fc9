//! Values in conditions ([`ConditionValue`]) and comparable values of documents ([`Scalar`]).

use crate::amount::CurrencyAmount;
use crate::number::ExactNumber;
use std::borrow::Cow;
use std::cmp::Ordering;

/// A value of a condition, in the form of documents.
///
/// Dates and times are text: their stored forms sort chronologically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionValue {
    /// `true`, `false`
    Boolean(bool),
    /// A number.
    Number(ExactNumber),
    /// A text, a date or a time.
    Text(Box<str>),
    /// An amount of a currency; in dialects only.
    Amount(CurrencyAmount),
}

/// The comparable form of a value in a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar<'a> {
    /// `true`, `false`
    Boolean(bool),
    /// A number.
    Number(ExactNumber),
    /// A text.
    Text(Cow<'a, str>),
    /// An amount of a currency; in dialects only.
    Amount(CurrencyAmount),
    /// An object, a list or `null`.
    Other,
}

impl ConditionValue {
    /// Returns a text value.
    pub fn text(text: &str) -> ConditionValue {
        ConditionValue::Text(text.into())
    }

    /// Returns the same value as documents contain it.
    pub fn as_scalar(&self) -> Scalar<'_> {
        match self {
            ConditionValue::Boolean(boolean) => Scalar::Boolean(*boolean),
            ConditionValue::Number(number) => Scalar::Number(*number),
            ConditionValue::Text(text) => Scalar::Text(Cow::Borrowed(text)),
            ConditionValue::Amount(amount) => Scalar::Amount(*amount),
        }
    }
}

impl Ord for ConditionValue {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_scalar().rank(&other.as_scalar())
    }
}

impl PartialOrd for ConditionValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Scalar<'_> {
    /// Compares with a value of the same type; `None` if the types differ.
    pub fn compare(&self, value: &ConditionValue) -> Option<Ordering> {
        match (self, value) {
            (Scalar::Boolean(a), ConditionValue::Boolean(b)) => Some(a.cmp(b)),
            (Scalar::Number(a), ConditionValue::Number(b)) => Some(a.cmp(b)),
            (Scalar::Text(a), ConditionValue::Text(b)) => Some(a.as_ref().cmp(b)),
            (Scalar::Amount(a), ConditionValue::Amount(b)) => a.compare(b),
            _ => None,
        }
    }

    /// A total order of all scalars: by type, then by value.
    pub fn rank(&self, other: &Scalar<'_>) -> Ordering {
        match (self, other) {
            (Scalar::Boolean(a), Scalar::Boolean(b)) => a.cmp(b),
            (Scalar::Number(a), Scalar::Number(b)) => a.cmp(b),
            (Scalar::Text(a), Scalar::Text(b)) => a.cmp(b),
            (Scalar::Amount(a), Scalar::Amount(b)) => a.rank(b),
            _ => self.shape().cmp(&other.shape()),
        }
    }

    fn shape(&self) -> u8 {
        match self {
            Scalar::Boolean(_) => 0,
            Scalar::Number(_) => 1,
            Scalar::Text(_) => 2,
            Scalar::Amount(_) => 3,
            Scalar::Other => 4,
        }
    }
}
