//! The positions of an object's members in its text, for reading a few of them by name: no name is copied,
//! and only requested values become trees.

use crate::braces::{Inside, SHARED_BYTES_MIN};
use crate::names::LOOKED_THROUGH_MAX;
use crate::unread::{Places, Unread};
use std::ops::Range;
use std::sync::OnceLock;

/// The members of a skipped object, by their positions in its text.
pub(crate) struct Glance<V>(Vec<Member<V>>);

struct Member<V> {
    at: Places,
    /// The parsed value, once it was requested.
    read: OnceLock<Box<V>>,
}

/// The usual number of members.
const MEMBERS_USUAL: usize = 24;

impl<V: Clone> Glance<V> {
    /// Scans the members of an object once. `None` if its text differs from what this server writes, names
    /// contain escapes, or there are too many for a linear search.
    pub(crate) fn of(text: &[u8], inside: &Inside) -> Option<Self> {
        let mut members = Vec::with_capacity(MEMBERS_USUAL);
        let (mut unread, mut is_first) = (Unread::within(text, inside)?, true);
        while let Some(at) = unread.member(&mut is_first).ok()? {
            if members.len() == LOOKED_THROUGH_MAX {
                return None;
            }
            members.push(Member { at, read: OnceLock::new() });
        }
        Some(Self(members))
    }

    /// The number of members.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the value with a name. The first request parses it from its position, with the position of the
    /// first nested object in it.
    pub(crate) fn get(
        &self,
        name: &str,
        text: &[u8],
        read: &impl Fn(Range<usize>, usize) -> V,
    ) -> Option<&V> {
        self.read(self.place(name, text)?, text, read)
    }

    /// Whether there is a member with a name.
    pub(crate) fn has(&self, name: &str, text: &[u8]) -> bool {
        self.place(name, text).is_some()
    }

    /// Whether there is one that is not `null`.
    pub(crate) fn has_value(&self, name: &str, text: &[u8]) -> bool {
        let value = self.place(name, text).and_then(|place| bytes(&self.0.get(place)?.at.value, text));
        value.is_some_and(|value| value != b"null")
    }

    /// The text with a name.
    pub(crate) fn text_at<'t>(&self, name: &str, text: &'t [u8]) -> Option<&'t str> {
        self.text(self.place(name, text)?, text)
    }

    /// Returns the text value at a position: the text contains no escapes.
    fn text<'t>(&self, place: usize, text: &'t [u8]) -> Option<&'t str> {
        match bytes(&self.0.get(place)?.at.value, text)? {
            [b'"', inner @ .., b'"'] => std::str::from_utf8(inner).ok(),
            _ => None,
        }
    }

    /// Returns the parsed values, each with the position of its member.
    pub(crate) fn all_read(&self) -> impl Iterator<Item = (usize, &V)> {
        self.0.iter().enumerate().filter_map(|(place, member)| Some((place, &**member.read.get()?)))
    }

    fn place(&self, name: &str, text: &[u8]) -> Option<usize> {
        // Of two members with a name, which only others than this server write, the last one counts.
        self.0.iter().rposition(|member| {
            member.at.name.len() == name.len() && bytes(&member.at.name, text) == Some(name.as_bytes())
        })
    }

    fn read(&self, place: usize, text: &[u8], read: &impl Fn(Range<usize>, usize) -> V) -> Option<&V> {
        let member = self.0.get(place)?;
        Some(member.read.get_or_init(|| {
            let before = place.checked_sub(1).filter(|before| self.is_same(*before, member, text));
            // Only what was read already: to read it here would go down as deep as there are equal members in a row.
            let shared =
                before.and_then(|before| self.0.get(before)?.read.get()).map(|value| V::clone(value));
            let places = member.at.value.start as usize..member.at.value.end as usize;
            Box::new(shared.unwrap_or_else(|| read(places, member.at.first as usize)))
        }))
    }

    /// Whether a member is written as this one, and large, so that both share their value.
    fn is_same(&self, place: usize, other: &Member<V>, text: &[u8]) -> bool {
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
