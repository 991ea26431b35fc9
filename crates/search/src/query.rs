//! A parsed and validated query: fields and values are typed.

use crate::{FieldLevel, SearchField, SearchValue};
use std::ops::Bound;

/// A query over entries.
///
/// It is evaluated on the deepest level that its parts have in common. A condition on a node holds for all
/// nodes below it; a condition on a lower node holds for a higher one if it holds for any node below.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchQuery {
    /// All parts must match, on the same node of each level.
    And(Vec<SearchQuery>),
    /// At least one part must match.
    Or(Vec<SearchQuery>),
    /// No part may match, on any node of the entry.
    Not(Vec<SearchQuery>),
    /// Like `And`, but without an effect on the score.
    Filter(Vec<SearchQuery>),
    /// One condition.
    Leaf(Leaf),
}

impl SearchQuery {
    /// Returns whether it has a condition on nodes below the root.
    pub fn has_child_condition(&self) -> bool {
        match self {
            Self::And(parts) | Self::Or(parts) | Self::Not(parts) | Self::Filter(parts) => {
                parts.iter().any(Self::has_child_condition)
            }
            Self::Leaf(leaf) => leaf.field.level != FieldLevel::Root,
        }
    }
}

/// A condition on one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The field.
    pub field: SearchField,
    /// The factor of its score, usually 1.
    pub boost: f32,
    /// The test that at least one value of the field must pass.
    pub test: LeafTest,
}

/// The interval of a range.
pub type ValueBounds = (Bound<SearchValue>, Bound<SearchValue>);

/// A test of the values of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum LeafTest {
    /// The whole value equals one of these.
    Exact {
        /// The values; at least one.
        values: Vec<SearchValue>,
        /// Whether case is ignored.
        case_insensitive: bool,
    },
    /// The field has values, and none of them equals one of these.
    Lacks {
        /// The values.
        values: Vec<SearchValue>,
    },
    /// The field has a value.
    Exists,
    /// The values contain the terms of the text, by the analysis of their language.
    FullText {
        /// The text that was sent.
        text: String,
        /// Whether all terms must match, or any.
        all: bool,
    },
    /// Like `FullText`, but the last term may be a prefix.
    FullTextPrefix {
        /// The text that was sent.
        text: String,
        /// Whether all terms must match, or any.
        all: bool,
    },
    /// The value begins with this text.
    Prefix {
        /// The prefix.
        text: String,
        /// Whether case is ignored.
        case_insensitive: bool,
    },
    /// The whole value matches this pattern.
    Wildcard {
        /// The pattern: `*` matches any characters or none, `?` one; a backslash escapes either.
        pattern: String,
        /// Whether case is ignored.
        case_insensitive: bool,
    },
    /// The value is within these bounds.
    Range(ValueBounds),
    /// The values contain terms similar to those of the text.
    Fuzzy {
        /// The text that was sent.
        text: String,
        /// The number of characters that may differ: 0 to 2, less for short terms.
        level: u8,
        /// Whether all terms must match, or any.
        all: bool,
    },
    /// Nothing matches, e.g. because the project does not have the language.
    Never,
}
