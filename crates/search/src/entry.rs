//! [`SearchEntry`]: the indexed form of a resource.

use crate::{SearchField, SearchValue};

/// The indexed form of a resource: a tree of at most three levels of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchEntry {
    /// The id of the resource, unique in the index.
    pub id: String,
    /// The resource itself, with its parts below it.
    pub root: EntryNode,
}

/// A resource or a part of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntryNode {
    /// A label that a [`Hit`](crate::Hit) returns for the node where it matched: small, and opaque to the
    /// index. Empty: none. Only nodes of [`FieldLevel::Child`](crate::FieldLevel::Child) have one.
    pub label: String,
    /// The values, in any order. A field with several values occurs several times.
    pub values: Vec<NodeValue>,
    /// The parts, in the order of the document: the master variant first.
    pub children: Vec<EntryNode>,
}

/// A value with its field. The level of the field is that of the node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeValue {
    /// The field.
    pub field: SearchField,
    /// The value.
    pub value: SearchValue,
}
