//! The place of a name in an object, whether there is a value or not.

use crate::Map;

/// The place of a name in an object.
pub struct Entry<'a, V> {
    map: &'a mut Map<String, V>,
    name: String,
    place: Option<usize>,
}

impl<V: Clone + PartialEq> Map<String, V> {
    /// The place of a name, whether there is a value or not.
    pub fn entry(&mut self, name: impl Into<String>) -> Entry<'_, V> {
        let name = name.into();
        let place = self.place(&name);
        Entry { map: self, name, place }
    }
}

impl<'a, V: Clone + PartialEq> Entry<'a, V> {
    /// The name.
    pub fn key(&self) -> &String {
        &self.name
    }

    /// The value, put there where there is none.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value, made and put there where there is none.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        let Self { map, name, place } = self;
        let place = place.unwrap_or_else(|| map.push(name, make()));
        &mut map.entries_mut()[place].1
    }

    /// Changes the value where there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Self {
        if let Some(place) = self.place {
            change(&mut self.map.entries_mut()[place].1);
        }
        self
    }
}
