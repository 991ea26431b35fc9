//! Inserts members into objects, and compares the JSON that objects are written as.

use crate::write::write_object;
use crate::{Map, Name, Value};

impl Map {
    /// Inserts a value under a name, and returns the previous value of that name. A new name goes to the end.
    pub fn insert(&mut self, name: impl Into<Name>, value: Value) -> Option<Value> {
        self.insert_member(name.into(), value)
    }

    fn insert_member(&mut self, name: Name, value: Value) -> Option<Value> {
        // An unchanged value keeps the object shared and unparsed.
        if self.unparsed_text().is_some()
            && self.get(&name).is_some_and(|before| before.is_written_as(&value))
        {
            return Some(value);
        }
        match self.position(&name) {
            Some(place) if self.entries()[place].1.is_written_as(&value) => Some(value),
            Some(place) => Some(std::mem::replace(&mut self.entries_mut()[place].1, value)),
            None => {
                self.push(name, value);
                None
            }
        }
    }

    /// Moves all members of another object into this one.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(other).into_entries());
    }

    /// Whether both objects are written as the same JSON text.
    pub(crate) fn is_written_as(&self, other: &Self) -> bool {
        if self.is_identical_to(other) {
            return true;
        }
        // Unparsed objects are compared by their text.
        match (self.unparsed_text(), other.unparsed_text()) {
            (Some(text), _) => other.is_text(text),
            (_, Some(text)) => self.is_text(text),
            (None, None) => {
                let (one, another) = (self.entries(), other.entries());
                let is_same = |(one, another): (&(Name, Value), &(Name, Value))| {
                    one.0 == another.0 && one.1.is_written_as(&another.1)
                };
                one.len() == another.len() && one.iter().zip(another).all(is_same)
            }
        }
    }

    /// Whether the object is written as this JSON text.
    fn is_text(&self, text: &[u8]) -> bool {
        match self.text() {
            Some(own) => own == text,
            None => {
                let mut written = Vec::with_capacity(text.len());
                write_object(self, &mut written);
                written == text
            }
        }
    }
}

impl<N: Into<Name>> Extend<(N, Value)> for Map {
    fn extend<I: IntoIterator<Item = (N, Value)>>(&mut self, members: I) {
        for (name, value) in members {
            self.insert(name, value);
        }
    }
}

impl<N: Into<Name>> FromIterator<(N, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(members: I) -> Self {
        let members = members.into_iter();
        let mut map = Self::with_capacity(members.size_hint().0);
        map.extend(members);
        map
    }
}

impl<N: Into<Name>, const LEN: usize> From<[(N, Value); LEN]> for Map {
    fn from(members: [(N, Value); LEN]) -> Self {
        members.into_iter().collect()
    }
}
