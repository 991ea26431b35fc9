//! Where the members of an object stand in its text, for who asks for a few of them by name: no name is copied, and of the
//! values only those become a tree that somebody asked for.

use crate::read::{Inside, SHARED_BYTES_MIN, value_of};
use crate::unread::Unread;
use crate::{Map, Value};
use bytes::Bytes;
use std::ops::Range;
use std::sync::OnceLock;

/// The members of an object that was passed over, as they stand in its text.
pub(crate) struct Glance(Vec<Member>);

/// A member: its places in the text of the object.
struct Member {
    name: Range<u32>,
    value: Range<u32>,
    /// The place of the first object in the value, or of the first one behind it.
    first: u32,
    /// The value, once somebody has asked for it.
    read: OnceLock<Box<Value>>,
}

impl Member {
    /// What stands there. Each text stands for itself.
    fn value(&self, text: &Bytes, inside: &Inside) -> Value {
        let places = self.value.start as usize..self.value.end as usize;
        let (first, start) = (self.first as usize, inside.start + places.start);
        let within = |first| Inside { first, start, ..inside.clone() };
        match text.get(places.clone()) {
            Some([b'"', inner @ .., b'"']) => match std::str::from_utf8(inner) {
                Ok(inner) => Value::from(inner),
                Err(_) => value_of(&text.slice(places), &within(first)),
            },
            Some([b'{', _, _, ..]) => Value::Object(Map::unread(text.slice(places), within(first + 1))),
            _ => value_of(&text.slice(places), &within(first)),
        }
    }
}

/// The usual number of members.
const MEMBERS_USUAL: usize = 24;

impl Glance {
    /// Goes through the members of an object once. `None` where its text is not as this server writes it, or names stand for
    /// something else.
    pub(crate) fn of(text: &[u8], inside: &Inside) -> Option<Self> {
        let mut members = Vec::with_capacity(MEMBERS_USUAL);
        let (mut unread, mut is_first) = (Unread::within(text, inside)?, true);
        while let Some((name, value, first)) = unread.member(&mut is_first).ok()? {
            members.push(Member { name, value, first, read: OnceLock::new() });
        }
        Some(Self(members))
    }

    /// The number of members.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The value with a name.
    pub(crate) fn get(&self, name: &str, text: &Bytes, inside: &Inside) -> Option<&Value> {
        self.read(self.place(name, text)?, text, inside)
    }

    /// Whether there is a member with a name.
    pub(crate) fn has(&self, name: &str, text: &[u8]) -> bool {
        self.place(name, text).is_some()
    }

    /// Whether there is one that is not `null`.
    pub(crate) fn has_value(&self, name: &str, text: &[u8]) -> bool {
        let value = self.place(name, text).and_then(|place| bytes(&self.0.get(place)?.value, text));
        value.is_some_and(|value| value != b"null")
    }

    /// The text with a name.
    pub(crate) fn text_at<'t>(&self, name: &str, text: &'t [u8]) -> Option<&'t str> {
        self.text(self.place(name, text)?, text)
    }

    /// The text that the value at a place is: each stands for itself here.
    fn text<'t>(&self, place: usize, text: &'t [u8]) -> Option<&'t str> {
        match bytes(&self.0.get(place)?.value, text)? {
            [b'"', inner @ .., b'"'] => std::str::from_utf8(inner).ok(),
            _ => None,
        }
    }

    /// The values that somebody has asked for, each with the place of its member.
    pub(crate) fn all_read(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.0.iter().enumerate().filter_map(|(place, member)| Some((place, &**member.read.get()?)))
    }

    fn place(&self, name: &str, text: &[u8]) -> Option<usize> {
        // Of two members with a name, which only others than this server write, the last one counts.
        self.0.iter().rposition(|member| {
            member.name.len() == name.len() && bytes(&member.name, text) == Some(name.as_bytes())
        })
    }

    fn read(&self, place: usize, text: &Bytes, inside: &Inside) -> Option<&Value> {
        let member = self.0.get(place)?;
        Some(member.read.get_or_init(|| {
            let shared = place.checked_sub(1).filter(|before| self.is_same(*before, member, text));
            let shared = shared.and_then(|before| self.read(before, text, inside)).cloned();
            Box::new(shared.unwrap_or_else(|| member.value(text, inside)))
        }))
    }

    /// Whether a member is written as this one, and large, so that both share their value.
    fn is_same(&self, place: usize, other: &Member, text: &[u8]) -> bool {
        other.value.len() >= SHARED_BYTES_MIN
            && self.0.get(place).is_some_and(|member| {
                bytes(&member.value, text).is_some_and(|value| {
                    value.first() == Some(&b'{') && Some(value) == bytes(&other.value, text)
                })
            })
    }
}

fn bytes<'t>(range: &Range<u32>, text: &'t [u8]) -> Option<&'t [u8]> {
    text.get(range.start as usize..range.end as usize)
}
