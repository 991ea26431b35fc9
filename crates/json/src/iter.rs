//! Going through the members of an object.

use crate::{Map, Value};
use std::fmt;

impl Map<String, Value> {
    /// All members.
    pub fn iter(&self) -> Iter<'_, Value> {
        Iter(self.entries().iter())
    }

    /// All members, with values to be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, Value> {
        let entries: &mut [(String, Value)] = if self.is_empty() { &mut [] } else { self.entries_mut() };
        IterMut(entries.iter_mut())
    }

    /// All names.
    pub fn keys(&self) -> Keys<'_, Value> {
        Keys(self.entries().iter())
    }

    /// All values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.entries().iter().map(|(_, value)| value)
    }

    /// All values, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Value> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// All values.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator {
        self.into_iter().map(|(_, value)| value)
    }
}

/// Members of an object.
pub struct Iter<'a, V>(std::slice::Iter<'a, (String, V)>);

/// Names of an object.
pub struct Keys<'a, V>(std::slice::Iter<'a, (String, V)>);

/// Members of an object, with values to be changed.
pub struct IterMut<'a, V>(std::slice::IterMut<'a, (String, V)>);

/// Members that are taken out of an object.
pub type IntoIter<V> = std::vec::IntoIter<(String, V)>;

impl<'a, V> Iterator for Iter<'a, V> {
    type Item = (&'a String, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<V> DoubleEndedIterator for Iter<'_, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(name, value)| (name, value))
    }
}

impl<V> ExactSizeIterator for Iter<'_, V> {}

impl<'a, V> Iterator for Keys<'a, V> {
    type Item = &'a String;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, _)| name)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<V> DoubleEndedIterator for Keys<'_, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(name, _)| name)
    }
}

impl<V> ExactSizeIterator for Keys<'_, V> {}

impl<V: Clone> fmt::Debug for Keys<'_, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.clone()).finish()
    }
}

impl<'a, V> Iterator for IterMut<'a, V> {
    type Item = (&'a String, &'a mut V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (&*name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<V> DoubleEndedIterator for IterMut<'_, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(name, value)| (&*name, value))
    }
}

impl<V> ExactSizeIterator for IterMut<'_, V> {}

impl<'a> IntoIterator for &'a Map<String, Value> {
    type Item = (&'a String, &'a Value);
    type IntoIter = Iter<'a, Value>;

    fn into_iter(self) -> Iter<'a, Value> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Map<String, Value> {
    type Item = (&'a String, &'a mut Value);
    type IntoIter = IterMut<'a, Value>;

    fn into_iter(self) -> IterMut<'a, Value> {
        self.iter_mut()
    }
}

impl IntoIterator for Map<String, Value> {
    type Item = (String, Value);
    type IntoIter = IntoIter<Value>;

    fn into_iter(self) -> IntoIter<Value> {
        self.into_entries().into_iter()
    }
}

impl<V> Clone for Iter<'_, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<V> Clone for Keys<'_, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
