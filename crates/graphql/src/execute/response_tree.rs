//! The response while it is being built: a tree of values in the order of the query. Start at [`ResponseTree`].
//!
//! Documents are read level by level, so a response cannot be written from its beginning to its end. Instead, values
//! are nodes of a vector, and are serialized once, when all of them are known. Only then is it known how far up a
//! `null` in a field that is not nullable reaches.

use kontor_json::Value;
use serde::Serialize;

/// The position of a node in its tree.
pub(crate) type NodeId = u32;

/// The name or index of a value in its parent.
#[derive(Debug, Clone, Copy)]
enum NodeKey<'q> {
    Field(&'q str),
    Index(u32),
}

#[derive(Debug, Clone, Copy)]
enum NodeContent {
    Null,
    /// JSON in the tree's `leaves`: start and end of its bytes.
    Leaf(usize, usize),
    Object(Children),
    List(Children),
}

/// The children of a node as a linked list: each child has the id of the next one, so that no node needs a vector.
#[derive(Debug, Clone, Copy)]
struct Children {
    first: NodeId,
    last: NodeId,
    count: u32,
}

impl Children {
    /// The root is never a child, so its id means "none".
    const NONE: Self = Self { first: ROOT, last: ROOT, count: 0 };
}

#[derive(Debug)]
struct ResponseNode<'q> {
    parent: NodeId,
    key: NodeKey<'q>,
    /// The next child of the same parent; the root if there is none.
    next: NodeId,
    /// Not nullable: if its content is `null`, its parent becomes `null`.
    is_required: bool,
    content: NodeContent,
}

/// A response.
#[derive(Debug)]
pub(crate) struct ResponseTree<'q> {
    nodes: Vec<ResponseNode<'q>>,
    leaves: Vec<u8>,
    /// Total length of the field names, in bytes.
    names: usize,
}

/// The root of every tree.
pub(crate) const ROOT: NodeId = 0;

/// Number of values and bytes that most responses do not exceed.
const NODES_EXPECTED: usize = 48;
const BYTES_EXPECTED: usize = 1024;

impl<'q> ResponseTree<'q> {
    /// Returns a tree whose root is an empty object.
    pub(crate) fn new() -> Self {
        let root = ResponseNode {
            parent: ROOT,
            key: NodeKey::Index(0),
            next: ROOT,
            is_required: false,
            content: NodeContent::Object(Children::NONE),
        };
        let mut nodes = Vec::with_capacity(NODES_EXPECTED);
        nodes.push(root);
        Self { nodes, leaves: Vec::with_capacity(BYTES_EXPECTED), names: 0 }
    }

    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the approximate length of the values and names, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.leaves.len() + self.names
    }

    /// Returns the approximate memory of the tree, in bytes.
    pub(crate) fn held_bytes(&self) -> usize {
        self.nodes.len() * size_of::<ResponseNode<'_>>() + self.leaves.len()
    }

    /// Returns the maximum length of the serialized response in bytes: each value has a comma, and a name in quotes
    /// with a colon, or brackets.
    pub(crate) fn text_bytes(&self) -> usize {
        self.bytes() + self.nodes.len() * 6 + BYTES_EXPECTED
    }

    /// Adds a field to an object. It is `null` until it is set.
    pub(crate) fn field(&mut self, parent: NodeId, name: &'q str, is_required: bool) -> NodeId {
        self.names += name.len();
        self.add(parent, NodeKey::Field(name), is_required)
    }

    /// Adds an element to a list. It is `null` until it is set.
    pub(crate) fn add_element(&mut self, parent: NodeId, is_required: bool) -> NodeId {
        let index = match &self.node(parent).content {
            NodeContent::List(children) => children.count,
            _ => 0,
        };
        self.add(parent, NodeKey::Index(index), is_required)
    }

    fn add(&mut self, parent: NodeId, key: NodeKey<'q>, is_required: bool) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        self.nodes.push(ResponseNode { parent, key, next: ROOT, is_required, content: NodeContent::Null });
        let before = match &mut self.nodes[parent as usize].content {
            NodeContent::Object(children) | NodeContent::List(children) => {
                let before = children.last;
                if children.count == 0 {
                    children.first = id;
                }
                children.last = id;
                children.count += 1;
                before
            }
            NodeContent::Null | NodeContent::Leaf(..) => ROOT,
        };
        if before != ROOT {
            self.nodes[before as usize].next = id;
        }
        id
    }

    /// Makes a node an empty object.
    pub(crate) fn set_object(&mut self, id: NodeId) {
        self.nodes[id as usize].content = NodeContent::Object(Children::NONE);
    }

    /// Makes a node an empty list.
    pub(crate) fn set_list(&mut self, id: NodeId) {
        self.nodes[id as usize].content = NodeContent::List(Children::NONE);
    }

    /// Sets the value of a node, which is serialized at once.
    pub(crate) fn set_leaf(&mut self, id: NodeId, value: &impl Serialize) {
        let start = self.leaves.len();
        // Writing to memory cannot fail, and the keys of JSON values are strings.
        _ = kontor_json::to_writer(&mut self.leaves, value);
        self.nodes[id as usize].content = NodeContent::Leaf(start, self.leaves.len());
    }

    /// Sets the value of a node to a string.
    pub(crate) fn set_text(&mut self, id: NodeId, text: &str) {
        let start = self.leaves.len();
        _ = kontor_json::to_writer(&mut self.leaves, text);
        self.nodes[id as usize].content = NodeContent::Leaf(start, self.leaves.len());
    }

    /// Returns whether the node's field is not nullable.
    pub(crate) fn is_required(&self, id: NodeId) -> bool {
        self.node(id).is_required
    }

    /// Returns the names and indexes from the root to a value.
    pub(crate) fn path(&self, id: NodeId) -> Vec<Value> {
        let mut path = Vec::new();
        let mut at = id;
        while at != ROOT {
            let node = self.node(at);
            path.push(match node.key {
                NodeKey::Field(name) => Value::from(name),
                NodeKey::Index(index) => Value::from(index),
            });
            at = node.parent;
        }
        path.reverse();
        path
    }

    /// Serializes the response. Returns false if it is `null` as a whole.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> bool {
        self.write_node(ROOT, out)
    }

    /// The recursion is as deep as the query, whose depth is limited.
    fn write_node(&self, id: NodeId, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let (children, open, close) = match self.node(id).content {
            NodeContent::Null => {
                out.extend_from_slice(b"null");
                return false;
            }
            NodeContent::Leaf(from, to) => {
                out.extend_from_slice(&self.leaves[from..to]);
                return true;
            }
            NodeContent::Object(children) => (children, b'{', b'}'),
            NodeContent::List(children) => (children, b'[', b']'),
        };
        out.push(open);
        let mut child = children.first;
        while child != ROOT {
            if child != children.first {
                out.push(b',');
            }
            let node = self.node(child);
            if let NodeKey::Field(name) = node.key {
                // Names in queries have only letters, digits and underscores.
                out.push(b'"');
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b"\":");
            }
            if !self.write_node(child, out) && node.is_required {
                out.truncate(start);
                out.extend_from_slice(b"null");
                return false;
            }
            child = node.next;
        }
        out.push(close);
        true
    }

    fn node(&self, id: NodeId) -> &ResponseNode<'q> {
        &self.nodes[id as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn null_propagates_to_the_next_nullable_field() {
        let mut tree = ResponseTree::new();
        let fine = tree.field(ROOT, "fine", true);
        tree.set_leaf(fine, &json!(1));
        let list = tree.field(ROOT, "list", false);
        tree.set_list(list);
        let first = tree.add_element(list, true);
        tree.set_object(first);
        let missing = tree.field(first, "missing", true);
        let mut out = Vec::new();
        assert!(tree.write(&mut out));
        assert_eq!(String::from_utf8(out).unwrap(), r#"{"fine":1,"list":null}"#);
        assert_eq!(tree.path(missing), [json!("list"), json!(0), json!("missing")]);
    }
}
