//! The rows of a segment's entries that match a condition.
//!
//! An entry has a row for each of its deepest nodes: root, child, grandchild. A condition on a node holds for
//! all rows through it, so a set of rows is a union of subtrees: those below some roots, below some children,
//! and single grandchildren. `and` intersects rows, `or` unites them: conditions on Prices hold for the same
//! Price, conditions on Prices and Variants for a Price of the same Variant.

use super::docs::Docs;
use super::segment::IndexSegment;
use crate::FieldLevel;

/// A set of rows: all rows below these documents.
#[derive(Debug, Clone, Default)]
pub(super) struct RowSet {
    pub(super) roots: Option<Docs>,
    pub(super) children: Option<Docs>,
    pub(super) grandchildren: Option<Docs>,
}

/// All levels, from the lowest to the highest.
const LEVELS: [FieldLevel; 3] = [FieldLevel::Grandchild, FieldLevel::Child, FieldLevel::Root];

impl RowSet {
    /// Returns the rows below documents of a level.
    pub(super) fn from_docs(level: FieldLevel, docs: Docs) -> Self {
        let mut rows = Self::default();
        if !docs.is_empty() {
            *rows.slot(level) = Some(docs);
        }
        rows
    }

    fn slot(&mut self, level: FieldLevel) -> &mut Option<Docs> {
        match level {
            FieldLevel::Root => &mut self.roots,
            FieldLevel::Child => &mut self.children,
            FieldLevel::Grandchild => &mut self.grandchildren,
        }
    }

    pub(super) fn docs_at(&self, level: FieldLevel) -> Option<&Docs> {
        match level {
            FieldLevel::Root => self.roots.as_ref(),
            FieldLevel::Child => self.children.as_ref(),
            FieldLevel::Grandchild => self.grandchildren.as_ref(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        LEVELS.iter().all(|level| self.docs_at(*level).is_none_or(Docs::is_empty))
    }

    /// Returns the rows in either set.
    pub(super) fn unite(mut self, mut other: Self, segment: &IndexSegment) -> Self {
        for level in LEVELS {
            if let Some(docs) = other.slot(level).take() {
                let slot = self.slot(level);
                *slot = Some(match slot.take() {
                    None => docs,
                    Some(mine) => mine.unite(docs, segment.len()),
                });
            }
        }
        self
    }

    /// Returns the rows in both sets.
    pub(super) fn intersect(mut self, other: &Self, segment: &IndexSegment) -> Self {
        let mut both = Self::default();
        for mine in LEVELS {
            for theirs in LEVELS {
                let Some(their_docs) = other.docs_at(theirs) else { continue };
                let is_last = !LEVELS.iter().any(|later| *later < theirs && other.docs_at(*later).is_some());
                let docs = if mine == theirs {
                    // The last use takes the documents, which avoids a copy of a bitmap.
                    let docs = if is_last { self.slot(mine).take() } else { self.docs_at(mine).cloned() };
                    docs.map(|docs| docs.intersect(their_docs))
                } else if mine > theirs {
                    self.docs_at(mine).map(|docs| segment.descendants(docs, mine, their_docs, theirs))
                } else {
                    self.docs_at(mine).map(|docs| segment.descendants(their_docs, theirs, docs, mine))
                };
                if let Some(docs) = docs.filter(|docs| !docs.is_empty()) {
                    both = both.unite(Self::from_docs(mine.max(theirs), docs), segment);
                }
            }
        }
        both
    }

    /// Replaces nodes below `level` by their ancestors on that level: rows that differ only below it count as
    /// one.
    pub(super) fn lift_to(mut self, level: FieldLevel, segment: &IndexSegment) -> Self {
        for deep in [FieldLevel::Grandchild, FieldLevel::Child] {
            if deep <= level {
                break;
            }
            if let Some(docs) = self.slot(deep).take() {
                let lifted = segment.parents(&docs, deep);
                let above = if deep == FieldLevel::Grandchild { FieldLevel::Child } else { FieldLevel::Root };
                self = self.unite(Self::from_docs(above, lifted), segment);
            }
        }
        self
    }

    /// Returns the roots with at least one row.
    pub(super) fn into_roots(self, segment: &IndexSegment) -> Docs {
        self.lift_to(FieldLevel::Root, segment).roots.unwrap_or(Docs::Few(Vec::new()))
    }
}
