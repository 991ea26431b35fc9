//! [`ExactNumber`]: JSON numbers that compare exactly, whether written as integers or with a fraction.
//!
//! A cent amount of 9007199254740993 must not equal 9007199254740992, so integers stay integers.

use std::cmp::Ordering;
use std::fmt;

/// A JSON number. Integers of 64 bits stay integers; all other numbers are a finite `f64`.
#[derive(Debug, Clone, Copy)]
pub enum ExactNumber {
    /// An integer.
    Integer(i64),
    /// Anything else; never infinite, never NaN.
    Decimal(f64),
}

/// Every integer up to this one is exactly representable as an `f64`.
const EXACT_INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

impl ExactNumber {
    /// Converts a decimal, to an integer if it is one. `None` if it is not finite.
    pub fn from_decimal(decimal: f64) -> Option<ExactNumber> {
        if !decimal.is_finite() {
            return None;
        }
        let whole = decimal.fract() == 0.0 && decimal.abs() <= EXACT_INTEGER_MAX;
        Some(if whole { ExactNumber::Integer(decimal as i64) } else { ExactNumber::Decimal(decimal) })
    }

    /// Parses a JSON number. `None` if the text is not a number, or not a finite one.
    pub fn parse(text: &str) -> Option<ExactNumber> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.starts_with(|c: char| c.is_ascii_digit())
            || !digits.ends_with(|c: char| c.is_ascii_digit())
        {
            return None;
        }
        match text.parse() {
            Ok(integer) => Some(ExactNumber::Integer(integer)),
            Err(_) => text.parse().ok().and_then(ExactNumber::from_decimal),
        }
    }

    /// Returns the sum: exact if it is an integer of 64 bits. `None` if it is not finite.
    pub fn plus(self, other: ExactNumber) -> Option<ExactNumber> {
        match (self, other) {
            (ExactNumber::Integer(a), ExactNumber::Integer(b)) => match a.checked_add(b) {
                Some(sum) => Some(ExactNumber::Integer(sum)),
                None => ExactNumber::from_decimal(a as f64 + b as f64),
            },
            _ => ExactNumber::from_decimal(self.as_f64() + other.as_f64()),
        }
    }

    /// Returns the number as an `f64`; large integers are rounded.
    pub fn as_f64(self) -> f64 {
        match self {
            ExactNumber::Integer(integer) => integer as f64,
            ExactNumber::Decimal(decimal) => decimal,
        }
    }
}

impl From<i64> for ExactNumber {
    fn from(integer: i64) -> Self {
        ExactNumber::Integer(integer)
    }
}

impl Ord for ExactNumber {
    fn cmp(&self, other: &Self) -> Ordering {
        match (*self, *other) {
            (ExactNumber::Integer(a), ExactNumber::Integer(b)) => a.cmp(&b),
            (ExactNumber::Decimal(a), ExactNumber::Decimal(b)) => {
                a.partial_cmp(&b).unwrap_or(Ordering::Equal)
            }
            (ExactNumber::Integer(a), ExactNumber::Decimal(b)) => compare_mixed(a, b),
            (ExactNumber::Decimal(a), ExactNumber::Integer(b)) => compare_mixed(b, a).reverse(),
        }
    }
}

/// Compares without rounding the integer: its range first, then whole parts, then the fraction.
fn compare_mixed(integer: i64, decimal: f64) -> Ordering {
    const RANGE: f64 = 9_223_372_036_854_775_808.0; // 2^63, one above the largest i64.
    if decimal >= RANGE {
        return Ordering::Less;
    }
    if decimal < -RANGE {
        return Ordering::Greater;
    }
    let whole = decimal.trunc();
    integer
        .cmp(&(whole as i64))
        .then_with(|| 0.0_f64.partial_cmp(&(decimal - whole)).unwrap_or(Ordering::Equal))
}

impl PartialOrd for ExactNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ExactNumber {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ExactNumber {}

impl fmt::Display for ExactNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExactNumber::Integer(integer) => integer.fmt(f),
            // Debug writes the shortest digits that read back as the same number, and exponents.
            ExactNumber::Decimal(decimal) => write!(f, "{decimal:?}"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test fails by panicking.
mod tests {
    use super::*;

    #[test]
    fn integers_and_decimals_compare_by_value() {
        let number = |text: &str| ExactNumber::parse(text).unwrap();
        assert_eq!(number("5"), number("5.0"));
        assert_eq!(number("1e3"), number("1000"));
        assert!(number("5") < number("5.5") && number("-5") > number("-5.5"));
        assert!(number("9223372036854775807") < number("9223372036854775808"));
        assert_ne!(number("9007199254740993"), number("9007199254740992"));
        assert!(number("9007199254740993") > number("9007199254740992.0"));
    }

    #[test]
    fn rejects_texts_that_are_not_numbers() {
        for text in ["", "-", "abc", "1.", ".5", "+1", "1e999", "NaN", "inf", "1_000"] {
            assert!(ExactNumber::parse(text).is_none(), "{text}");
        }
    }
}
