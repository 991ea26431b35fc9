//! [`Map`]: a JSON object with its members in insertion order. It shares members with its clones, and is parsed at its
//! first access.

use crate::lazy_parser::{members_of, value_at};
use crate::member_index::MemberIndex;
use crate::member_names::MemberNames;
use crate::structural_index::NestedEnds;
use crate::{Name, Value};
use bytes::Bytes;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Index, IndexMut};
use std::sync::{Arc, OnceLock};

/// A JSON object. Its members are in insertion order, each name once.
///
/// A clone shares the members until either is changed.
#[derive(Clone, Default)]
pub struct Map {
    /// `None` if the object is empty.
    members: Option<Arc<SharedMembers>>,
}

struct SharedMembers {
    /// The parsed members. A skipped object has none before its first access.
    entries: OnceLock<MemberList>,
    /// The source text, as long as nothing has changed; always present before the first access.
    text: Option<Bytes>,
    /// The ends of nested objects, if this object was skipped.
    nested_ends: Option<NestedEnds>,
    /// The index of its members in its text, built when a member is requested; `None` if the text is not simple enough
    /// for one.
    member_index: OnceLock<Option<MemberIndex<Value>>>,
}

/// The members of an object, with a lookup table of their names.
#[derive(Clone, Default)]
pub(crate) struct MemberList {
    list: Vec<(Name, Value)>,
    names: MemberNames,
}

impl Clone for SharedMembers {
    /// Clones the members so that the clone can be changed: it has no text.
    fn clone(&self) -> Self {
        let entries = self.entries.get().cloned().unwrap_or_else(|| self.read());
        Self::new(entries, None)
    }
}

impl SharedMembers {
    fn new(entries: MemberList, text: Option<Bytes>) -> Self {
        Self { entries: OnceLock::from(entries), text, nested_ends: None, member_index: OnceLock::new() }
    }

    /// Returns the text and the ends of nested objects, if the members are not parsed yet.
    #[inline]
    fn unparsed_parts(&self) -> Option<(&Bytes, &NestedEnds)> {
        if self.entries.get().is_some() { None } else { self.text.as_ref().zip(self.nested_ends.as_ref()) }
    }

    fn read(&self) -> MemberList {
        let Some((text, inside)) = self.unparsed_parts() else { return MemberList::default() };
        let mut entries = members_of(text, inside);
        if let Some(Some(glance)) = self.member_index.get()
            && glance.len() == entries.list.len()
        {
            // Values that were parsed on their own are not parsed again.
            for (place, value) in glance.parsed_values() {
                entries.list[place].1 = value.clone();
            }
        }
        entries
    }

    /// Returns the member index, if the members are not parsed yet.
    #[inline]
    fn member_index(&self) -> Option<(&MemberIndex<Value>, &Bytes, &NestedEnds)> {
        let (text, inside) = self.unparsed_parts()?;
        let glance = self.member_index.get_or_init(|| MemberIndex::from_text(text, inside)).as_ref()?;
        Some((glance, text, inside))
    }

    fn entries(&self) -> &MemberList {
        self.entries.get_or_init(|| self.read())
    }

    /// Returns the members for a change: the text is dropped.
    fn entries_mut(&mut self) -> &mut MemberList {
        if self.entries.get().is_none() {
            self.entries = OnceLock::from(self.read());
        }
        (self.text, self.nested_ends, self.member_index) = (None, None, OnceLock::new());
        match self.entries.get_mut() {
            Some(entries) => entries,
            None => unreachable!("members that were put there just now"),
        }
    }
}

impl MemberList {
    /// Builds the lookup table of a list of members.
    pub(crate) fn new(list: Vec<(Name, Value)>) -> Self {
        let names = MemberNames::new(&list);
        Self { list, names }
    }

    /// Whether a name occurs twice.
    pub(crate) fn has_name_twice(&self) -> bool {
        self.names.has_duplicate(&self.list)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.position(name, &self.list)
    }

    fn push(&mut self, name: Name, value: Value) -> usize {
        self.list.push((name, value));
        self.names.update_after_push(&self.list);
        self.list.len() - 1
    }

    fn remove(&mut self, place: usize) -> (Name, Value) {
        let removed = self.list.remove(place);
        self.names.update_after_remove(&removed.0, place, &self.list);
        removed
    }

    /// Removes or moves members, then rebuilds the lookup table.
    fn rearrange<T>(&mut self, to_move: impl FnOnce(&mut Vec<(Name, Value)>) -> T) -> T {
        // If `to_move` panics, lookups are linear searches rather than ones in an outdated table.
        self.names = MemberNames::Few;
        let moved = to_move(&mut self.list);
        self.names = MemberNames::new(&self.list);
        moved
    }
}

impl Map {
    /// Returns an empty object.
    pub const fn new() -> Self {
        Self { members: None }
    }

    /// Returns an empty object with capacity for a number of members.
    pub fn with_capacity(capacity: usize) -> Self {
        match capacity {
            0 => Self::new(),
            _ => Self::from_member_list(MemberList::new(Vec::with_capacity(capacity)), None),
        }
    }

    /// Builds an object of members in their order. Their names must be different.
    pub fn from_unique_members(entries: Vec<(Name, Value)>) -> Self {
        let map = if entries.is_empty() {
            Self::new()
        } else {
            Self::from_member_list(MemberList::new(entries), None)
        };
        debug_assert!(!map.has_name_twice(), "each name stands there once");
        map
    }

    /// Builds an object of members with different names, and of the text that they were parsed from.
    pub(crate) fn from_member_list(entries: MemberList, text: Option<Bytes>) -> Self {
        match entries.list.capacity() {
            0 => Self::new(),
            _ => Self::from_shared(SharedMembers::new(entries, text)),
        }
    }

    /// Returns the unparsed object of a text; [`members_of`] parses it at the first access, if there is any.
    pub(crate) fn from_unparsed_text(text: Bytes, inside: NestedEnds) -> Self {
        let (entries, member_index) = (OnceLock::new(), OnceLock::new());
        Self::from_shared(SharedMembers {
            entries,
            text: Some(text),
            nested_ends: Some(inside),
            member_index,
        })
    }

    fn from_shared(members: SharedMembers) -> Self {
        Self { members: Some(Arc::new(members)) }
    }

    /// Returns all members, parsed.
    pub(crate) fn entries(&self) -> &[(Name, Value)] {
        self.members.as_ref().map_or(&[], |members| &members.entries().list)
    }

    /// Returns the text that the object was parsed from, if nothing has changed since.
    pub(crate) fn text(&self) -> Option<&Bytes> {
        self.members.as_ref()?.text.as_ref()
    }

    /// Returns the text of an object that is not parsed yet.
    pub(crate) fn unparsed_text(&self) -> Option<&Bytes> {
        self.unparsed_parts().map(|(text, _)| text)
    }

    /// Returns the text and the ends of nested objects of an object that is not parsed yet.
    pub(crate) fn unparsed_parts(&self) -> Option<(&Bytes, &NestedEnds)> {
        self.members.as_ref()?.unparsed_parts()
    }

    /// Returns all members, with mutable names and values.
    pub(crate) fn entries_mut(&mut self) -> &mut [(Name, Value)] {
        &mut self.members_mut().list
    }

    /// Returns whether both objects share their members or were parsed from the same text, and so are equal without a
    /// comparison. Equal objects may also return false.
    pub fn is_identical_to(&self, other: &Self) -> bool {
        match (&self.members, &other.members) {
            (Some(one), Some(another)) => {
                Arc::ptr_eq(one, another) || one.text.is_some() && one.text == another.text
            }
            _ => false,
        }
    }

    /// Whether a clone shares its members.
    pub(crate) fn is_shared(&self) -> bool {
        self.members.as_ref().is_some_and(|members| Arc::strong_count(members) > 1)
    }

    fn members_mut(&mut self) -> &mut MemberList {
        let none = || Arc::new(SharedMembers::new(MemberList::default(), None));
        Arc::make_mut(self.members.get_or_insert_with(none)).entries_mut()
    }

    /// Whether a name occurs twice, which only parsed texts can cause.
    pub(crate) fn has_name_twice(&self) -> bool {
        self.members.as_ref().is_some_and(|members| members.entries().has_name_twice())
    }

    /// Returns the position of a member.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let members = self.members.as_ref()?;
        // The member index tells without parsing that a name does not exist.
        if members.member_index().is_some_and(|(glance, text, _)| !glance.contains(name, text)) {
            return None;
        }
        members.entries().position(name)
    }

    /// Appends a member whose name is new, and returns its position.
    pub(crate) fn push(&mut self, name: Name, value: Value) -> usize {
        self.members_mut().push(name, value)
    }

    /// Consumes the object and returns its members.
    pub(crate) fn into_entries(self) -> Vec<(Name, Value)> {
        let members = self.members.map(Arc::unwrap_or_clone);
        let entries = members.map(|members| {
            members.entries.get().is_none().then(|| members.read()).or(members.entries.into_inner())
        });
        entries.flatten().unwrap_or_default().list
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Returns whether it has no members.
    pub fn is_empty(&self) -> bool {
        match self.members.as_ref().and_then(|members| members.member_index()) {
            Some((glance, ..)) => glance.len() == 0,
            None => self.entries().is_empty(),
        }
    }

    /// Returns the value of a name.
    pub fn get<Q: AsRef<str> + ?Sized>(&self, name: &Q) -> Option<&Value> {
        let members = self.members.as_ref()?;
        if let Some((glance, text, inside)) = members.member_index() {
            let read = |places, first| value_at(places, first, text, inside);
            return glance.get(name.as_ref(), text, &read);
        }
        let entries = members.entries();
        entries.position(name.as_ref()).map(|place| &entries.list[place].1)
    }

    /// Returns the string value of a name, like `get(name)?.as_str()`, without parsing other members.
    pub fn text_at(&self, name: &str) -> Option<&str> {
        match self.members.as_ref()?.member_index() {
            Some((glance, text, _)) => glance.text_at(name, text),
            None => self.get(name)?.as_str(),
        }
    }

    /// Returns whether there is a member of that name that is not `null`.
    pub fn has_value(&self, name: &str) -> bool {
        match self.members.as_ref().and_then(|members| members.member_index()) {
            Some((glance, text, _)) => glance.has_value(name, text),
            None => self.get(name).is_some_and(|value| !value.is_null()),
        }
    }

    /// Returns the mutable value of a name.
    pub fn get_mut<Q: AsRef<str> + ?Sized>(&mut self, name: &Q) -> Option<&mut Value> {
        let place = self.position(name.as_ref())?;
        Some(&mut self.entries_mut()[place].1)
    }

    /// Returns the member of a name.
    pub fn get_key_value<Q: AsRef<str> + ?Sized>(&self, name: &Q) -> Option<(&Name, &Value)> {
        let place = self.position(name.as_ref())?;
        let (name, value) = &self.entries()[place];
        Some((name, value))
    }

    /// Returns whether there is a member of that name.
    pub fn contains_key<Q: AsRef<str> + ?Sized>(&self, name: &Q) -> bool {
        let Some(members) = &self.members else { return false };
        match members.member_index() {
            Some((glance, text, _)) => glance.contains(name.as_ref(), text),
            None => members.entries().position(name.as_ref()).is_some(),
        }
    }

    /// Like [`insert`](Self::insert), at a position.
    pub fn shift_insert(&mut self, place: usize, name: impl Into<Name>, value: Value) -> Option<Value> {
        let name = name.into();
        let before = self.shift_remove(&name);
        self.members_mut().rearrange(|entries| entries.insert(place, (name, value)));
        before
    }

    /// Removes a member and returns its value. Later members move up.
    pub fn shift_remove<Q: AsRef<str> + ?Sized>(&mut self, name: &Q) -> Option<Value> {
        self.remove_entry(name).map(|(_, value)| value)
    }

    /// Does the same as [`shift_remove`](Self::shift_remove).
    pub fn remove<Q: AsRef<str> + ?Sized>(&mut self, name: &Q) -> Option<Value> {
        self.shift_remove(name)
    }

    /// Like [`shift_remove`](Self::shift_remove), and also returns the name.
    pub fn remove_entry<Q: AsRef<str> + ?Sized>(&mut self, name: &Q) -> Option<(Name, Value)> {
        let place = self.position(name.as_ref())?;
        Some(self.members_mut().remove(place))
    }

    /// Removes all members for which `keeps` returns false.
    pub fn retain(&mut self, mut keeps: impl FnMut(&Name, &mut Value) -> bool) {
        if !self.is_empty() {
            self.members_mut().rearrange(|entries| entries.retain_mut(|(name, value)| keeps(name, value)));
        }
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl PartialEq for Map {
    /// Ignores the order of members.
    fn eq(&self, other: &Self) -> bool {
        if self.is_identical_to(other) {
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

impl Eq for Map {}

impl Hash for Map {
    /// Independent of the order of members, like equality.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut members: Vec<_> = self.entries().iter().collect();
        members.sort_unstable_by_key(|(name, _)| name);
        members.hash(state);
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.entries().iter().map(|(name, value)| (name, value))).finish()
    }
}

impl<Q: AsRef<str> + ?Sized> Index<&Q> for Map {
    type Output = Value;

    fn index(&self, name: &Q) -> &Value {
        match self.get(name) {
            Some(value) => value,
            None => panic!("no member {:?}", name.as_ref()),
        }
    }
}

impl<Q: AsRef<str> + ?Sized> IndexMut<&Q> for Map {
    fn index_mut(&mut self, name: &Q) -> &mut Value {
        match self.get_mut(name) {
            Some(value) => value,
            None => panic!("no member {:?}", name.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests;
