//! Access into a value by names and list positions.

use crate::{Map, Name, Value};
use std::ops;

/// An index into a [`Value`]: a name of an object or a position in a list.
pub trait Index {
    /// Returns the value at the index.
    fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value>;
    /// Like [`of`](Self::of), mutable.
    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value>;
    /// Like [`of_mut`](Self::of_mut); inserts `null` under a name that does not exist.
    fn of_or_put<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value>;
}

impl Value {
    /// Returns the element at a position, or the value of a name.
    pub fn get<I: Index>(&self, index: I) -> Option<&Value> {
        index.index_into(self)
    }

    /// Like [`get`](Self::get), mutable.
    pub fn get_mut<I: Index>(&mut self, index: I) -> Option<&mut Value> {
        index.of_mut(self)
    }
}

impl Index for usize {
    fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_array()?.get(*self)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_array_mut()?.get_mut(*self)
    }

    fn of_or_put<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.of_mut(value)
    }
}

impl Index for str {
    fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_object()?.get(self)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_object_mut()?.get_mut(self)
    }

    fn of_or_put<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        Some(value.as_object_mut()?.entry(self).or_insert(Value::Null))
    }
}

/// Implements [`Index`] for owned strings like for `str`.
macro_rules! as_str_does {
    ($($text:ty),+) => {$(
        impl Index for $text {
            fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value> {
                self.as_str().index_into(value)
            }

            fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
                self.as_str().of_mut(value)
            }

            fn of_or_put<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
                self.as_str().of_or_put(value)
            }
        }
    )+};
}
as_str_does!(String, Name);

impl<T: Index + ?Sized> Index for &T {
    fn index_into<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        (**self).index_into(value)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        (**self).of_mut(value)
    }

    fn of_or_put<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        (**self).of_or_put(value)
    }
}

impl<I: Index> ops::Index<I> for Value {
    type Output = Value;

    /// Returns `null` for a missing value.
    fn index(&self, index: I) -> &Value {
        static NULL: Value = Value::Null;
        index.index_into(self).unwrap_or(&NULL)
    }
}

impl<I: Index> ops::IndexMut<I> for Value {
    /// Inserts `null` under a name that does not exist. Panics for a missing list position, and if the value has no
    /// members.
    fn index_mut(&mut self, index: I) -> &mut Value {
        match index.of_or_put(self) {
            Some(value) => value,
            None => panic!("nothing stands there in a value"),
        }
    }
}
