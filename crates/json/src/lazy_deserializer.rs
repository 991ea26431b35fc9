//! A `serde` deserializer for the text of an unparsed object: it builds no tree, and skips unneeded nested objects by
//! their recorded ends.

use crate::escape_scan::len_to_quote;
use crate::number;
use crate::structural_index::{NestedEnds, ObjectEnd};
use crate::{Error, Number};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::ops::Range;

/// Numbers with at most so many digits fit into a `u64`.
const DIGITS_SURE: usize = 18;

/// The range of a member in the text of an object.
pub(crate) struct MemberRange {
    pub(crate) name: Range<u32>,
    pub(crate) value: Range<u32>,
    /// The index of the first object in the value, or else of the next object after it.
    pub(crate) first: u32,
}

/// The deserializer: an offset in the text of an object without escapes.
pub(crate) struct LazyDeserializer<'de> {
    bytes: &'de [u8],
    at: usize,
    /// The ends of nested objects of the whole document.
    ends: &'de [ObjectEnd],
    /// The index of the next object in `ends`.
    next: usize,
    /// The offset of the text in the whole document.
    start: usize,
}

impl<'de> LazyDeserializer<'de> {
    /// Starts at the beginning of an object. `None` if a string in it contains escapes.
    pub(crate) fn from_object(text: &'de [u8], inside: &'de NestedEnds) -> Option<Self> {
        if !inside.ends.is_plain && text.contains(&b'\\') {
            return None;
        }
        let next = inside.first.checked_sub(1)?;
        Some(Self { bytes: text, at: 0, ends: &inside.ends.all, next, start: inside.start })
    }

    /// Like [`of`](Self::of), but starts at the first member of the object.
    pub(crate) fn from_first_member(text: &'de [u8], inside: &'de NestedEnds) -> Option<Self> {
        let mut unread = Self::from_object(text, inside)?;
        unread.pass(b'{').ok()?;
        unread.next = inside.first;
        Some(unread)
    }

    /// Moves past the next member, and returns its range. `None` after the last one.
    pub(crate) fn member(&mut self, is_first: &mut bool) -> Result<Option<MemberRange>, Error> {
        if !self.has_next(is_first, b'}')? {
            return if self.at + 1 == self.bytes.len() { Ok(None) } else { Err(damaged()) };
        }
        self.peek()?;
        let name = self.at;
        self.pass_text()?;
        let name = to_offset(name + 1)?..to_offset(self.at - 1)?;
        self.pass(b':')?;
        self.peek()?;
        let (value, first) = (self.at, to_offset(self.next)?);
        self.pass_value()?;
        Ok(Some(MemberRange { name, value: to_offset(value)?..to_offset(self.at)?, first }))
    }

    // The small functions are inlined into views of other crates.
    #[inline]
    fn peek(&mut self) -> Result<u8, Error> {
        match self.bytes.get(self.at) {
            Some(byte) if *byte > b' ' => Ok(*byte),
            _ => self.peek_behind_space(),
        }
    }

    fn peek_behind_space(&mut self) -> Result<u8, Error> {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                byte => return Ok(*byte),
            }
        }
        Err(damaged())
    }

    #[inline]
    fn pass(&mut self, expected: u8) -> Result<(), Error> {
        if self.peek()? != expected {
            return Err(damaged());
        }
        self.at += 1;
        Ok(())
    }

    /// Moves past a comma; false at the end of the list or object.
    #[inline]
    fn has_next(&mut self, is_first: &mut bool, end: u8) -> Result<bool, Error> {
        let byte = self.peek()?;
        if byte == end {
            return Ok(false);
        }
        if !std::mem::take(is_first) {
            if byte != b',' {
                return Err(damaged());
            }
            self.at += 1;
        }
        Ok(true)
    }

    /// Reads the string that begins at the next byte.
    #[inline]
    fn text(&mut self) -> Result<&'de str, Error> {
        std::str::from_utf8(self.text_bytes()?).map_err(|_| damaged())
    }

    /// Reads a string whose type is known.
    #[inline]
    fn text_bytes(&mut self) -> Result<&'de [u8], Error> {
        let from = self.at + 1;
        self.pass_text()?;
        self.bytes.get(from..self.at - 1).ok_or_else(damaged)
    }

    fn pass_text(&mut self) -> Result<(), Error> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(damaged());
        }
        let end = self.at + 1 + len_to_quote(&self.bytes[self.at + 1..]);
        if end == self.bytes.len() {
            return Err(damaged());
        }
        self.at = end + 1;
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), Error> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(damaged());
        }
        self.at += word.len();
        Ok(())
    }

    /// Returns the text of the number that begins here.
    fn number(&mut self) -> &'de [u8] {
        let from = self.at;
        let is_of_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        self.at += self.bytes[from..].iter().take_while(|byte| is_of_number(byte)).count();
        &self.bytes[from..self.at]
    }

    /// Returns the end of the object that begins here.
    fn end(&self) -> Result<ObjectEnd, Error> {
        self.ends.get(self.next).copied().ok_or_else(damaged)
    }

    fn skip_object(&mut self, end: ObjectEnd) -> Result<(), Error> {
        self.at = (end.at as usize).checked_sub(self.start).ok_or_else(damaged)?;
        self.next = end.next as usize;
        Ok(())
    }

    fn pass_value(&mut self) -> Result<(), Error> {
        match self.peek()? {
            b'"' => self.pass_text(),
            b'{' => self.skip_object(self.end()?),
            b'[' => {
                self.at += 1;
                let mut is_first = true;
                while self.has_next(&mut is_first, b']')? {
                    self.pass_value()?;
                }
                self.pass(b']')
            }
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => match self.number() {
                [] => Err(damaged()),
                _ => Ok(()),
            },
        }
    }
}

/// Converts an offset; `ObjectEnds` has refused larger texts.
fn to_offset(at: usize) -> Result<u32, Error> {
    u32::try_from(at).map_err(|_| damaged())
}

/// The error for a text that is not written as this server writes documents.
fn damaged() -> Error {
    Error::custom("a document that is damaged")
}

impl<'de> Deserializer<'de> for &mut LazyDeserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek()? {
            b'"' => visitor.visit_borrowed_str(self.text()?),
            b'{' => {
                let end = self.end()?;
                (self.at, self.next) = (self.at + 1, self.next + 1);
                let made = visitor.visit_map(LazyAccess { deserializer: self, is_first: true })?;
                // Skips the rest of the object.
                self.skip_object(end)?;
                Ok(made)
            }
            b'[' => {
                self.at += 1;
                let mut each = LazyAccess { deserializer: self, is_first: true };
                let made = visitor.visit_seq(&mut each)?;
                while each.deserializer.has_next(&mut each.is_first, b']')? {
                    each.deserializer.pass_value()?;
                }
                self.pass(b']')?;
                Ok(made)
            }
            b't' => self.word("true").and_then(|()| visitor.visit_bool(true)),
            b'f' => self.word("false").and_then(|()| visitor.visit_bool(false)),
            b'n' => self.word("null").and_then(|()| visitor.visit_unit()),
            _ => match self.number() {
                [first @ b'1'..=b'9', rest @ ..]
                    if rest.len() < DIGITS_SURE && rest.iter().all(u8::is_ascii_digit) =>
                {
                    let digit = |byte: &u8| u64::from(byte - b'0');
                    visitor.visit_u64(rest.iter().fold(digit(first), |whole, byte| whole * 10 + digit(byte)))
                }
                other => number::visit(&crate::from_slice::<Number>(other)?, visitor),
            },
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek()? {
            b'n' => self.word("null").and_then(|()| visitor.visit_none()),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.peek()? {
            b'"' => visitor.visit_enum(BorrowedStrDeserializer::new(self.text()?)),
            _ => {
                let from = self.at;
                self.pass_value()?;
                let json = self.bytes.get(from..self.at).ok_or_else(damaged)?;
                serde_json::Deserializer::from_slice(json).deserialize_enum(name, variants, visitor)
            }
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.pass_value()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

/// Access to each member of an object, or each element of a list.
struct LazyAccess<'u, 'de> {
    deserializer: &'u mut LazyDeserializer<'de>,
    is_first: bool,
}

impl<'de> MapAccess<'de> for LazyAccess<'_, 'de> {
    type Error = Error;

    fn next_key_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if !self.deserializer.has_next(&mut self.is_first, b'}')? {
            return Ok(None);
        }
        self.deserializer.peek()?;
        seed.deserialize(NameDeserializer(self.deserializer.text_bytes()?)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        self.deserializer.pass(b':')?;
        seed.deserialize(&mut *self.deserializer)
    }
}

impl<'de> SeqAccess<'de> for LazyAccess<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if !self.deserializer.has_next(&mut self.is_first, b']')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.deserializer).map(Some)
    }
}

/// The name of a member.
struct NameDeserializer<'de>(&'de [u8]);

impl<'de> Deserializer<'de> for NameDeserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(std::str::from_utf8(self.0).map_err(|_| damaged())?)
    }

    /// Names are compared as bytes, without a check for valid text.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_bytes(self.0)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum ignored_any
    }
}
