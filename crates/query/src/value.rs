//! Values in conditions ([`Value`]) and comparable values of documents ([`Scalar`]).

use crate::amount::Amount;
use crate::number::Number;
use std::borrow::Cow;
use std::cmp::Ordering;

/// A value of a condition, in the form of documents.
///
/// Dates and times are text: their stored forms sort chronologically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `true`, `false`
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A text, a date or a time.
    Text(Box<str>),
    /// An amount of a currency; in dialects only.
    Amount(Amount),
}

/// The comparable form of a value in a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar<'a> {
    /// `true`, `false`
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(Cow<'a, str>),
    /// An amount of a currency; in dialects only.
    Amount(Amount),
    /// An object, a list or `null`.
    Other,
}

impl Value {
    /// Returns a text value.
    pub fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    /// Returns the same value as documents contain it.
    pub fn as_scalar(&self) -> Scalar<'_> {
        match self {
            Value::Boolean(boolean) => Scalar::Boolean(*boolean),
            Value::Number(number) => Scalar::Number(*number),
            Value::Text(text) => Scalar::Text(Cow::Borrowed(text)),
            Value::Amount(amount) => Scalar::Amount(*amount),
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_scalar().rank(&other.as_scalar())
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Scalar<'_> {
    /// Compares with a value of the same type; `None` if the types differ.
    pub fn compare(&self, value: &Value) -> Option<Ordering> {
        match (self, value) {
            (Scalar::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
            (Scalar::Number(a), Value::Number(b)) => Some(a.cmp(b)),
            (Scalar::Text(a), Value::Text(b)) => Some(a.as_ref().cmp(b)),
            (Scalar::Amount(a), Value::Amount(b)) => a.compare(b),
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
