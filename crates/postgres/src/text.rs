//! Texts and index values in the form that columns have.
//!
//! PostgreSQL cannot store U+0000, so it and U+0001 are escaped as two characters, which keeps the order of texts. An
//! index value is one text with the same order: a letter for number or text, followed by the text itself, or by the
//! number in hexadecimal digits of equal length. All such columns compare byte by byte (`COLLATE "C"`).

use std::borrow::Cow;

use kontor_storage::{IndexValue, WHOLE_REAL_MAX};
use sha2::{Digest, Sha256};

/// Maximum number of bytes of an index value. A page of an index has at least three rows, so none may exceed 2,700
/// bytes.
const INDEXED_BYTES_MAX: usize = 2_064;
/// Length in bytes after which longer values are truncated. Their hash follows, which distinguishes them.
const CUT_BYTES: usize = 2_000;

/// The prefix of numbers.
const NUMBER: char = 'n';
/// The prefix of texts, which sort after all numbers.
const TEXT: char = 't';
/// A text after all values.
pub(crate) const END: &str = "u";
/// A text before all texts and after all numbers.
pub(crate) const FIRST_TEXT: &str = "t";

/// Escapes the characters that PostgreSQL cannot store.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte < 2) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => escaped.push_str("\u{1}\u{1}"),
            '\u{1}' => escaped.push_str("\u{1}\u{2}"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// Reverts [`escaped`].
pub(crate) fn unescape(text: &str) -> String {
    if !text.contains('\u{1}') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\u{1}' if characters.next() == Some('\u{1}') => '\0',
            other => other,
        });
    }
    plain
}

/// Returns whether PostgreSQL can store the text unescaped. All ids are such texts.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.contains('\0')
}

/// Returns the column form of a unique key's value.
pub(crate) fn unique_value(value: &str) -> String {
    truncate_value(escape(value).into_owned())
}

/// Returns the column form of an index value; `None` if it cannot be indexed.
pub(crate) fn index_value(value: &IndexValue) -> Option<String> {
    match value {
        IndexValue::Text(text) => {
            let mut column = String::with_capacity(text.len() + 1);
            column.push(TEXT);
            column.push_str(&escape(text));
            Some(truncate_value(column))
        }
        IndexValue::Integer(number) => {
            // The nearest real, and the distance to it: pairs of these sort as the numbers do.
            let real = *number as f64;
            let rest = i128::from(*number) - real as i128;
            Some(number_text(real, rest))
        }
        IndexValue::Real(number) if number.is_finite() => Some(number_text(*number, 0)),
        IndexValue::Real(_) => None,
    }
}

/// Returns the value of a column, if the column contains it completely.
pub(crate) fn value_of(column: &str) -> Option<IndexValue> {
    let mut characters = column.chars();
    let kind = characters.next()?;
    let rest = characters.as_str();
    if kind == TEXT {
        return Some(IndexValue::Text(unescape(rest)));
    }
    let bits = u64::from_str_radix(rest.get(..16)?, 16).ok()?;
    let distance = i128::from_str_radix(rest.get(16..)?, 16).ok()? - REST_ZERO;
    let real = f64::from_bits(if bits & SIGN == 0 { !bits } else { bits & !SIGN });
    if distance == 0 && (real.fract() != 0.0 || real.abs() > WHOLE_REAL_MAX) {
        return Some(IndexValue::Real(real));
    }
    i64::try_from(real as i128 + distance).ok().map(IndexValue::Integer)
}

/// The sign bit of a real.
const SIGN: u64 = 1 << 63;
/// The offset of the distance, which is between -512 and 512.
const REST_ZERO: i128 = 0x800;

fn number_text(real: f64, rest: i128) -> String {
    // Zero has two signs, but is one value.
    let real = if real == 0.0 { 0.0 } else { real };
    let bits = real.to_bits();
    let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    format!("{NUMBER}{ordered:016x}{:03x}", rest + REST_ZERO)
}

/// Truncates a value that is too long for a row of an index.
fn truncate_value(mut column: String) -> String {
    if column.len() <= INDEXED_BYTES_MAX {
        return column;
    }
    let digest = Sha256::digest(column.as_bytes());
    let cut = (0..=CUT_BYTES).rev().find(|end| column.is_char_boundary(*end)).unwrap_or(0);
    column.truncate(cut);
    for byte in digest {
        column.push_str(&format!("{byte:02x}"));
    }
    column
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(numbers: &[IndexValue]) -> bool {
        let columns: Vec<_> = numbers.iter().map(|number| index_value(number).unwrap()).collect();
        columns.is_sorted_by(|before, after| before < after)
    }

    #[test]
    fn numbers_sort_before_texts_and_by_amount() {
        assert!(sorted(&[
            IndexValue::Real(f64::MIN),
            IndexValue::Integer(i64::MIN),
            IndexValue::Integer(i64::MIN + 1),
            IndexValue::Integer(-1),
            IndexValue::Real(-0.5),
            IndexValue::Integer(0),
            IndexValue::Real(f64::MIN_POSITIVE),
            IndexValue::Integer(1),
            IndexValue::Real(1.5),
            IndexValue::Integer((1 << 53) - 1),
            IndexValue::Integer(1 << 53),
            IndexValue::Integer((1 << 53) + 1),
            IndexValue::Integer(i64::MAX - 1),
            IndexValue::Integer(i64::MAX),
            IndexValue::Real(f64::MAX),
            IndexValue::Text(String::new()),
            IndexValue::Text("\0".into()),
            IndexValue::Text("\u{1}".into()),
            IndexValue::Text("\u{2}".into()),
            IndexValue::Text("1".into()),
            IndexValue::Text("\u{10ffff}".into()),
        ]));
        assert_eq!(index_value(&IndexValue::Real(2.0)), index_value(&IndexValue::Integer(2)));
        assert_eq!(index_value(&IndexValue::Real(-0.0)), index_value(&IndexValue::Integer(0)));
        assert_eq!(index_value(&IndexValue::Real(f64::NAN)), None);
    }

    #[test]
    fn long_values_fit_and_differ() {
        let (one, other) = ("ä".repeat(5_000), "ä".repeat(5_001));
        let columns = [&one, &other].map(|text| unique_value(text));
        assert!(columns[0] != columns[1] && columns.iter().all(|column| column.len() < 2_100));
        assert_eq!(unique_value(&columns[0]), columns[0], "a value that was cut once is not cut again");
    }

    proptest! {
        #[test]
        fn texts_come_back_and_keep_their_order(texts in prop::collection::vec("[\0-\u{3}a-z]{0,6}", 2)) {
            let columns: Vec<_> = texts.iter().map(|text| escape(text)).collect();
            prop_assert!(columns.iter().all(|column| is_plain(column)));
            prop_assert_eq!(columns[0].cmp(&columns[1]), texts[0].cmp(&texts[1]));
            prop_assert_eq!(unescape(&columns[0]), &*texts[0]);
        }

        #[test]
        fn numbers_come_back_and_keep_their_order(one in any::<i64>(), other in any::<i64>(), real in -1e300..1e300_f64) {
            let column = |number: i64| index_value(&number.into()).unwrap();
            prop_assert_eq!(column(one).cmp(&column(other)), one.cmp(&other));
            prop_assert_eq!(index_value(&value_of(&column(one)).unwrap()), Some(column(one)));
            let real_column = index_value(&IndexValue::Real(real)).unwrap();
            prop_assert_eq!(index_value(&value_of(&real_column).unwrap()), Some(real_column));
        }
    }
}
