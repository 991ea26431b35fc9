//! Converts values and puts them into the nodes of an index entry.

use jiff::civil::{Date, Time, TimeRound};
use jiff::{RoundMode, Timestamp, Unit};
use kontor_engine::Document;
use kontor_model::parse_date_time;
use kontor_search::{EntryNode, NodeValue, SearchField, SearchValue};
use std::sync::Arc;

/// Puts a value into a node. If duplicates are possible, call [`each_once`] after the last one.
pub(super) fn add_value(node: &mut EntryNode, field: &SearchField, value: SearchValue) {
    node.values.push(NodeValue { field: field.clone(), value });
}

/// Removes duplicate values of each field, and keeps the first ones. A set may have hundreds of thousands of values, so
/// they are sorted instead of comparing all pairs.
pub(super) fn remove_duplicates(node: &mut EntryNode) {
    let compare = |one: &NodeValue, other: &NodeValue| {
        let fields = one.field.name.cmp(&other.field.name);
        let languages = fields.then_with(|| one.field.language.cmp(&other.field.language));
        languages.then_with(|| one.value.compare(&other.value))
    };
    let values = &node.values;
    let mut sequence: Vec<usize> = (0..values.len()).collect();
    sequence.sort_by(|one, other| compare(&values[*one], &values[*other]));
    let mut is_first = vec![true; values.len()];
    for pair in sequence.windows(2) {
        is_first[pair[1]] = compare(&values[pair[0]], &values[pair[1]]).is_ne();
    }
    let mut is_first = is_first.into_iter();
    node.values.retain(|_| is_first.next() == Some(true));
}

/// Puts the texts that `admits` accepts, in the indexed languages, from a localized text into a node. `field` has no
/// language.
pub(super) fn put_localized(
    node: &mut EntryNode,
    field: &SearchField,
    texts: &Document,
    languages: &[Arc<str>],
    admits: impl Fn(&str) -> bool,
) {
    for language in languages {
        let text = texts.get(&**language).and_then(kontor_json::Value::as_str);
        if let Some(text) = text.filter(|text| admits(text)) {
            add_value(node, &field_in_language(field, language), SearchValue::Text(text.to_owned()));
        }
    }
}

/// The field of a language.
pub(super) fn field_in_language(field: &SearchField, language: &Arc<str>) -> SearchField {
    SearchField { language: Some(Arc::clone(language)), ..field.clone() }
}

/// Milliseconds of a moment.
pub(super) fn parse_time_ms(text: &str) -> Option<i64> {
    parse_date_time(text).map(Timestamp::as_millisecond)
}

/// Milliseconds of the first moment of a day in UTC.
pub(super) fn parse_day_ms(text: &str) -> Option<i64> {
    parse_time_ms(&text.parse::<Date>().ok()?.to_string())
}

/// A time of the day with milliseconds, so that texts sort as times do.
pub(super) fn time_of_day(text: &str) -> Option<String> {
    let time: Time = text.parse().ok()?;
    let time = time.round(TimeRound::new().smallest(Unit::Millisecond).mode(RoundMode::Trunc)).ok()?;
    Some(time.strftime("%H:%M:%S.%3f").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_search::{FieldKind, FieldLevel};

    #[test]
    fn each_value_of_a_field_is_left_once() {
        let field = |name: &str, language: Option<&str>| SearchField {
            name: Arc::from(name),
            language: language.map(Arc::from),
            level: FieldLevel::Root,
            kind: FieldKind::Long,
        };
        let (one, other, german) = (field("a", None), field("b", None), field("a", Some("de")));
        let mut node = EntryNode::default();
        for number in [2, 1, 2] {
            for field in [&one, &other, &german] {
                add_value(&mut node, field, SearchValue::Long(number));
            }
        }
        remove_duplicates(&mut node);
        assert_eq!(node.values.len(), 6);
        assert_eq!(node.values[0], NodeValue { field: one, value: SearchValue::Long(2) });
    }

    #[test]
    fn times_are_milliseconds_and_times_of_the_day_sort_as_texts() {
        assert_eq!(parse_time_ms("1970-01-01T00:00:01.500Z"), Some(1500));
        assert_eq!(parse_day_ms("1970-01-02"), Some(86_400_000));
        assert_eq!(time_of_day("09:30:00").as_deref(), Some("09:30:00.000"));
        assert_eq!(time_of_day("23:59:59.9994").as_deref(), Some("23:59:59.999"));
        assert_eq!(parse_time_ms("yesterday"), None);
    }
}
