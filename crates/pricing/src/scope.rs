//! The scope of a price (buyers and regions) and its validity period.
//!
//! Source: reference types `Price`, `StandalonePrice`, `DuplicatePriceScopeError`,
//! `OverlappingPriceValidityError`.

use jiff::Timestamp;
use kontor_currency::Currency;
use std::fmt;

/// The buyers that a price is for. An absent field places no restriction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PriceScope<'a> {
    /// The currency of the payment.
    pub currency: Currency,
    /// ISO 3166-1.
    pub country: Option<&'a str>,
    /// Id of a Customer Group.
    pub customer_group: Option<&'a str>,
    /// Id of a Channel.
    pub channel: Option<&'a str>,
    /// Id of a Recurrence Policy.
    pub recurrence_policy: Option<&'a str>,
}

impl PriceScope<'_> {
    /// Returns the scope of a price for all buyers who pay in a currency.
    pub const fn for_all_buyers(currency: Currency) -> Self {
        Self { currency, country: None, customer_group: None, channel: None, recurrence_policy: None }
    }
}

impl fmt::Display for PriceScope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "currency={}", self.currency.code())?;
        for (name, value) in [
            ("country", self.country),
            ("customerGroup", self.customer_group),
            ("channel", self.channel),
            ("recurrencePolicy", self.recurrence_policy),
        ] {
            if let Some(value) = value {
                write!(f, ", {name}={value}")?;
            }
        }
        Ok(())
    }
}

/// The period in which a price is valid: from its beginning up to, but excluding, its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Validity {
    /// The first moment; none: always has been.
    pub from: Option<Timestamp>,
    /// The first moment after; none: for ever.
    pub until: Option<Timestamp>,
}

impl Validity {
    /// A period without beginning and end.
    pub const ALWAYS: Self = Self { from: None, until: None };

    /// Returns whether it has a beginning or an end.
    pub fn is_limited(&self) -> bool {
        self.from.is_some() || self.until.is_some()
    }

    /// Returns whether the beginning is at least a millisecond before the end.
    pub fn is_forward(&self) -> bool {
        match (self.from, self.until) {
            (Some(from), Some(until)) => from < until,
            _ => true,
        }
    }

    /// Whether `at` is within.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }

    /// Returns whether both include a common time.
    pub fn overlaps(&self, other: &Self) -> bool {
        let before = |end: Option<Timestamp>, start: Option<Timestamp>| match (end, start) {
            (Some(end), Some(start)) => end <= start,
            _ => false,
        };
        !before(self.until, other.from) && !before(other.until, self.from)
    }
}

/// The conflict between two prices of one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeConflict {
    /// Both apply to the same period.
    SameScope,
    /// Their periods overlap.
    Overlap,
}

/// Returns the conflict between two prices of one scope, if there is one. A price without a period does not conflict
/// with one that has a period.
pub fn find_conflict(one: &Validity, other: &Validity) -> Option<ScopeConflict> {
    if one == other {
        return Some(ScopeConflict::SameScope);
    }
    (one.is_limited() && other.is_limited() && one.overlaps(other)).then_some(ScopeConflict::Overlap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn validity(from: Option<i64>, until: Option<i64>) -> Validity {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        Validity { from: from.map(at), until: until.map(at) }
    }

    #[test]
    fn periods_that_meet_do_not_overlap() {
        let (first, second) = (validity(Some(0), Some(10)), validity(Some(10), None));
        assert!(!first.overlaps(&second));
        assert!(!first.contains(Timestamp::from_second(10).unwrap()));
        assert!(second.contains(Timestamp::from_second(10).unwrap()));
        assert_eq!(find_conflict(&first, &second), None);
    }

    #[test]
    fn prices_with_and_without_period_do_not_conflict() {
        let always = validity(None, None);
        assert_eq!(find_conflict(&always, &validity(Some(0), None)), None);
        assert_eq!(find_conflict(&always, &always), Some(ScopeConflict::SameScope));
        let (summer, july) = (validity(Some(0), Some(10)), validity(Some(2), Some(4)));
        assert_eq!(find_conflict(&summer, &july), Some(ScopeConflict::Overlap));
        assert_eq!(find_conflict(&summer, &summer), Some(ScopeConflict::SameScope));
    }

    proptest! {
        #[test]
        fn periods_overlap_where_a_moment_is_in_both(
            a in prop::option::of(0_i64..12), b in prop::option::of(0_i64..12),
            c in prop::option::of(0_i64..12), d in prop::option::of(0_i64..12),
        ) {
            let (one, other) = (validity(a, b), validity(c, d));
            prop_assume!(one.is_forward() && other.is_forward());
            let shared = (-1..14).any(|second| {
                let at = Timestamp::from_second(second).unwrap();
                one.contains(at) && other.contains(at)
            });
            prop_assert_eq!(one.overlaps(&other), shared);
            prop_assert_eq!(one.overlaps(&other), other.overlaps(&one));
        }
    }
}
