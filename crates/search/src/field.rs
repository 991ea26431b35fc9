//! Fields of an index, and their values.

use std::cmp::Ordering;
use std::sync::Arc;

/// The part of an [`SearchEntry`](crate::SearchEntry) that has a field.
///
/// Conditions on the fields of one level in one `and` must hold for the same node of that level: for one
/// Price, for one Product Variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldLevel {
    /// The resource itself: a Product, a Business Unit.
    Root,
    /// A part of the resource: a Product Variant.
    Child,
    /// A part of such a part: a Price of a Product Variant.
    Grandchild,
}

/// The kind of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// True and false.
    Boolean,
    /// Whole numbers.
    Long,
    /// Other numbers.
    Double,
    /// Times, as milliseconds since 1970 in UTC. A date is its first moment.
    Time,
    /// Words that are compared whole. They include times of a day, whose texts sort chronologically.
    Keyword,
    /// Words that hardly any two nodes share, such as the ids of Prices: compared whole, like [`FieldKind::Keyword`]. An
    /// index need not have a posting list for each of them.
    Id,
    /// Texts that are compared whole, and by the terms that the analysis of their language yields.
    Text,
}

/// A field of an index: a name, and a language if its values are localized.
///
/// Two fields with the same name and language are the same field and agree in everything else.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SearchField {
    /// The name in requests: `variants.attributes.color.key`, `name`.
    pub name: Arc<str>,
    /// The Locale of localized values, which selects the analysis of [`FieldKind::Text`]. `None`: not localized.
    pub language: Option<Arc<str>>,
    /// The level of the nodes with this field.
    pub level: FieldLevel,
    /// The kind of its values.
    pub kind: FieldKind,
}

/// A value of a field. Its kind is that of the field.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchValue {
    /// A value of [`FieldKind::Boolean`].
    Boolean(bool),
    /// A value of [`FieldKind::Long`].
    Long(i64),
    /// A value of [`FieldKind::Double`]; never NaN.
    Double(f64),
    /// A value of [`FieldKind::Time`]: milliseconds since 1970 in UTC.
    Time(i64),
    /// A value of [`FieldKind::Keyword`], [`FieldKind::Id`] or [`FieldKind::Text`].
    Text(String),
}

impl SearchValue {
    /// Orders two values of the same kind: numbers and times by size, texts by bytes, false before true.
    /// Values of different kinds have an arbitrary order.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (SearchValue::Boolean(one), SearchValue::Boolean(two)) => one.cmp(two),
            (SearchValue::Long(one), SearchValue::Long(two))
            | (SearchValue::Time(one), SearchValue::Time(two)) => one.cmp(two),
            // 0 and -0 are equal.
            (SearchValue::Double(one), SearchValue::Double(two)) => {
                one.partial_cmp(two).unwrap_or_else(|| one.total_cmp(two))
            }
            (SearchValue::Text(one), SearchValue::Text(two)) => one.cmp(two),
            (one, two) => one.ordinal().cmp(&two.ordinal()),
        }
    }

    fn ordinal(&self) -> u8 {
        match self {
            SearchValue::Boolean(_) => 0,
            SearchValue::Long(_) => 1,
            SearchValue::Double(_) => 2,
            SearchValue::Time(_) => 3,
            SearchValue::Text(_) => 4,
        }
    }

    /// Returns the value as the key of a bucket: a text unchanged, a number without needless digits (`4`, `4.5`), a
    /// time as `2024-01-31T00:00:00.000Z`.
    pub fn key(&self) -> String {
        match self {
            SearchValue::Boolean(value) => value.to_string(),
            SearchValue::Long(value) => value.to_string(),
            // Adding 0.0 removes the sign of -0.
            SearchValue::Double(value) => (value + 0.0).to_string(),
            SearchValue::Time(millis) => jiff::Timestamp::from_millisecond(*millis)
                .map_or_else(|_| millis.to_string(), |time| format!("{time:.3}")),
            SearchValue::Text(text) => text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_as_short_as_can_be() {
        let keys = [
            SearchValue::Double(4.0),
            SearchValue::Double(4.5),
            SearchValue::Long(-3),
            SearchValue::Boolean(true),
            SearchValue::Time(1_706_659_200_000),
        ]
        .map(|value| value.key());
        assert_eq!(keys, ["4", "4.5", "-3", "true", "2024-01-31T00:00:00.000Z"]);
    }
}
