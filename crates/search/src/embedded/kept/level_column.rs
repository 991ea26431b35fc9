//! The values of a field, by the number of its node among those of its level.
//!
//! A column of the files has a place for each document of all levels, so that finding a value is a search in
//! it. Here the values of the children of an entry are adjacent.

use super::super::shape::SegmentShape;
use super::super::values::Values;
use super::{KeptPart, PART_BYTES_MAX};
use crate::Level;
use std::ops::Range;
use tantivy::columnar::Column;

/// The values of all nodes of a level, of deleted ones too.
#[derive(Debug)]
pub(in super::super) struct LevelColumn {
    level: Level,
    /// Where the values of each node begin, and where the last ones end. `None`: each node has one.
    starts: Option<Vec<u32>>,
    /// Less [`least`](Self::least).
    values: Vec<u32>,
    /// The least value; 0 of words, whose values are ordinals.
    pub(in super::super) least: i64,
}

impl KeptPart for LevelColumn {
    fn bytes(&self) -> usize {
        size_of_val(self.values.as_slice()) + self.starts.as_deref().map_or(0, size_of_val)
    }
}

impl LevelColumn {
    /// Reads a column of a field of roots or children. `None` of others, and where its numbers are too far apart.
    pub(in super::super) fn read(values: &Values, level: Level, shape: &SegmentShape) -> Option<Self> {
        match values {
            Values::Words(column) => {
                Self::of(column.ords(), level, shape, 0, |ordinal| u32::try_from(ordinal).ok())
            }
            Values::Numbers(column) => {
                let least = column.min_value();
                column.max_value().checked_sub(least).and_then(|far| u32::try_from(far).ok())?;
                Self::of(column, level, shape, least, |number| u32::try_from(number - least).ok())
            }
        }
    }

    fn of<T>(
        column: &Column<T>,
        level: Level,
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
            // One each, and nothing else has any.
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

    /// The values of the nodes of an entry, given by its root.
    pub(in super::super) fn of_entry(&self, shape: &SegmentShape, root: u32) -> &[u32] {
        let root = shape.root_number(root);
        match self.level {
            Level::Root => self.of_numbers(root..root + 1),
            Level::Child | Level::Grandchild => self.of_numbers(shape.children(root)),
        }
    }

    /// The values of one node.
    pub(in super::super) fn of_node(&self, shape: &SegmentShape, node: u32) -> &[u32] {
        let number = match self.level {
            Level::Root => shape.root_number(node),
            Level::Child | Level::Grandchild => shape.child_number(node),
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
