//! Maps fields to fields of tantivy: few and fixed, whatever attributes and languages there are.
//!
//! Each node of an entry is a document. Names of fields are keys of JSON fields, so a new attribute needs no
//! new schema. Values without an order (words, texts as a whole) are in the term dictionary and in columns of
//! ordinals; numbers and moments are only in columns, and so are ids except their endings. The terms of texts
//! have frequencies; the number of terms of a node is a column, which replaces the norms that JSON fields
//! lack.

use crate::{Field, Kind, Value};
use std::fmt::Write as _;
use tantivy::schema::{
    Field as Column, IndexRecordOption, JsonObjectOptions, NumericOptions, Schema, TextFieldIndexing,
    TextOptions,
};

/// Increased when older indexes can no longer be read; such an index is discarded.
pub(super) const SCHEMA_FORMAT: u64 = 2;
/// Words and texts are indexed as a whole up to so many bytes, and by their beginning beyond. Queries are shorter.
const WHOLE_BYTES_MAX: usize = 2048;
/// So many bytes of an id lead to it: those of 65,536 random ones differ in them, so that of a million ids 15 are compared.
const ENDING_BYTES: usize = 4;
/// Ends what was cut, so that no query for a whole value finds it.
const CUT: char = '\u{10FFFF}';

/// The fields of tantivy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    /// The id of the entry, on every node: what deletes them.
    pub(super) entry: Column,
    /// The id again, on the root: what hits give back and ties are sorted by.
    pub(super) id: Column,
    /// 0 for grandchildren, 1 for children, 2 for roots.
    pub(super) level: Column,
    /// [`Node::label`](crate::Node::label).
    pub(super) label: Column,
    /// Words and whole texts, as they are.
    pub(super) whole: Column,
    /// Ids, as they are: a column alone.
    pub(super) ids: Column,
    /// How ids end ([`ending`]): lists without a column.
    pub(super) endings: Column,
    /// Those in small letters, where that is something else.
    pub(super) small: Column,
    /// The terms of texts.
    pub(super) terms: Column,
    /// Numbers and moments, and how many terms a text has.
    pub(super) numbers: Column,
}

/// The value of [`Columns::level`].
pub(super) const GRANDCHILD: u64 = 0;
pub(super) const CHILD: u64 = 1;
pub(super) const ROOT: u64 = 2;

impl Columns {
    /// All of them, and the schema that they are of.
    pub(super) fn new() -> (Schema, Self) {
        let indexed = |record| {
            TextFieldIndexing::default().set_tokenizer("raw").set_fieldnorms(false).set_index_option(record)
        };
        let json = || JsonObjectOptions::default();
        let mut schema = Schema::builder();
        let entry = TextOptions::default().set_indexing_options(indexed(IndexRecordOption::Basic));
        let entry = schema.add_text_field("entry", entry);
        let id = schema.add_text_field("id", TextOptions::default().set_fast("raw"));
        let level = schema.add_u64_field("level", NumericOptions::default().set_fast());
        let label = schema.add_text_field("label", TextOptions::default().set_fast("raw"));
        let whole = json().set_indexing_options(indexed(IndexRecordOption::Basic)).set_fast("raw");
        let whole = schema.add_json_field("whole", whole);
        let ids = schema.add_json_field("ids", json().set_fast("raw"));
        let endings = json().set_indexing_options(indexed(IndexRecordOption::Basic));
        let endings = schema.add_json_field("endings", endings);
        let small =
            schema.add_json_field("small", json().set_indexing_options(indexed(IndexRecordOption::Basic)));
        let terms = schema
            .add_json_field("terms", json().set_indexing_options(indexed(IndexRecordOption::WithFreqs)));
        let numbers = schema.add_json_field("numbers", json().set_fast("raw"));
        (schema.build(), Self { entry, id, level, label, whole, ids, endings, small, terms, numbers })
    }
}

/// The key of a field in the JSON fields. It names the kind, so that a field whose kind changed is another one.
pub(super) fn key(field: &Field) -> String {
    let mut key = String::with_capacity(field.name.len() + 8);
    write_key(field, &mut key);
    key
}

/// Writes the key of a field behind a text.
pub(super) fn write_key(field: &Field, key: &mut String) {
    key.push(match field.kind {
        Kind::Boolean => 'b',
        Kind::Long => 'l',
        Kind::Double => 'd',
        Kind::Time => 't',
        Kind::Keyword => 'k',
        Kind::Id => 'i',
        Kind::Text => 'x',
    });
    key.push('/');
    escape(&field.name, key);
    if let Some(language) = &field.language {
        key.push('@');
        escape(language, key);
    }
}

/// Dots and backslashes part paths in tantivy; what is below a blank parts path and value.
fn escape(name: &str, key: &mut String) {
    let means_something = |byte: u8| matches!(byte, b'.' | b'/' | b'\\' | b'@' | b'%' | b'\0'..=b' ');
    let mut rest = name;
    // Every value of a node has a key: what means nothing is taken piece by piece.
    while let Some(at) = rest.bytes().position(means_something) {
        let (plain, from) = rest.split_at(at);
        key.push_str(plain);
        match from.as_bytes()[0] {
            b'.' => key.push('/'),
            other => {
                let _ = write!(key, "%{other:02x}");
            }
        }
        rest = &from[1..];
    }
    key.push_str(rest);
}

/// Returns the indexed form of a value that is compared as a whole.
pub(super) fn whole(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= WHOLE_BYTES_MAX {
        return text.into();
    }
    let end = text.floor_char_boundary(WHOLE_BYTES_MAX);
    format!("{}{CUT}", &text[..end]).into()
}

/// Returns the part of an id that has a posting list. The term dictionary is a graph with a node for nearly
/// each byte that makes a word unique: with whole ids it would dominate the cost of an index. A lookup finds
/// few ids with one ending, and compares them: ids made at the same time begin alike, and end randomly.
pub(super) fn ending(id: &str) -> &str {
    &id[id.ceil_char_boundary(id.len().saturating_sub(ENDING_BYTES))..]
}

/// A whole value as it was, or what is left of it.
pub(super) fn uncut(text: &str) -> &str {
    text.strip_suffix(CUT).unwrap_or(text)
}

/// Whether the values are words; else they are numbers, in [`Columns::numbers`].
pub(super) fn is_whole(kind: Kind) -> bool {
    matches!(kind, Kind::Boolean | Kind::Keyword | Kind::Id | Kind::Text)
}

/// A number or moment as the column has it: sorts as the values do.
pub(super) fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Long(number) | Value::Time(number) => Some(*number),
        Value::Double(number) => Some(sortable(*number)),
        Value::Boolean(_) | Value::Text(_) => None,
    }
}

/// A double as a number that sorts as doubles do.
pub(super) fn sortable(double: f64) -> i64 {
    let bits = (double + 0.0).to_bits() as i64; // Adding 0 makes one zero of the two.
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// The double that [`sortable`] was given.
pub(super) fn double(sortable: i64) -> f64 {
    f64::from_bits((sortable ^ ((sortable >> 63) as u64 >> 1) as i64) as u64)
}

/// A truth value as a word.
pub(super) fn word(truth: bool) -> &'static str {
    if truth { "true" } else { "false" }
}

#[cfg(test)]
mod tests {
    use super::{double, escape, sortable};

    #[test]
    fn names_lose_what_parts_paths() {
        let escaped = |name: &str| {
            let mut key = String::new();
            escape(name, &mut key);
            key
        };
        assert_eq!(escaped("variants.prices.id"), "variants/prices/id");
        assert_eq!(escaped("größe a/b\\c@d%e."), "größe%20a%2fb%5cc%40d%25e/");
    }

    #[test]
    fn doubles_sort_as_numbers() {
        let doubles = [f64::NEG_INFINITY, -1e300, -2.5, -1e-300, 0.0, 1e-300, 1.0, 2.5, f64::INFINITY];
        for pair in doubles.windows(2) {
            assert!(sortable(pair[0]) < sortable(pair[1]), "{pair:?}");
        }
        for number in doubles {
            assert_eq!(double(sortable(number)), number);
        }
        assert_eq!(sortable(-0.0), sortable(0.0));
    }
}
