//! The ids of the entries of a segment, as numbers with the same order.
//!
//! Ties of a sort are ordered by id, and without other criteria ids are the whole order. The column of ids
//! has a place for each node, so that a lookup is a search in it; here the entries are numbered in the order
//! of their roots.

use super::segment_shape::SegmentShape;
use tantivy::columnar::StrColumn;

/// The ids of all entries of a segment, including deleted ones.
#[derive(Debug)]
pub(super) struct Ids {
    /// The ordinal of the id of each entry, in the order of the roots.
    ordinals: Vec<u32>,
    /// The roots, in the order of their ids. An id may occur twice if its entry was replaced.
    by_id: Vec<u32>,
}

impl Ids {
    /// Reads the column of ids.
    pub(super) fn read(column: &StrColumn, shape: &SegmentShape) -> Self {
        let (roots, count) = (&shape.roots, shape.roots.count());
        let ordinals: Vec<u32> = if column.ords().values.num_vals() as usize == count {
            // Each root has one id, and no other document has any.
            column.ords().values.iter().map(|ordinal| ordinal as u32).collect()
        } else {
            roots.iter().map(|root| column.ords().first(root).unwrap_or(0) as u32).collect()
        };
        // Ordinals are dense, so this is a counting sort.
        let mut starts = vec![0_u32; column.num_terms() + 1];
        for ordinal in &ordinals {
            starts[*ordinal as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut by_id = vec![0; count];
        for (root, ordinal) in roots.iter().zip(&ordinals) {
            let start = &mut starts[*ordinal as usize];
            by_id[*start as usize] = root;
            *start += 1;
        }
        Self { ordinals, by_id }
    }

    /// Returns the ordinal of the id of an entry.
    pub(super) fn ordinal(&self, shape: &SegmentShape, root: u32) -> u32 {
        self.ordinals[shape.root_number(root)]
    }

    /// Returns all roots, in the order of their ids.
    pub(super) fn by_id(&self) -> &[u32] {
        &self.by_id
    }
}
