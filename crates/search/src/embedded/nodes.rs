//! Selects the nodes of an entry from which facets and sorts take their values. An entry is a tree, e.g. a Product (root)
//! with Variants (children) and their Prices (grandchildren): see `README.md` of this crate.

use super::bits::Bits;
use super::rows::RowSet;
use super::segment::IndexSegment;
use crate::FieldLevel;

/// Selects all nodes of a level, or only the nodes on matching rows.
pub(super) struct NodeCounting<'a> {
    pub(super) segment: &'a IndexSegment,
    /// `None`: all nodes. Otherwise lifted to the level of the values, or to children if these are counted.
    pub(super) rows: Option<&'a RowSet>,
    /// The level of the values.
    pub(super) level: FieldLevel,
}

impl NodeCounting<'_> {
    fn contains(&self, level: FieldLevel, doc: u32) -> bool {
        self.rows.is_none_or(|rows| rows.docs_at(level).is_some_and(|docs| docs.contains(doc)))
    }

    /// Collects the counted nodes of an entry in `nodes`. False if it has no matching row.
    pub(super) fn of_entry(&self, root: u32, nodes: &mut Vec<u32>) -> bool {
        nodes.clear();
        let segment = self.segment;
        let begin = segment.first_below(FieldLevel::Root, root);
        let Some(rows) = self.rows else {
            self.all(begin, root, nodes);
            return true;
        };
        if self.contains(FieldLevel::Root, root) {
            self.all(begin, root, nodes);
            return true;
        }
        if self.level == FieldLevel::Root {
            return false;
        }
        let mut counts = false;
        if let Some(children) = &rows.children {
            children.for_each_in(begin, root, |child| {
                counts = true;
                match self.level {
                    FieldLevel::Child => nodes.push(child),
                    _ => nodes.extend(segment.first_below(FieldLevel::Child, child)..child),
                }
            });
        }
        if self.level == FieldLevel::Grandchild
            && let Some(grandchildren) = &rows.grandchildren
        {
            let before = nodes.len();
            grandchildren.for_each_in(begin, root, |grandchild| nodes.push(grandchild));
            if before > 0 && nodes.len() > before {
                nodes.sort_unstable();
                nodes.dedup();
            }
            counts |= !nodes.is_empty();
        }
        counts
    }

    /// Calls `each` with the counted nodes of each child of an entry that has a matching row.
    pub(super) fn of_children(&self, root: u32, nodes: &mut Vec<u32>, mut each: impl FnMut(&[u32])) {
        let segment = self.segment;
        let is_all = self.contains(FieldLevel::Root, root);
        let mut begin = segment.first_below(FieldLevel::Root, root);
        while let Some(child) = segment.shape.upper.next(begin).filter(|child| *child < root) {
            nodes.clear();
            let is_whole = is_all || self.contains(FieldLevel::Child, child);
            let mut counts = is_whole;
            let grandchildren = self.rows.and_then(|rows| rows.grandchildren.as_ref());
            match (self.level, grandchildren) {
                (FieldLevel::Grandchild, _) if is_whole => nodes.extend(begin..child),
                (FieldLevel::Grandchild, Some(rows)) => {
                    rows.for_each_in(begin, child, |grandchild| nodes.push(grandchild));
                    counts = !nodes.is_empty();
                }
                (FieldLevel::Child, _) if counts => nodes.push(child),
                (FieldLevel::Root, _) if counts => nodes.push(root),
                _ => {}
            }
            if counts {
                each(nodes);
            }
            begin = child + 1;
        }
    }

    fn all(&self, begin: u32, root: u32, nodes: &mut Vec<u32>) {
        let upper: &Bits = &self.segment.shape.upper;
        match self.level {
            FieldLevel::Root => nodes.push(root),
            FieldLevel::Child => nodes.extend(self.segment.children(root)),
            FieldLevel::Grandchild => nodes.extend((begin..root).filter(|doc| !upper.contains(*doc))),
        }
    }
}
