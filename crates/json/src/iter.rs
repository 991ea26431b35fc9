//! Iterators over the members of an object.

use crate::{Map, Name, Value};
use std::fmt;

impl Map {
    /// Iterates over all members, in insertion order.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.entries().iter())
    }

    /// Iterates over all members, with mutable values.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        let entries: &mut [(Name, Value)] = if self.is_empty() { &mut [] } else { self.entries_mut() };
        IterMut(entries.iter_mut())
    }

    /// Iterates over all names.
    pub fn keys(&self) -> Keys<'_> {
        Keys(self.entries().iter())
    }

    /// Iterates over all values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.entries().iter().map(|(_, value)| value)
    }

    /// Iterates over all values, mutable.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Value> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// Consumes the object and iterates over its values.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator {
        self.into_iter().map(|(_, value)| value)
    }
}

/// Iterator over the members of an object.
#[derive(Clone)]
pub struct Iter<'a>(std::slice::Iter<'a, (Name, Value)>);

/// Iterator over the names of an object.
#[derive(Clone)]
pub struct Keys<'a>(std::slice::Iter<'a, (Name, Value)>);

/// Iterator over the members of an object, with mutable values.
pub struct IterMut<'a>(std::slice::IterMut<'a, (Name, Value)>);

/// Iterator over the members of a consumed object.
pub type IntoIter = std::vec::IntoIter<(Name, Value)>;

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a Name, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(name, value)| (name, value))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> Iterator for Keys<'a> {
    type Item = &'a Name;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, _)| name)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Keys<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(name, _)| name)
    }
}

impl ExactSizeIterator for Keys<'_> {}

impl fmt::Debug for Keys<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.clone()).finish()
    }
}

impl<'a> Iterator for IterMut<'a> {
    type Item = (&'a Name, &'a mut Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (&*name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for IterMut<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(name, value)| (&*name, value))
    }
}

impl ExactSizeIterator for IterMut<'_> {}

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a Name, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Map {
    type Item = (&'a Name, &'a mut Value);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> IterMut<'a> {
        self.iter_mut()
    }
}

impl IntoIterator for Map {
    type Item = (Name, Value);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        self.into_entries().into_iter()
    }
}
