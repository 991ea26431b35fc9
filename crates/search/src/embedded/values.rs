//! The columns of a segment: the values of a field by document.

use tantivy::columnar::{Column, ColumnIndex, StrColumn};

/// The values of a field by document.
#[derive(Clone)]
pub(super) enum ColumnValues {
    /// Ordinals of words, which sort like the words.
    Words(StrColumn),
    /// Numbers, see [`super::schema::number`].
    Numbers(Column<i64>),
}

/// The lengths of the texts of a field, in terms.
#[derive(Clone)]
pub(super) struct TextLengths {
    pub(super) column: Column<i64>,
    /// The number of documents with the field.
    pub(super) documents: u64,
    /// The number of terms of all of them.
    pub(super) terms: u64,
}

impl ColumnValues {
    pub(super) fn index(&self) -> &ColumnIndex {
        match self {
            Self::Words(column) => &column.ords().index,
            Self::Numbers(column) => &column.index,
        }
    }
}
