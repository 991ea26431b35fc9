//! Index rows of name-value pairs (e.g. attributes): one text for each pair.

use crate::limits::INDEXED_TEXT_BYTES_MAX;
use crate::value::ConditionValue;

/// Separates the parts of a row. A text that contains it may share the row of another pair; therefore documents
/// found by such a row are checked.
const SEPARATOR: char = '\u{0}';

/// Capacity for separators, and for short values of other shapes.
const ROOM_BYTES: usize = 8;

/// Returns the row of a name with a value, or with a member of the object that is its value.
///
/// Equal values have equal rows. Different values may have equal rows too: long texts with the same beginning, and
/// large integers that round to the same `f64`.
pub fn pair_row(name: &str, member: Option<&str>, value: &ConditionValue) -> String {
    let member = member.unwrap_or_default();
    let text = if let ConditionValue::Text(text) = value { text } else { "" };
    let mut row = String::with_capacity(name.len() + member.len() + text.len() + ROOM_BYTES);
    for part in [name, member] {
        row.push_str(part);
        row.push(SEPARATOR);
    }
    match value {
        ConditionValue::Text(text) => {
            row.push('t');
            row.push_str(text);
        }
        ConditionValue::Boolean(flag) => row.push_str(if *flag { "btrue" } else { "bfalse" }),
        // Adding 0.0 removes the sign of a negative zero.
        ConditionValue::Number(number) => row.push_str(&format!("n{}", number.as_f64() + 0.0)),
        ConditionValue::Amount(amount) => row.push_str(&format!("a{amount}")),
    }
    row.truncate(row.floor_char_boundary(INDEXED_TEXT_BYTES_MAX));
    row
}

/// Returns the row of a name that has more values in a document than are indexed: the document may have any value.
pub fn any_value_row(name: &str) -> String {
    format!("{name}{SEPARATOR}{SEPARATOR}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::ExactNumber;

    #[test]
    fn equal_values_have_equal_rows() {
        let number = |text: &str| ConditionValue::Number(ExactNumber::parse(text).unwrap());
        assert_eq!(pair_row("size", None, &number("1")), pair_row("size", None, &number("1.0")));
        assert_eq!(pair_row("size", None, &number("0")), pair_row("size", None, &number("-0.0")));
        assert_ne!(pair_row("size", None, &number("1")), pair_row("size", None, &ConditionValue::text("1")));
        assert_ne!(
            pair_row("size", None, &ConditionValue::text("a")),
            pair_row("size", Some("key"), &ConditionValue::text("a"))
        );
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let row = pair_row("text", None, &ConditionValue::text(&"ü".repeat(2000)));
        assert!(row.len() <= INDEXED_TEXT_BYTES_MAX && row.ends_with('ü'));
    }
}
