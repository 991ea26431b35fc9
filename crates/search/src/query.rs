//! A parsed and validated query: fields and values are typed.

use crate::{Field, Level, Value};
use std::ops::Bound;

/// A query over entries.
///
/// It is evaluated on the deepest level that its parts have in common. A condition on a node holds for all
/// nodes below it; a condition on a lower node holds for a higher one if it holds for any node below.
#[derive(Debug, Clone, PartialEq)]
pub enum Query {
    /// All hold, of the same node of each level.
    And(Vec<Query>),
    /// At least one holds.
    Or(Vec<Query>),
    /// Of an entry for which none holds, on any of its nodes.
    Not(Vec<Query>),
    /// All hold, as with `And`, and add nothing to the score.
    Filter(Vec<Query>),
    /// One condition.
    Leaf(Leaf),
}

impl Query {
    /// Whether it has a condition on anything below the root.
    pub fn asks_of_children(&self) -> bool {
        match self {
            Self::And(parts) | Self::Or(parts) | Self::Not(parts) | Self::Filter(parts) => {
                parts.iter().any(Self::asks_of_children)
            }
            Self::Leaf(leaf) => leaf.field.level != Level::Root,
        }
    }
}

/// A condition on one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The field.
    pub field: Field,
    /// The factor of its score. Usually 1.
    pub boost: f32,
    /// The condition for at least one of its values.
    pub test: Test,
}

/// The interval of a range.
pub type Bounds = (Bound<Value>, Bound<Value>);

/// A condition on the values of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// It is one of these, as a whole.
    Exact {
        /// The values; at least one.
        values: Vec<Value>,
        /// Whether letters of different case are the same.
        case_insensitive: bool,
    },
    /// There are values, and none of them is one of these, as a whole.
    Lacks {
        /// The values.
        values: Vec<Value>,
    },
    /// There is one.
    Exists,
    /// Its terms, in its language, are among those of the text.
    FullText {
        /// The text that was sent.
        text: String,
        /// All terms must be there, or else any.
        all: bool,
    },
    /// The same, where the last term need only be the beginning of one.
    FullTextPrefix {
        /// The text that was sent.
        text: String,
        /// All terms must be there, or else any.
        all: bool,
    },
    /// It begins so.
    Prefix {
        /// The beginning.
        text: String,
        /// Whether letters of different case are the same.
        case_insensitive: bool,
    },
    /// It looks so.
    Wildcard {
        /// `*` matches any characters or none, `?` one; a backslash escapes either.
        pattern: String,
        /// Whether letters of different case are the same.
        case_insensitive: bool,
    },
    /// It lies within.
    Range(Bounds),
    /// Its terms are like those of the text.
    Fuzzy {
        /// The text that was sent.
        text: String,
        /// How many characters may differ: 0 to 2, less for short terms.
        level: u8,
        /// All terms must be there, or else any.
        all: bool,
    },
    /// Nothing is asked that could hold: a language that the project does not have.
    Never,
}
