//! Parses JSON: stored documents lazily ([`read`]: nested objects are skipped and keep their text), and requests at
//! once ([`parse`]). A text that the fast parser does not accept goes to the parser of `serde_json`, which reports
//! the error.

use crate::escape_scan::plain_len;
use crate::map::MemberList;
use crate::structural_index::{NestedEnds, ObjectEnds, SHARED_BYTES_MIN};
use crate::{Error, Map, Name, Number, Value};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::sync::Arc;

/// `{}`
const EMPTY_BYTES: usize = 2;
/// The usual size of a member with its name in bytes, and the usual number of members of an object.
const MEMBER_BYTES_USUAL: usize = 32;
const MEMBERS_USUAL: Range<usize> = 4..32;
/// Maximum nesting of objects and lists; the parser of `serde_json` handles deeper texts.
const DEPTH_MAX: usize = 120;
/// How the id of a document is written, and its maximum length.
const ID: &[u8] = b"\"id\":\"";
const ID_BYTES_MAX: usize = 64;

/// Parses a document that this server wrote as JSON, or another text that is known to be valid JSON. The result equals
/// that of [`from_slice`](crate::from_slice), but objects keep their text, and nested objects are skipped until their
/// first access. Of damage inside of a skipped object, only unbalanced braces and quotes are noticed here.
///
/// # Errors
/// Those of [`from_slice`](crate::from_slice), if the text is not a JSON object.
pub fn read(text: &Bytes) -> Result<Map, Error> {
    // `from_slice` parses everything that this server would write differently, and reports errors.
    LazyParser::parse_object(text).map_or_else(|| crate::from_slice(text), Ok)
}

/// Like [`read`], for callers that do not use the object at this path: it may be missing from the result.
///
/// # Errors
/// Those of [`read`].
pub fn read_without(path: &[&str], text: &Bytes) -> Result<Map, Error> {
    let mut whole = read(text)?;
    leave_out(&mut whole, path);
    Ok(whole)
}

fn leave_out(object: &mut Map, path: &[&str]) {
    match path {
        [] => {}
        [last] => {
            if object.get(last).is_some_and(Value::is_object) {
                object.shift_remove(last);
            }
        }
        [first, rest @ ..] => {
            if let Some(Value::Object(inner)) = object.get_mut(first) {
                leave_out(inner, rest);
            }
        }
    }
}

/// Parses any JSON: the same as [`from_slice`](crate::from_slice), but faster. Does not keep the text.
///
/// # Errors
/// Those of [`from_slice`](crate::from_slice).
pub fn parse(text: &[u8]) -> Result<Value, Error> {
    LazyParser::parse_value(text).map_or_else(|| crate::from_slice(text), Ok)
}

/// Parses the members of a skipped object.
pub(crate) fn members_of(text: &Bytes, inside: &NestedEnds) -> MemberList {
    let usual = || match crate::from_slice::<Map>(text) {
        Ok(object) => MemberList::new(object.into_entries()),
        Err(problem) => damaged(inside, &problem),
    };
    LazyParser::members_of(text, inside).unwrap_or_else(usual)
}

/// Parses the value at a range of the text of a skipped object without escapes. `first` is the index of the first
/// object nested in it.
pub(crate) fn value_at(places: Range<usize>, first: usize, text: &Bytes, inside: &NestedEnds) -> Value {
    let within =
        |first| NestedEnds { first, start: inside.start + places.start, ends: Arc::clone(&inside.ends) };
    match text.get(places.clone()).unwrap_or_default() {
        [b'"', inner @ .., b'"'] if let Ok(inner) = std::str::from_utf8(inner) => Value::from(inner),
        [b'{', _, _, ..] => {
            Value::Object(Map::from_unparsed_text(text.slice(places.clone()), within(first + 1)))
        }
        _ => value_of(&text.slice(places.clone()), &within(first)),
    }
}

fn value_of(text: &Bytes, inside: &NestedEnds) -> Value {
    let usual = || match crate::from_slice(text) {
        Ok(value) => value,
        Err(problem) => damaged(inside, &problem),
    };
    LazyParser::value_of(text, inside).unwrap_or_else(usual)
}

/// Aborts the request that reads a damaged document. Accessors of documents return no errors, and a made-up value would
/// be wrong: the panic becomes a 500 response, and the log gets this message with the id.
fn damaged(inside: &NestedEnds, problem: &Error) -> ! {
    panic!(
        "the stored document with id {} is damaged behind byte {}: {problem}",
        id_of(&inside.ends.document).unwrap_or("unknown"),
        inside.start
    )
}

/// Returns the first string value of a member `id`, if it looks like an id.
fn id_of(document: &[u8]) -> Option<&str> {
    let at = document.windows(ID.len()).position(|bytes| bytes == ID)? + ID.len();
    let length = document.get(at..)?.iter().take(ID_BYTES_MAX).position(|byte| *byte == b'"')?;
    let id = std::str::from_utf8(document.get(at..at + length)?).ok()?;
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-').then_some(id)
}

struct LazyParser<'t> {
    json: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    /// Members of all objects that have begun and not ended.
    members: Vec<(Name, Value)>,
    objects: NestedObjectMode<'t>,
}

/// How nested objects are parsed.
enum NestedObjectMode<'t> {
    /// Completely; the text is not kept.
    Read,
    /// They are skipped, and keep their part of the text.
    Pass { text: &'t Bytes, inside: &'t NestedEnds, next: usize },
}

impl<'t> LazyParser<'t> {
    /// Parses a whole text, if it is simple.
    fn parse_value(text: &'t [u8]) -> Option<Value> {
        let json = std::str::from_utf8(text).ok()?;
        let mut reader =
            Self { json, bytes: text, at: 0, depth: 0, members: Vec::new(), objects: NestedObjectMode::Read };
        let value = reader.value()?;
        reader.pass_space();
        (reader.at == text.len()).then_some(value)
    }

    /// Parses a whole text that is an object, and skips nested objects.
    fn parse_object(text: &Bytes) -> Option<Map> {
        let object = text.trim_ascii();
        if object.first() != Some(&b'{') {
            return None;
        }
        let text = text.slice_ref(object);
        let ends = ObjectEnds { document: text.clone(), ..ObjectEnds::from_text(&text, DEPTH_MAX)? };
        if ends.all.first()?.at as usize != text.len() {
            return None;
        }
        let inside = NestedEnds { ends: Arc::new(ends), first: 1, start: 0 };
        let entries = LazyParser::members_of(&text, &inside)?;
        Some(Map::from_member_list(entries, Some(text)))
    }

    /// Parses the members of a text that is an object, and skips nested objects.
    fn members_of(text: &'t Bytes, inside: &'t NestedEnds) -> Option<MemberList> {
        let json = std::str::from_utf8(text).ok()?;
        let room = (text.len() / MEMBER_BYTES_USUAL).clamp(MEMBERS_USUAL.start, MEMBERS_USUAL.end);
        let members = Vec::with_capacity(room);
        let objects = NestedObjectMode::Pass { text, inside, next: inside.first };
        let mut reader = Self { json, bytes: text, at: 0, depth: 1, members, objects };
        reader.members()?;
        if reader.at != text.len() {
            return None;
        }
        let entries = MemberList::new(reader.members);
        // If a name occurs twice, the parser of `serde_json` decides which member counts.
        (!entries.has_name_twice()).then_some(entries)
    }

    /// Parses a text that is a value, and skips nested objects.
    fn value_of(text: &'t Bytes, inside: &'t NestedEnds) -> Option<Value> {
        let json = std::str::from_utf8(text).ok()?;
        let objects = NestedObjectMode::Pass { text, inside, next: inside.first };
        let mut reader = Self { json, bytes: text, at: 0, depth: 1, members: Vec::new(), objects };
        let value = reader.value()?;
        (reader.at == text.len()).then_some(value)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn pass_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Moves past an expected byte.
    fn pass(&mut self, expected: u8) -> Option<()> {
        self.pass_space();
        (self.peek()? == expected).then(|| self.at += 1)
    }

    fn value(&mut self) -> Option<Value> {
        self.pass_space();
        match self.peek()? {
            b'"' => self.text().map(Value::String),
            b'{' => self.parse_nested(Self::object),
            b'[' => self.parse_nested(Self::array),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number().map(Value::Number),
        }
    }

    fn parse_nested(&mut self, read: impl FnOnce(&mut Self) -> Option<Value>) -> Option<Value> {
        self.depth += 1;
        let value = if self.depth > DEPTH_MAX { None } else { read(self) };
        self.depth -= 1;
        value
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let is_so = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        is_so.then_some(value)
    }

    fn object(&mut self) -> Option<Value> {
        if let Some(unread) = self.skip_object() {
            return Some(unread);
        }
        let first = self.members.len();
        self.members()?;
        let members = Map::from_member_list(MemberList::new(self.members.drain(first..).collect()), None);
        // If a name occurs twice, the parser of `serde_json` decides which member counts.
        (!members.has_name_twice()).then_some(Value::Object(members))
    }

    /// Parses the members of the object that begins here.
    fn members(&mut self) -> Option<()> {
        let first = self.members.len();
        self.at += 1;
        self.pass_space();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.pass_space();
            let name = self.name()?;
            self.pass(b':')?;
            let value = match self.same_as_before(first) {
                Some(value) => value,
                None => self.value()?,
            };
            self.members.push((name, value));
            self.pass_space();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return None,
            }
        }
        self.at += 1;
        Some(())
    }

    /// Skips the object that begins here; it is parsed at its first access.
    fn skip_object(&mut self) -> Option<Value> {
        let NestedObjectMode::Pass { text, inside, next } = &mut self.objects else { return None };
        let end = inside.ends.all.get(*next)?;
        let within =
            NestedEnds { first: *next + 1, start: inside.start + self.at, ends: Arc::clone(&inside.ends) };
        *next = end.next as usize;
        let start = std::mem::replace(&mut self.at, end.at as usize - inside.start);
        Some(Value::Object(match self.at - start {
            EMPTY_BYTES => Map::new(),
            _ => Map::from_unparsed_text(text.slice(start..self.at), within),
        }))
    }

    /// Returns the object that begins here as a clone of the member before it, if both are large and have the same
    /// text. `first` is the position of the first member of the object that contains both.
    fn same_as_before(&mut self, first: usize) -> Option<Value> {
        let (_, before) = self.members[first..].last()?;
        let text = before.as_object()?.text().filter(|text| text.len() >= SHARED_BYTES_MIN)?;
        if !self.bytes[self.at..].starts_with(text) {
            return None;
        }
        self.at += text.len();
        let same = before.clone();
        if let NestedObjectMode::Pass { inside, next, .. } = &mut self.objects {
            *next = inside.ends.all.get(*next)?.next as usize;
        }
        Some(same)
    }

    fn array(&mut self) -> Option<Value> {
        self.at += 1;
        self.pass_space();
        let mut elements = Vec::new();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(Value::Array(elements));
        }
        loop {
            elements.push(self.value()?);
            self.pass_space();
            match self.peek()? {
                b',' => self.at += 1,
                b']' => break,
                _ => return None,
            }
        }
        self.at += 1;
        Some(Value::Array(elements))
    }

    /// Moves past a string. True if it contains no escapes.
    fn pass_text(&mut self) -> Option<bool> {
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        let mut is_plain = true;
        loop {
            self.at += plain_len(self.bytes.get(self.at..)?);
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    is_plain = false;
                    self.at += 2;
                }
                _ => return None,
            }
        }
        self.at += 1;
        Some(is_plain)
    }

    fn text(&mut self) -> Option<String> {
        self.text_as(str::to_owned)
    }

    fn name(&mut self) -> Option<Name> {
        self.text_as(|name| Name::new(name))
    }

    fn text_as<T: DeserializeOwned>(&mut self, plain: impl FnOnce(&str) -> T) -> Option<T> {
        let start = self.at;
        let is_plain = self.pass_text()?;
        match is_plain {
            true => self.json.get(start + 1..self.at - 1).map(plain),
            false => crate::from_str(self.json.get(start..self.at)?).ok(),
        }
    }

    fn number(&mut self) -> Option<Number> {
        let start = self.at;
        let mut whole: Option<u64> = Some(0);
        while let Some(byte) = self.peek() {
            match byte {
                b'0'..=b'9' => {
                    let digit = u64::from(byte - b'0');
                    whole = whole.and_then(|whole| whole.checked_mul(10)?.checked_add(digit));
                }
                b'-' | b'+' | b'.' | b'e' | b'E' => whole = None,
                _ => break,
            }
            self.at += 1;
        }
        let is_usual = self.bytes.get(start) != Some(&b'0') || self.at == start + 1;
        match whole.filter(|_| is_usual && self.at > start) {
            Some(whole) => Some(whole.into()),
            None => crate::from_str(self.json.get(start..self.at)?).ok(),
        }
    }
}

#[cfg(test)]
mod tests;
