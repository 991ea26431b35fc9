//! Maps fields to fields of tantivy: few and fixed, whatever attributes and languages there are. Start at
//! [`SchemaColumns`].
//!
//! Each node of an entry is a document. Names of fields are keys of JSON fields, so a new attribute needs no
//! new schema. Values without an order (words, texts as a whole) are in the term dictionary and in columns of
//! ordinals; numbers and moments are only in columns, and so are ids except their endings. The terms of texts
//! have frequencies; the number of terms of a node is a column, which replaces the norms that JSON fields
//! lack.

use crate::{FieldKind, SearchField, SearchValue};
use std::fmt::Write as _;
use tantivy::schema::{
    Field as Column, IndexRecordOption, JsonObjectOptions, NumericOptions, Schema, TextFieldIndexing,
    TextOptions,
};

/// Increased when older indexes can no longer be read; such an index is discarded.
pub(super) const SCHEMA_FORMAT: u64 = 2;
/// Maximum number of bytes of a word or text that are indexed as a whole; longer ones are cut off. Queries are shorter.
const WHOLE_BYTES_MAX: usize = 2048;
/// Number of bytes of an id's ending in the posting lists: random ids have 65,536 different endings, so a lookup among
/// a million ids compares about 15.
const ENDING_BYTES: usize = 4;
/// Marks a value that was cut off, so that no query for a whole value finds it.
const CUT: char = '\u{10FFFF}';

/// The fields of tantivy.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaColumns {
    /// The id of the entry, on every node: deletes the nodes of an entry.
    pub(super) entry: Column,
    /// The id again, on the root: returned in hits, and used to sort ties.
    pub(super) id: Column,
    /// 0 for grandchildren, 1 for children, 2 for roots.
    pub(super) level: Column,
    /// [`EntryNode::label`](crate::EntryNode::label).
    pub(super) label: Column,
    /// Words and whole texts, unchanged.
    pub(super) whole: Column,
    /// Ids, unchanged: a column without posting lists.
    pub(super) ids: Column,
    /// The endings of ids ([`id_suffix`]): posting lists without a column.
    pub(super) endings: Column,
    /// The words and texts of `whole` in lower case, if that differs.
    pub(super) small: Column,
    /// The terms of texts.
    pub(super) terms: Column,
    /// Numbers and times, and the number of terms of a text.
    pub(super) numbers: Column,
}

/// The values of [`SchemaColumns::level`].
pub(super) const GRANDCHILD: u64 = 0;
pub(super) const CHILD: u64 = 1;
pub(super) const ROOT: u64 = 2;

impl SchemaColumns {
    /// Returns all fields, and their schema.
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

/// Returns the key of a field in the JSON fields. It contains the kind, so a field whose kind has changed is another
/// field.
pub(super) fn key(field: &SearchField) -> String {
    let mut key = String::with_capacity(field.name.len() + 8);
    write_key(field, &mut key);
    key
}

/// Appends the key of a field to a text.
pub(super) fn write_key(field: &SearchField, key: &mut String) {
    key.push(match field.kind {
        FieldKind::Boolean => 'b',
        FieldKind::Long => 'l',
        FieldKind::Double => 'd',
        FieldKind::Time => 't',
        FieldKind::Keyword => 'k',
        FieldKind::Id => 'i',
        FieldKind::Text => 'x',
    });
    key.push('/');
    escape(&field.name, key);
    if let Some(language) = &field.language {
        key.push('@');
        escape(language, key);
    }
}

/// Escapes a name: dots and backslashes separate paths in tantivy, and control characters separate path and value.
fn escape(name: &str, key: &mut String) {
    let means_something = |byte: u8| matches!(byte, b'.' | b'/' | b'\\' | b'@' | b'%' | b'\0'..=b' ');
    let mut rest = name;
    // Every value of a node has a key, so this is fast: characters without a meaning are copied in pieces.
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
pub(super) fn index_form(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= WHOLE_BYTES_MAX {
        return text.into();
    }
    let end = text.floor_char_boundary(WHOLE_BYTES_MAX);
    format!("{}{CUT}", &text[..end]).into()
}

/// Returns the part of an id that has a posting list. The term dictionary is a graph with a node for nearly
/// each byte that makes a word unique: with whole ids it would dominate the cost of an index. A lookup finds
/// few ids with one ending, and compares them: ids made at the same time begin alike, and end randomly.
pub(super) fn id_suffix(id: &str) -> &str {
    &id[id.ceil_char_boundary(id.len().saturating_sub(ENDING_BYTES))..]
}

/// Returns a whole value without the mark of a cut-off one.
pub(super) fn without_cut_mark(text: &str) -> &str {
    text.strip_suffix(CUT).unwrap_or(text)
}

/// Whether values of a kind are words; otherwise they are numbers, in [`SchemaColumns::numbers`].
pub(super) fn is_whole(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Boolean | FieldKind::Keyword | FieldKind::Id | FieldKind::Text)
}

/// Converts a number or time to its column value, which sorts like the values.
pub(super) fn number(value: &SearchValue) -> Option<i64> {
    match value {
        SearchValue::Long(number) | SearchValue::Time(number) => Some(*number),
        SearchValue::Double(number) => Some(double_to_sortable(*number)),
        SearchValue::Boolean(_) | SearchValue::Text(_) => None,
    }
}

/// Converts a double to an integer that sorts like doubles.
pub(super) fn double_to_sortable(double: f64) -> i64 {
    let bits = (double + 0.0).to_bits() as i64; // Adding 0 makes one zero of the two.
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// Reverses [`double_to_sortable`].
pub(super) fn sortable_to_double(sortable: i64) -> f64 {
    f64::from_bits((sortable ^ ((sortable >> 63) as u64 >> 1) as i64) as u64)
}

/// Converts a boolean to a word.
pub(super) fn bool_term(truth: bool) -> &'static str {
    if truth { "true" } else { "false" }
}

#[cfg(test)]
mod tests {
    use super::{double_to_sortable, escape, sortable_to_double};

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
            assert!(double_to_sortable(pair[0]) < double_to_sortable(pair[1]), "{pair:?}");
        }
        for number in doubles {
            assert_eq!(sortable_to_double(double_to_sortable(number)), number);
        }
        assert_eq!(double_to_sortable(-0.0), double_to_sortable(0.0));
    }
}
