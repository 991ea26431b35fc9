//! The columns of a segment.

use tantivy::columnar::{Column, ColumnIndex, StrColumn};

/// The values of a field by document.
#[derive(Clone)]
pub(super) enum Values {
    /// Ordinals of words, sorted as the words are.
    Words(StrColumn),
    /// Numbers, see [`super::schema::number`].
    Numbers(Column<i64>),
}

/// How long the texts of a field are.
#[derive(Clone)]
pub(super) struct Lengths {
    pub(super) column: Column<i64>,
    /// How many documents have the field.
    pub(super) documents: u64,
    /// The terms of all of them.
    pub(super) terms: u64,
}

impl Values {
    pub(super) fn index(&self) -> &ColumnIndex {
        match self {
            Self::Words(column) => &column.ords().index,
            Self::Numbers(column) => &column.index,
        }
    }
}
