//! An index of the members of an unparsed object: their offsets in its text. Reading a few members by name copies no
//! name and parses only the requested values.

use crate::lazy_deserializer::{LazyDeserializer, MemberRange};
use crate::member_names::LOOKED_THROUGH_MAX;
use crate::structural_index::{NestedEnds, SHARED_BYTES_MIN};
use std::ops::Range;
use std::sync::OnceLock;

/// The members of a skipped object, as offsets into its text.
pub(crate) struct MemberIndex<V>(Vec<IndexedMember<V>>);

struct IndexedMember<V> {
    at: MemberRange,
    /// The parsed value, once it was requested.
    read: OnceLock<Box<V>>,
}

/// The usual number of members.
const MEMBERS_USUAL: usize = 24;

impl<V: Clone> MemberIndex<V> {
    /// Scans the members of an object once. `None` if this server does not write JSON that way, if names
    /// contain escapes, or if there are too many for a linear search.
    pub(crate) fn from_text(text: &[u8], inside: &NestedEnds) -> Option<Self> {
        let mut members = Vec::with_capacity(MEMBERS_USUAL);
        let (mut unread, mut is_first) = (LazyDeserializer::from_first_member(text, inside)?, true);
        while let Some(at) = unread.member(&mut is_first).ok()? {
            if members.len() == LOOKED_THROUGH_MAX {
                return None;
            }
            members.push(IndexedMember { at, read: OnceLock::new() });
        }
        Some(Self(members))
    }

    /// The number of members.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the value of a name. `read` parses it at the first call, from its range in the text and the index of its
    /// first nested object.
    pub(crate) fn get(
        &self,
        name: &str,
        text: &[u8],
        read: &impl Fn(Range<usize>, usize) -> V,
    ) -> Option<&V> {
        self.read(self.position(name, text)?, text, read)
    }

    /// Whether there is a member of that name.
    pub(crate) fn contains(&self, name: &str, text: &[u8]) -> bool {
        self.position(name, text).is_some()
    }

    /// Whether there is a member of that name that is not `null`.
    pub(crate) fn has_value(&self, name: &str, text: &[u8]) -> bool {
        let value = self.position(name, text).and_then(|place| bytes(&self.0.get(place)?.at.value, text));
        value.is_some_and(|value| value != b"null")
    }

    /// Returns the string value of a name.
    pub(crate) fn text_at<'t>(&self, name: &str, text: &'t [u8]) -> Option<&'t str> {
        self.text(self.position(name, text)?, text)
    }

    /// Returns the string value of the member at an index; the text contains no escapes.
    fn text<'t>(&self, place: usize, text: &'t [u8]) -> Option<&'t str> {
        match bytes(&self.0.get(place)?.at.value, text)? {
            [b'"', inner @ .., b'"'] => std::str::from_utf8(inner).ok(),
            _ => None,
        }
    }

    /// Returns the values parsed so far, each with the index of its member.
    pub(crate) fn parsed_values(&self) -> impl Iterator<Item = (usize, &V)> {
        self.0.iter().enumerate().filter_map(|(place, member)| Some((place, &**member.read.get()?)))
    }

    fn position(&self, name: &str, text: &[u8]) -> Option<usize> {
        // Of two members with the same name, which this server never writes, the last one counts.
        self.0.iter().rposition(|member| {
            member.at.name.len() == name.len() && bytes(&member.at.name, text) == Some(name.as_bytes())
        })
    }

    fn read(&self, place: usize, text: &[u8], read: &impl Fn(Range<usize>, usize) -> V) -> Option<&V> {
        let member = self.0.get(place)?;
        Some(member.read.get_or_init(|| {
            let before = place.checked_sub(1).filter(|before| self.is_same(*before, member, text));
            // Only a value that is parsed already: parsing it here would recurse once for each equal member in a row.
            let shared =
                before.and_then(|before| self.0.get(before)?.read.get()).map(|value| V::clone(value));
            let places = member.at.value.start as usize..member.at.value.end as usize;
            Box::new(shared.unwrap_or_else(|| read(places, member.at.first as usize)))
        }))
    }

    /// Whether the member at an index has the same large object as its text, so that both can share the value.
    fn is_same(&self, place: usize, other: &IndexedMember<V>, text: &[u8]) -> bool {
        other.at.value.len() >= SHARED_BYTES_MIN
            && self.0.get(place).is_some_and(|member| {
                bytes(&member.at.value, text).is_some_and(|value| {
                    value.first() == Some(&b'{') && Some(value) == bytes(&other.at.value, text)
                })
            })
    }
}

fn bytes<'t>(range: &Range<u32>, text: &'t [u8]) -> Option<&'t [u8]> {
    text.get(range.start as usize..range.end as usize)
}
