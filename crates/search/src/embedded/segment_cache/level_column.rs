//! A cached column: the values of a field, by the number of its node among the nodes of its level.
//!
//! A column of the files has a slot for each document of all levels, so that finding a value is a search in
//! it. Here the values of the children of an entry are adjacent.

use super::super::segment_shape::SegmentShape;
use super::super::values::ColumnValues;
use super::{CacheablePart, PART_BYTES_MAX};
use crate::FieldLevel;
use std::ops::Range;
use tantivy::columnar::Column;

/// The values of all nodes of a level, including deleted ones.
#[derive(Debug)]
pub(in super::super) struct LevelColumn {
    level: FieldLevel,
    /// The offset of the values of each node, and of the end. `None`: each node has one value.
    starts: Option<Vec<u32>>,
    /// The values minus [`least`](Self::least).
    values: Vec<u32>,
    /// The smallest value; 0 for words, whose values are ordinals.
    pub(in super::super) least: i64,
}

impl CacheablePart for LevelColumn {
    fn bytes(&self) -> usize {
        size_of_val(self.values.as_slice()) + self.starts.as_deref().map_or(0, size_of_val)
    }
}

impl LevelColumn {
    /// Reads a column of a field of roots or children. `None` for grandchildren, and if the range of its numbers
    /// exceeds 32 bits.
    pub(in super::super) fn read(
        values: &ColumnValues,
        level: FieldLevel,
        shape: &SegmentShape,
    ) -> Option<Self> {
        match values {
            ColumnValues::Words(column) => {
                Self::from_column(column.ords(), level, shape, 0, |ordinal| u32::try_from(ordinal).ok())
            }
            ColumnValues::Numbers(column) => {
                let least = column.min_value();
                column.max_value().checked_sub(least).and_then(|far| u32::try_from(far).ok())?;
                Self::from_column(column, level, shape, least, |number| u32::try_from(number - least).ok())
            }
        }
    }

    fn from_column<T>(
        column: &Column<T>,
        level: FieldLevel,
        shape: &SegmentShape,
        least: i64,
        small: impl Fn(T) -> Option<u32>,
    ) -> Option<Self>
    where
        T: PartialOrd + Copy + std::fmt::Debug + Send + Sync + 'static,
    {
        let (count, most) = (shape.count(level)?, PART_BYTES_MAX / size_of::<u32>());
        if column.values.num_vals() as usize > most {
            return None;
        }
        let mut values = Vec::with_capacity(column.values.num_vals() as usize);
        if column.get_cardinality() != tantivy::columnar::Cardinality::Multivalued
            && column.values.num_vals() as usize == count
        {
            // Each node has one value, and no other document has any.
            for value in column.values.iter() {
                values.push(small(value)?);
            }
            return Some(Self { level, starts: None, values, least });
        }
        if values.capacity() + count > most {
            return None;
        }
        let mut starts = Vec::with_capacity(count + 1);
        for node in shape.nodes(level) {
            starts.push(values.len() as u32);
            for value in column.values_for_doc(node) {
                values.push(small(value)?);
            }
        }
        starts.push(values.len() as u32);
        Some(Self { level, starts: Some(starts), values, least })
    }

    /// Returns the values of the nodes of an entry, given by its root.
    pub(in super::super) fn of_entry(&self, shape: &SegmentShape, root: u32) -> &[u32] {
        let root = shape.root_number(root);
        match self.level {
            FieldLevel::Root => self.of_numbers(root..root + 1),
            FieldLevel::Child | FieldLevel::Grandchild => self.of_numbers(shape.children(root)),
        }
    }

    /// Returns the values of one node.
    pub(in super::super) fn of_node(&self, shape: &SegmentShape, node: u32) -> &[u32] {
        let number = match self.level {
            FieldLevel::Root => shape.root_number(node),
            FieldLevel::Child | FieldLevel::Grandchild => shape.child_number(node),
        };
        self.of_numbers(number..number + 1)
    }

    fn of_numbers(&self, numbers: Range<usize>) -> &[u32] {
        let span = match &self.starts {
            None => numbers,
            Some(starts) => starts[numbers.start] as usize..starts[numbers.end] as usize,
        };
        &self.values[span]
    }
}
