//! A node of an entry as a document of tantivy. Start at [`NodeDocument::new`].
//!
//! All its words and the keys of their fields are in one text, and the columns store positions: a Product has
//! some hundred words, and a separate text for each would dominate the cost of indexing.

use super::schema::{
    CHILD, GRANDCHILD, ROOT, SchemaColumns, bool_term, id_suffix, index_form, is_whole, number, write_key,
};
use crate::analysis::{each_term, fold_case};
use crate::{EntryNode, FieldKind, FieldLevel, NodeValue, SearchValue};
use std::iter;
use std::ops::Range;
use std::sync::Arc;
use tantivy::Document;
use tantivy::schema::Field as Column;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf, Value as TantivyValue};

/// A node in the form that tantivy indexes.
pub(super) struct NodeDocument {
    columns: SchemaColumns,
    /// The id of its entry.
    id: Arc<str>,
    level: FieldLevel,
    label: String,
    text: String,
    whole: Vec<JsonFieldValue>,
    ids: Vec<JsonFieldValue>,
    endings: Vec<JsonFieldValue>,
    small: Vec<JsonFieldValue>,
    terms: Vec<JsonFieldValue>,
    numbers: Vec<JsonFieldValue>,
    /// A counter of unwritten entries, in the last node of each entry; dropped once the node is written.
    _waiting: Option<Arc<()>>,
}

/// A value in a JSON field: the range of its key in the text, and the value.
#[derive(Debug)]
pub(super) struct JsonFieldValue {
    key: Range<usize>,
    value: JsonFieldContent,
}

#[derive(Debug)]
pub(super) enum JsonFieldContent {
    /// The range of a word in the text.
    Word(Range<usize>),
    Number(i64),
}

impl NodeDocument {
    /// Converts a node. `waiting` is dropped together with the document.
    pub(super) fn new(
        node: EntryNode,
        level: FieldLevel,
        id: &Arc<str>,
        columns: SchemaColumns,
        waiting: Option<Arc<()>>,
    ) -> Self {
        let mut document = Self {
            columns,
            id: Arc::clone(id),
            level,
            label: node.label,
            text: String::with_capacity(64 * node.values.len()),
            whole: Vec::with_capacity(node.values.len()),
            ids: Vec::new(),
            endings: Vec::new(),
            small: Vec::new(),
            terms: Vec::new(),
            numbers: Vec::new(),
            _waiting: waiting,
        };
        for value in &node.values {
            document.add(value);
        }
        document
    }

    fn add(&mut self, NodeValue { field, value }: &NodeValue) {
        let from = self.text.len();
        write_key(field, &mut self.text);
        let key = from..self.text.len();
        match value {
            SearchValue::Boolean(truth) => {
                let value = self.write(bool_term(*truth));
                self.whole.push(JsonFieldValue { key, value });
            }
            SearchValue::Text(text) if field.kind == FieldKind::Id => {
                let value = self.write(id_suffix(text));
                self.endings.push(JsonFieldValue { key: key.clone(), value });
                let value = self.write(&index_form(text));
                self.ids.push(JsonFieldValue { key, value });
            }
            SearchValue::Text(text) if is_whole(field.kind) => {
                let folded = fold_case(text);
                if folded != text.as_str() {
                    let value = self.write(&index_form(&folded));
                    self.small.push(JsonFieldValue { key: key.clone(), value });
                }
                if field.kind == FieldKind::Text {
                    self.add_terms(&key, field.language.as_deref(), text);
                }
                let value = self.write(&index_form(text));
                self.whole.push(JsonFieldValue { key, value });
            }
            SearchValue::Text(_) => {}
            SearchValue::Double(double) if double.is_nan() => {}
            SearchValue::Long(_) | SearchValue::Time(_) | SearchValue::Double(_) => {
                if let Some(number) = number(value) {
                    self.numbers.push(JsonFieldValue { key, value: JsonFieldContent::Number(number) });
                }
            }
        }
    }

    /// Adds the terms of a text, and adds their number to the length of the field in this node.
    fn add_terms(&mut self, key: &Range<usize>, language: Option<&str>, text: &str) {
        let mut words = 0;
        let mut last = None;
        each_term(language, text, |term| {
            if last != Some(term.position) {
                words += 1;
                last = Some(term.position);
            }
            let value = Self::write_to(&mut self.text, &term.text);
            self.terms.push(JsonFieldValue { key: key.clone(), value });
        });
        let known = &self.text[key.clone()];
        match self.numbers.iter_mut().find(|put| &self.text[put.key.clone()] == known) {
            Some(JsonFieldValue { value: JsonFieldContent::Number(length), .. }) => *length += words,
            _ => {
                self.numbers.push(JsonFieldValue { key: key.clone(), value: JsonFieldContent::Number(words) })
            }
        }
    }

    fn write(&mut self, word: &str) -> JsonFieldContent {
        Self::write_to(&mut self.text, word)
    }

    fn write_to(text: &mut String, word: &str) -> JsonFieldContent {
        let from = text.len();
        text.push_str(word);
        JsonFieldContent::Word(from..text.len())
    }

    /// Returns a JSON field with its values, if there are any.
    fn object<'a>(
        &'a self,
        column: Column,
        values: &'a [JsonFieldValue],
    ) -> Option<(Column, DocumentValue<'a>)> {
        (!values.is_empty()).then_some((column, DocumentValue::Object(&self.text, values)))
    }
}

impl Document for NodeDocument {
    type Value<'a> = DocumentValue<'a>;
    type FieldsValuesIter<'a> = iter::Flatten<std::array::IntoIter<Option<(Column, DocumentValue<'a>)>, 9>>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let columns = &self.columns;
        let (level, own) = match self.level {
            FieldLevel::Root => (ROOT, Some((columns.id, DocumentValue::Word(&self.id)))),
            FieldLevel::Child => (CHILD, Some((columns.label, DocumentValue::Word(&self.label)))),
            FieldLevel::Grandchild => (GRANDCHILD, None),
        };
        let all = [
            Some((columns.entry, DocumentValue::Word(&self.id))),
            Some((columns.level, DocumentValue::Level(level))),
            own,
            self.object(columns.whole, &self.whole),
            self.object(columns.ids, &self.ids),
            self.object(columns.endings, &self.endings),
            self.object(columns.small, &self.small),
            self.object(columns.terms, &self.terms),
            self.object(columns.numbers, &self.numbers),
        ];
        all.into_iter().flatten()
    }
}

/// A value in the form that tantivy reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum DocumentValue<'a> {
    Word(&'a str),
    Level(u64),
    Number(i64),
    Object(&'a str, &'a [JsonFieldValue]),
}

/// The values of a JSON field with their keys. A key may occur several times.
pub(super) struct JsonFieldMembers<'a> {
    text: &'a str,
    values: std::slice::Iter<'a, JsonFieldValue>,
}

impl<'a> Iterator for JsonFieldMembers<'a> {
    type Item = (&'a str, DocumentValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let JsonFieldValue { key, value } = self.values.next()?;
        let value = match value {
            JsonFieldContent::Word(place) => DocumentValue::Word(&self.text[place.clone()]),
            JsonFieldContent::Number(number) => DocumentValue::Number(*number),
        };
        Some((&self.text[key.clone()], value))
    }
}

impl<'a> TantivyValue<'a> for DocumentValue<'a> {
    type ArrayIter = iter::Empty<Self>;
    type ObjectIter = JsonFieldMembers<'a>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        match *self {
            Self::Word(word) => ReferenceValue::Leaf(ReferenceValueLeaf::Str(word)),
            Self::Level(level) => ReferenceValue::Leaf(ReferenceValueLeaf::U64(level)),
            Self::Number(number) => ReferenceValue::Leaf(ReferenceValueLeaf::I64(number)),
            Self::Object(text, values) => {
                ReferenceValue::Object(JsonFieldMembers { text, values: values.iter() })
            }
        }
    }
}
