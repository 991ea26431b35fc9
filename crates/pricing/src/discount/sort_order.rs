//! The order in which discounts apply.
//!
//! Source: reference type `CartDiscount`, field `sortOrder`: a number between 0 and 1, the highest first.

use std::cmp::Ordering;

/// A number between 0 and 1 with any number of digits. Neither floats nor decimals would compare it exactly.
#[derive(Debug, Clone, Copy)]
pub struct SortOrder<'a> {
    /// The digits after the point, without trailing zeros.
    digits: &'a str,
}

impl<'a> SortOrder<'a> {
    /// Parses a sort order; `None` unless it is a number above 0 and below 1 in plain digits.
    pub fn new(text: &'a str) -> Option<Self> {
        let (before, behind) = text.split_once('.')?;
        let digits = behind.trim_end_matches('0');
        let is_between = before.bytes().all(|digit| digit == b'0') && !digits.is_empty();
        (is_between && digits.bytes().all(|digit| digit.is_ascii_digit())).then_some(Self { digits })
    }
}

impl PartialEq for SortOrder<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.digits == other.digits
    }
}

impl Eq for SortOrder<'_> {}

impl PartialOrd for SortOrder<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By number: discounts apply from the greatest to the least.
impl Ord for SortOrder<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.digits.cmp(other.digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_orders_are_compared_as_numbers() {
        let sorted =
            ["0.000000000000000000000000000000001", "0.1", "0.1000000000000000000000000001", "0.9", ".91"];
        let orders = sorted.map(|text| SortOrder::new(text).unwrap());
        assert!(orders.is_sorted());
        assert_eq!(SortOrder::new("0.5"), SortOrder::new("00.500"));
        for text in ["", "0", "1", "0.0", "1.5", "-0.5", "0.5e1", "0.5.5", "0,5"] {
            assert_eq!(SortOrder::new(text), None, "{text}");
        }
    }
}
