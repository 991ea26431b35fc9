//! Tokens of conditions: the name of a field, followed by a value or a term. They have the order of the
//! field's values.

use kontor_search::{SearchField, SearchValue};

/// The separator between a field and its value; no field name contains it.
const BEHIND: char = '\u{1}';
/// A character after all tokens of a field, and between its name and its language.
const AFTER: char = '\u{2}';
/// Maximum bytes of an indexed text: OpenSearch does not take longer tokens, including the name of the field.
pub(crate) const TEXT_BYTES_MAX: usize = 30_000;

/// Returns the name of a field in tokens.
pub(crate) fn name(field: &SearchField) -> String {
    match &field.language {
        None => field.name.to_string(),
        Some(language) => format!("{}{AFTER}{language}", field.name),
    }
}

/// Returns the token of a value.
pub(crate) fn value(field: &SearchField, value: &SearchValue) -> String {
    let text = match value {
        SearchValue::Boolean(value) => return text(field, if *value { "1" } else { "0" }),
        SearchValue::Long(value) | SearchValue::Time(value) => integer_token(*value),
        SearchValue::Double(value) => real_token(*value),
        SearchValue::Text(value) => return text(field, value),
    };
    self::text(field, &text)
}

/// Returns the token of a text or term.
pub(crate) fn text(field: &SearchField, text: &str) -> String {
    format!("{}{BEHIND}{}", name(field), truncate_text(text))
}

/// Returns a text greater than all tokens of a field, and smaller than those of the next.
pub(crate) fn end_of_field(field: &SearchField) -> String {
    format!("{}{AFTER}", name(field))
}

/// Returns the indexed beginning of a text.
pub(crate) fn truncate_text(text: &str) -> &str {
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    text.get(..end).unwrap_or(text)
}

/// Returns an integer as 16 hexadecimal digits with the same order.
fn integer_token(number: i64) -> String {
    format!("{:016x}", number.cast_unsigned() ^ (1 << 63))
}

/// Returns a real as 16 hexadecimal digits with the same order. 0 and -0 are equal.
fn real_token(number: f64) -> String {
    let bits = (number + 0.0).to_bits();
    format!("{:016x}", if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_search::{FieldKind, FieldLevel};

    #[test]
    fn words_sort_as_values_do() {
        let field = SearchField {
            name: "a".into(),
            language: None,
            level: FieldLevel::Root,
            kind: FieldKind::Double,
        };
        let doubles = [f64::NEG_INFINITY, -2.5, -1e-9, 0.0, 1e-9, 0.5, 1.0, 4.5, 1e300];
        let longs = [i64::MIN, -1 << 40, -5, 0, 1, 1 << 40, i64::MAX];
        for all in [doubles.map(SearchValue::Double).to_vec(), longs.map(SearchValue::Long).to_vec()] {
            let words: Vec<String> = all.iter().map(|one| value(&field, one)).collect();
            assert!(words.is_sorted(), "{words:?}");
            assert!(words.iter().all(|word| *word < end_of_field(&field)));
        }
        assert_eq!(value(&field, &SearchValue::Double(-0.0)), value(&field, &SearchValue::Double(0.0)));
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        let text = "ä".repeat(TEXT_BYTES_MAX);
        assert_eq!(truncate_text(&text).len(), TEXT_BYTES_MAX);
        assert!(truncate_text(&format!("a{text}")).len() < TEXT_BYTES_MAX);
    }
}
