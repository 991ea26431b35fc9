//! The levels of a segment's documents, and the number of each document among those of its level.

use super::bits::Bits;
use super::failed;
use super::schema::{CHILD, ROOT};
use crate::{FieldLevel, IndexError};
use std::ops::Range;
use tantivy::SegmentReader;

/// The levels of a segment's documents. Deletions do not change it.
#[derive(Debug)]
pub(super) struct SegmentShape {
    /// The number of documents.
    pub(super) len: u32,
    /// The last document of each entry, including deleted ones: they separate the entries.
    pub(super) roots: Bits,
    /// The roots and the children. Each grandchild precedes the child that it belongs to, each child its root.
    pub(super) upper: Bits,
    /// The number of roots before each word of the bitmap.
    roots_before: Vec<u32>,
    /// The number of roots and children before each word of the bitmap.
    upper_before: Vec<u32>,
    /// For each root the number of children before its own, then the number of all children.
    children_before: Vec<u32>,
}

impl SegmentShape {
    pub(super) fn read(reader: &SegmentReader) -> Result<Self, IndexError> {
        let len = reader.max_doc();
        let (mut roots, mut upper) = (Bits::none(len), Bits::none(len));
        let levels = reader.fast_fields().u64("level").map_err(failed)?;
        let mut buffer = vec![0; 1024];
        let mut start = 0;
        while start < len {
            let count = (len - start).min(1024) as usize;
            levels.values.get_range(u64::from(start), &mut buffer[..count]);
            for (doc, level) in (start..).zip(&buffer[..count]) {
                if *level >= CHILD {
                    upper.insert(doc);
                }
                if *level == ROOT {
                    roots.insert(doc);
                }
            }
            start += count as u32;
        }
        let (roots_before, upper_before) = (roots.ranks(), upper.ranks());
        let mut shape = Self { len, roots, upper, roots_before, upper_before, children_before: Vec::new() };
        // A root comes after its children, so the children before it are its own and those of earlier roots.
        let behind = shape.roots.iter().map(|root| shape.child_number(root) as u32);
        shape.children_before = std::iter::once(0).chain(behind).collect();
        Ok(shape)
    }

    /// Returns the number of a root among all roots.
    pub(super) fn root_number(&self, root: u32) -> usize {
        (self.roots_before[root as usize / 64] + self.roots.ones_before_in_word(root)) as usize
    }

    /// Returns the number of a child among all children; for a root the number of children before it.
    pub(super) fn child_number(&self, child: u32) -> usize {
        let upper = self.upper_before[child as usize / 64] + self.upper.ones_before_in_word(child);
        upper as usize - self.root_number(child)
    }

    /// Returns the numbers of the children of a root, given by its number.
    pub(super) fn children(&self, root_number: usize) -> Range<usize> {
        self.children_before[root_number] as usize..self.children_before[root_number + 1] as usize
    }

    /// Returns the number of nodes of a level; `None` for grandchildren, which have no numbers.
    pub(super) fn count(&self, level: FieldLevel) -> Option<usize> {
        match level {
            FieldLevel::Root => Some(self.children_before.len() - 1),
            FieldLevel::Child => self.children_before.last().map(|count| *count as usize),
            FieldLevel::Grandchild => None,
        }
    }

    /// Returns the roots or the children, in order.
    pub(super) fn nodes(&self, level: FieldLevel) -> Vec<u32> {
        match level {
            FieldLevel::Root => self.roots.iter().collect(),
            FieldLevel::Child | FieldLevel::Grandchild => {
                self.upper.iter().filter(|doc| !self.roots.contains(*doc)).collect()
            }
        }
    }
}
