//! Objects: members with names, in the sequence in which they were put there.

use bytes::Bytes;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Up to so many members are looked through; among more, a member is found by an index.
const LOOKED_THROUGH_MAX: usize = 64;

/// A JSON object. Its members stand in the sequence in which they were put there, each name once.
///
/// A clone is another handle on the same members, until either is changed.
pub struct Map<K, V> {
    /// `None`: it is empty.
    members: Option<Arc<Members<V>>>,
    of: PhantomData<fn() -> K>,
}

struct Members<V> {
    entries: Vec<(String, V)>,
    /// Where each name stands, of many.
    places: Option<HashMap<String, usize>>,
    /// What they were read from, as long as nothing has changed.
    text: Option<Bytes>,
}

impl<V: Clone> Clone for Members<V> {
    /// To be changed.
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), places: self.places.clone(), text: None }
    }
}

impl<V> Members<V> {
    /// Notes where each name stands, where there are many.
    fn note_places(&mut self) {
        let entries = &self.entries;
        let places = || entries.iter().enumerate().map(|(place, (name, _))| (name.clone(), place)).collect();
        self.places = (entries.len() > LOOKED_THROUGH_MAX).then(places);
    }

    /// The same after a member was taken away, without noting all of them again.
    fn forget_place(&mut self, name: &str, place: usize) {
        if self.entries.len() <= LOOKED_THROUGH_MAX {
            self.places = None;
        }
        if let Some(places) = &mut self.places {
            places.remove(name);
            places.values_mut().filter(|other| **other > place).for_each(|behind| *behind -= 1);
        }
    }
}

impl<V: Clone + PartialEq> Map<String, V> {
    /// An empty object.
    pub const fn new() -> Self {
        Self { members: None, of: PhantomData }
    }

    /// An empty object with room for so many members.
    pub fn with_capacity(capacity: usize) -> Self {
        match capacity {
            0 => Self::new(),
            _ => Self::of(Vec::with_capacity(capacity), None),
        }
    }

    /// An object of members with different names, in their sequence.
    pub fn of_different(entries: Vec<(String, V)>) -> Self {
        let map = if entries.is_empty() { Self::new() } else { Self::of(entries, None) };
        debug_assert!(!map.has_name_twice(), "each name stands there once");
        map
    }

    /// Of members with different names.
    pub(crate) fn of(entries: Vec<(String, V)>, text: Option<Bytes>) -> Self {
        let mut members = Members { entries, text, places: None };
        members.note_places();
        Self { members: Some(Arc::new(members)), of: PhantomData }
    }

    /// All members.
    pub(crate) fn entries(&self) -> &[(String, V)] {
        self.members.as_ref().map_or(&[], |members| &members.entries)
    }

    /// What it was read from, where nothing has changed since then.
    pub(crate) fn text(&self) -> Option<&Bytes> {
        self.members.as_ref()?.text.as_ref()
    }

    /// All members, to be changed in their places.
    pub(crate) fn entries_mut(&mut self) -> &mut Vec<(String, V)> {
        &mut self.changing().entries
    }

    /// Whether both share their members or were read from the same text: then nothing need be looked at.
    pub(crate) fn is_known_to_be(&self, other: &Self) -> bool {
        match (&self.members, &other.members) {
            (Some(one), Some(another)) => {
                Arc::ptr_eq(one, another) || one.text.is_some() && one.text == another.text
            }
            _ => false,
        }
    }

    /// Whether its members stand at another place, too.
    pub(crate) fn is_shared(&self) -> bool {
        self.members.as_ref().is_some_and(|members| Arc::strong_count(members) > 1)
    }

    fn changing(&mut self) -> &mut Members<V> {
        let members = Arc::make_mut(
            self.members
                .get_or_insert_with(|| Arc::new(Members { entries: Vec::new(), places: None, text: None })),
        );
        members.text = None;
        members
    }

    /// Takes members away or puts them elsewhere.
    fn moved<T>(&mut self, to_move: impl FnOnce(&mut Vec<(String, V)>) -> T) -> T {
        let members = self.changing();
        // Should it panic half way, members are looked through rather than looked for where they were.
        members.places = None;
        let moved = to_move(&mut members.entries);
        members.note_places();
        moved
    }

    /// Whether a name stands there twice, which only texts can bring about.
    pub(crate) fn has_name_twice(&self) -> bool {
        match self.members.as_deref() {
            Some(Members { entries, places: Some(places), .. }) => places.len() < entries.len(),
            Some(Members { entries, .. }) => entries
                .iter()
                .enumerate()
                .any(|(place, (name, _))| entries[..place].iter().any(|(before, _)| before == name)),
            None => false,
        }
    }

    /// Where a member stands.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        let members = self.members.as_ref()?;
        match &members.places {
            Some(places) => places.get(name).copied(),
            None => members.entries.iter().position(|(other, _)| other == name),
        }
    }

    /// Adds a member whose name is new; where it stands.
    pub(crate) fn push(&mut self, name: String, value: V) -> usize {
        let members = self.changing();
        let place = members.entries.len();
        if let Some(places) = &mut members.places {
            places.insert(name.clone(), place);
        }
        members.entries.push((name, value));
        if place == LOOKED_THROUGH_MAX {
            members.note_places();
        }
        place
    }

    /// All members, taken out.
    pub(crate) fn into_entries(self) -> Vec<(String, V)> {
        match self.members.map(Arc::try_unwrap) {
            None => Vec::new(),
            Some(Ok(alone)) => alone.entries,
            Some(Err(shared)) => shared.entries.clone(),
        }
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// True where it has no members.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// The value with a name.
    pub fn get<Q: AsRef<str> + ?Sized>(&self, name: &Q) -> Option<&V> {
        self.place(name.as_ref()).map(|place| &self.entries()[place].1)
    }

    /// The value with a name, to be changed.
    pub fn get_mut<Q: AsRef<str> + ?Sized>(&mut self, name: &Q) -> Option<&mut V> {
        let place = self.place(name.as_ref())?;
        Some(&mut self.entries_mut()[place].1)
    }

    /// The member with a name.
    pub fn get_key_value<Q: AsRef<str> + ?Sized>(&self, name: &Q) -> Option<(&String, &V)> {
        let place = self.place(name.as_ref())?;
        let (name, value) = &self.entries()[place];
        Some((name, value))
    }

    /// Whether there is a member with a name.
    pub fn contains_key<Q: AsRef<str> + ?Sized>(&self, name: &Q) -> bool {
        self.place(name.as_ref()).is_some()
    }

    /// As [`insert`](Self::insert), at a place.
    pub fn shift_insert(&mut self, place: usize, name: String, value: V) -> Option<V> {
        let before = self.shift_remove(&name);
        self.moved(|entries| entries.insert(place, (name, value)));
        before
    }

    /// Takes a member away. Those behind it move up.
    pub fn shift_remove<Q: AsRef<str> + ?Sized>(&mut self, name: &Q) -> Option<V> {
        self.remove_entry(name).map(|(_, value)| value)
    }

    /// As [`shift_remove`](Self::shift_remove).
    pub fn remove<Q: AsRef<str> + ?Sized>(&mut self, name: &Q) -> Option<V> {
        self.shift_remove(name)
    }

    /// As [`shift_remove`](Self::shift_remove), with the name.
    pub fn remove_entry<Q: AsRef<str> + ?Sized>(&mut self, name: &Q) -> Option<(String, V)> {
        let place = self.place(name.as_ref())?;
        let members = self.changing();
        let removed = members.entries.remove(place);
        members.forget_place(&removed.0, place);
        Some(removed)
    }

    /// Keeps the members of which this is true.
    pub fn retain(&mut self, mut keeps: impl FnMut(&String, &mut V) -> bool) {
        if !self.is_empty() {
            self.moved(|entries| entries.retain_mut(|(name, value)| keeps(name, value)));
        }
    }

    /// Takes all members away.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl<V> Clone for Map<String, V> {
    fn clone(&self) -> Self {
        Self { members: self.members.clone(), of: PhantomData }
    }
}

impl<V: Clone + PartialEq> Default for Map<String, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Clone + PartialEq> PartialEq for Map<String, V> {
    /// Members in any sequence.
    fn eq(&self, other: &Self) -> bool {
        if self.is_known_to_be(other) {
            return true;
        }
        let (one, another) = (self.entries(), other.entries());
        if one.len() != another.len() {
            return false;
        }
        for (member, same_place) in one.iter().zip(another) {
            let counterpart = match member.0 == same_place.0 {
                true => Some(&same_place.1),
                false => other.get(&member.0),
            };
            if counterpart != Some(&member.1) {
                return false;
            }
        }
        true
    }
}

impl<V: Clone + Eq> Eq for Map<String, V> {}

impl<V: Clone + PartialEq + Hash> Hash for Map<String, V> {
    /// Members in any sequence.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut members: Vec<_> = self.entries().iter().collect();
        members.sort_unstable_by_key(|(name, _)| name);
        members.hash(state);
    }
}

impl<V: Clone + PartialEq + fmt::Debug> fmt::Debug for Map<String, V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.entries().iter().map(|(name, value)| (name, value))).finish()
    }
}

impl<V: Clone + PartialEq, Q: AsRef<str> + ?Sized> Index<&Q> for Map<String, V> {
    type Output = V;

    fn index(&self, name: &Q) -> &V {
        match self.get(name) {
            Some(value) => value,
            None => panic!("no member {:?}", name.as_ref()),
        }
    }
}

impl<V: Clone + PartialEq, Q: AsRef<str> + ?Sized> IndexMut<&Q> for Map<String, V> {
    fn index_mut(&mut self, name: &Q) -> &mut V {
        match self.get_mut(name) {
            Some(value) => value,
            None => panic!("no member {:?}", name.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Value, json};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Debug, Clone)]
    enum Step {
        Insert(String, u8),
        Remove(String),
        Keep(u8),
        Put(String, u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let name = || (0..150u8).prop_map(|number| number.to_string());
        let step = prop_oneof![
            6 => (name(), any::<u8>()).prop_map(|(name, value)| Step::Insert(name, value)),
            2 => name().prop_map(Step::Remove),
            2 => (name(), any::<u8>()).prop_map(|(name, value)| Step::Put(name, value)),
            1 => (0..250u8).prop_map(Step::Keep),
        ];
        prop::collection::vec(step, 0..400)
    }

    proptest! {
        #[test]
        fn members_are_found_among_few_and_many(steps in steps()) {
            let (mut map, mut plain) = (Map::new(), BTreeMap::new());
            for step in steps {
                match step {
                    Step::Insert(name, value) => {
                        let before = map.insert(name.clone(), value.into());
                        prop_assert_eq!(before, plain.insert(name, Value::from(value)));
                    }
                    Step::Remove(name) => prop_assert_eq!(map.shift_remove(&name), plain.remove(&name)),
                    Step::Keep(most) => {
                        map.retain(|_, value| *value != Value::from(most));
                        plain.retain(|_, value| *value != Value::from(most));
                    }
                    Step::Put(name, value) => {
                        let there = map.entry(name.as_str()).or_insert(value.into()).clone();
                        prop_assert_eq!(&there, plain.entry(name).or_insert(value.into()));
                    }
                }
                prop_assert_eq!(map.len(), plain.len());
            }
            for number in 0..150u8 {
                let name = number.to_string();
                prop_assert_eq!(map.get(&name), plain.get(&name));
            }
            let backwards: Map<String, Value> = plain.into_iter().rev().collect();
            prop_assert_eq!(map, backwards);
        }
    }

    #[test]
    fn members_stand_in_the_sequence_in_which_they_were_put() {
        let mut map: Map<String, Value> = ["c", "a", "b"].map(|name| (name.to_owned(), Value::Null)).into();
        map.insert("a".into(), 1.into());
        map.shift_insert(0, "b".into(), 2.into());
        assert_eq!(Value::Object(map).to_string(), r#"{"b":2,"c":null,"a":1}"#);
    }

    #[test]
    fn the_same_is_what_is_equal_in_whatever_sequence() {
        let one = json!({"a": 1, "b": [{"c": "x", "d": null}], "e": {"f": true, "g": 2.5}});
        let cases = [
            (one.clone(), true),
            (json!({"e": {"g": 2.5, "f": true}, "b": [{"d": null, "c": "x"}], "a": 1}), true),
            (json!({"a": 1, "b": [{"c": "x", "d": null}], "e": {"f": true, "g": 3.5}}), false),
            (json!({"e": {"f": true, "g": 2.5}, "a": 2, "b": [{"c": "x", "d": null}]}), false),
            (json!({"a": 1, "b": [{"c": "x", "d": null}], "e": {"f": true, "h": 2.5}}), false),
            (json!({"a": 1, "b": [{"c": "x"}], "e": {"f": true, "g": 2.5}}), false),
            (json!({"a": 1, "b": [], "e": {"f": true, "g": 2.5}}), false),
            (json!({"a": 1, "e": {"f": true, "g": 2.5}}), false),
        ];
        for (other, expected) in cases {
            assert_eq!(one == other, expected, "{other}");
            assert_eq!(other == one, expected, "{other}");
        }
    }

    #[test]
    fn what_is_put_in_the_place_of_its_equal_is_written_as_it_was_put() {
        let before = json!({"object": {"a": 1, "b": [{"c": 2, "d": 3}]}, "zero": 0.0});
        let put = json!({"object": {"a": 1, "b": [{"d": 3, "c": 2}]}, "zero": -0.0});
        assert_eq!(before, put);
        let Value::Object(mut map) = before else { unreachable!() };
        map.extend(put.as_object().unwrap().clone());
        assert_eq!(Value::Object(map).to_string(), put.to_string());
    }

    #[test]
    fn many_members_are_found_whatever_was_taken_from_among_them() {
        let name = |number: usize| number.to_string();
        let mut map: Map<String, Value> = (0..200).map(|number| (name(number), number.into())).collect();
        for taken in (0..200).step_by(3) {
            assert_eq!(map.remove(&name(taken)), Some(taken.into()));
            for number in 0..200 {
                let is_gone = number % 3 == 0 && number <= taken;
                assert_eq!(map.get(&name(number)), (!is_gone).then(|| number.into()).as_ref());
            }
        }
        assert!(map.keys().map(|name| name.parse::<usize>().unwrap()).is_sorted());
    }
}
