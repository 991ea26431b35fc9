//! The rows of an entry, and the evaluation of queries on them.

use super::values;
use crate::{EntryNode, FieldLevel, Leaf, SearchEntry, SearchField, SearchQuery, SearchValue};
use std::ptr;

/// The rows of an entry: the paths from its root to its leaves.
pub(super) struct ReferenceRows<'a>(Vec<EntryRow<'a>>);

/// One row: a node of each level, as far as there are any.
struct EntryRow<'a> {
    root: &'a EntryNode,
    child: Option<(usize, &'a EntryNode)>,
    grandchild: Option<&'a EntryNode>,
}

impl<'a> ReferenceRows<'a> {
    pub(super) fn new(entry: &'a SearchEntry) -> Self {
        let root = &entry.root;
        let mut rows = Vec::new();
        for (index, child) in root.children.iter().enumerate() {
            for grandchild in &child.children {
                rows.push(EntryRow { root, child: Some((index, child)), grandchild: Some(grandchild) });
            }
            if child.children.is_empty() {
                rows.push(EntryRow { root, child: Some((index, child)), grandchild: None });
            }
        }
        if rows.is_empty() {
            rows.push(EntryRow { root, child: None, grandchild: None });
        }
        Self(rows)
    }

    /// Returns for each row whether a query matches it.
    pub(super) fn match_rows(&self, query: Option<&SearchQuery>) -> Vec<bool> {
        match query {
            None => vec![true; self.0.len()],
            Some(SearchQuery::And(parts) | SearchQuery::Filter(parts)) => {
                self.join(parts, true, |held, holds| held && holds)
            }
            Some(SearchQuery::Or(parts)) => self.join(parts, false, |held, holds| held || holds),
            Some(SearchQuery::Not(parts)) => {
                let any = self.join(parts, false, |held, holds| held || holds).contains(&true);
                vec![!any; self.0.len()]
            }
            Some(SearchQuery::Leaf(leaf)) => self.0.iter().map(|row| row.matches_leaf(leaf)).collect(),
        }
    }

    fn join(&self, parts: &[SearchQuery], start: bool, join: impl Fn(bool, bool) -> bool) -> Vec<bool> {
        parts.iter().fold(vec![start; self.0.len()], |held, part| {
            held.into_iter().zip(self.match_rows(Some(part))).map(|(held, holds)| join(held, holds)).collect()
        })
    }

    /// Whether a query matches any row.
    pub(super) fn any_row_matches(&self, query: Option<&SearchQuery>) -> bool {
        self.match_rows(query).contains(&true)
    }

    /// Returns the rows through a child.
    pub(super) fn rows_through(&self, child: usize) -> impl Iterator<Item = usize> {
        let rows = self.0.iter().enumerate();
        rows.filter(move |(_, row)| row.child.is_some_and(|(index, _)| index == child)).map(|(row, _)| row)
    }

    /// Returns all values of a field in the nodes on some rows, those of each node once.
    pub(super) fn values(&self, rows: &[usize], field: &SearchField) -> Vec<&'a SearchValue> {
        let mut nodes: Vec<&'a EntryNode> = Vec::new();
        for row in rows.iter().filter_map(|row| self.0.get(*row)) {
            if let Some(node) = row.node(field.level)
                && !nodes.iter().any(|seen| ptr::eq(*seen, node))
            {
                nodes.push(node);
            }
        }
        nodes.into_iter().flat_map(|node| values_of(node, field)).collect()
    }
}

impl<'a> EntryRow<'a> {
    fn node(&self, level: FieldLevel) -> Option<&'a EntryNode> {
        match level {
            FieldLevel::Root => Some(self.root),
            FieldLevel::Child => self.child.map(|(_, node)| node),
            FieldLevel::Grandchild => self.grandchild,
        }
    }

    fn matches_leaf(&self, leaf: &Leaf) -> bool {
        self.node(leaf.field.level).is_some_and(|node| {
            let values: Vec<&SearchValue> = values_of(node, &leaf.field).collect();
            values::values_match(&values, leaf.field.language.as_deref(), &leaf.test)
        })
    }
}

/// Returns the values of a field in a node.
fn values_of<'a>(node: &'a EntryNode, field: &SearchField) -> impl Iterator<Item = &'a SearchValue> {
    let values = node.values.iter();
    values
        .filter(move |value| value.field.name == field.name && value.field.language == field.language)
        .map(|value| &value.value)
}
