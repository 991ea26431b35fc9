//! [`MapEntry`]: the entry of a name in an object, occupied or vacant, as in `std`'s maps.

use crate::{Map, Name, Value};

/// The entry of a name in an object, occupied or vacant.
pub struct MapEntry<'a> {
    map: &'a mut Map,
    name: Name,
    place: Option<usize>,
}

impl Map {
    /// Returns the entry of a name.
    pub fn entry(&mut self, name: impl Into<Name>) -> MapEntry<'_> {
        let name = name.into();
        let place = self.position(&name);
        MapEntry { map: self, name, place }
    }
}

impl<'a> MapEntry<'a> {
    /// Returns the name.
    pub fn key(&self) -> &Name {
        &self.name
    }

    /// Returns the value; inserts `value` first if there is none.
    pub fn or_insert(self, value: Value) -> &'a mut Value {
        self.or_insert_with(|| value)
    }

    /// Returns the value; inserts the result of `make` first if there is none.
    pub fn or_insert_with(self, make: impl FnOnce() -> Value) -> &'a mut Value {
        let Self { map, name, place } = self;
        let place = place.unwrap_or_else(|| map.push(name, make()));
        &mut map.entries_mut()[place].1
    }

    /// Changes the value if there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut Value)) -> Self {
        if let Some(place) = self.place {
            change(&mut self.map.entries_mut()[place].1);
        }
        self
    }
}
