//! The place of a name in an object, whether there is a value or not.

use crate::{Map, Name, Value};

/// The place of a name in an object.
pub struct Entry<'a> {
    map: &'a mut Map,
    name: Name,
    place: Option<usize>,
}

impl Map {
    /// The place of a name, whether there is a value or not.
    pub fn entry(&mut self, name: impl Into<Name>) -> Entry<'_> {
        let name = name.into();
        let place = self.place(&name);
        Entry { map: self, name, place }
    }
}

impl<'a> Entry<'a> {
    /// The name.
    pub fn key(&self) -> &Name {
        &self.name
    }

    /// The value, put there where there is none.
    pub fn or_insert(self, value: Value) -> &'a mut Value {
        self.or_insert_with(|| value)
    }

    /// The value, made and put there where there is none.
    pub fn or_insert_with(self, make: impl FnOnce() -> Value) -> &'a mut Value {
        let Self { map, name, place } = self;
        let place = place.unwrap_or_else(|| map.push(name, make()));
        &mut map.entries_mut()[place].1
    }

    /// Changes the value where there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut Value)) -> Self {
        if let Some(place) = self.place {
            change(&mut self.map.entries_mut()[place].1);
        }
        self
    }
}
