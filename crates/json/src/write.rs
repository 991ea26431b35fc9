//! Writes values as JSON: [`write()`] a whole value, [`ObjectWriter`] an object member by member.

use crate::escape_scan::plain_len;
use crate::structural_index::SHARED_BYTES_MIN;
use crate::{Map, Number, Value};
use std::fmt;
use std::ops::Range;

/// Writes a value as JSON without spaces. Unchanged objects that were parsed by [`read`](crate::lazy_parser::read) are
/// copied from their text, with its spaces and forms of numbers.
pub fn write(value: &Value, out: &mut Vec<u8>) {
    ValueWriter { out, shared: None }.write_value(value);
}

/// Like [`write()`], for an object.
pub(crate) fn write_object(object: &Map, out: &mut Vec<u8>) {
    ValueWriter { out, shared: None }.write_map(object);
}

/// Writes an object member by member, without building a [`Map`] first. Callers must not repeat a name.
#[derive(Debug)]
pub struct ObjectWriter {
    out: Vec<u8>,
}

impl ObjectWriter {
    /// Begins an object, with capacity for a number of bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        let mut out = Vec::with_capacity(bytes);
        out.push(b'{');
        Self { out }
    }

    /// Adds a string.
    #[inline]
    pub fn text(&mut self, name: &'static str, text: &str) {
        self.own_name(name);
        put_text(text, &mut self.out);
    }

    /// Adds a value.
    #[inline]
    pub fn value(&mut self, name: &'static str, value: &Value) {
        self.own_name(name);
        write(value, &mut self.out);
    }

    /// Adds an object; `members` writes its members.
    #[inline]
    pub fn object(&mut self, name: &'static str, members: impl FnOnce(&mut Self)) {
        self.own_name(name);
        self.out.push(b'{');
        members(self);
        self.out.push(b'}');
    }

    /// Adds an array whose elements are JSON already.
    pub fn array_of<'e>(&mut self, name: &'static str, elements: impl IntoIterator<Item = &'e [u8]>) {
        self.own_name(name);
        self.out.push(b'[');
        for (place, element) in elements.into_iter().enumerate() {
            if place > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(element);
        }
        self.out.push(b']');
    }

    /// Adds all members of an object.
    pub fn members(&mut self, object: &Map) {
        for (name, value) in object {
            self.member(name, value);
        }
    }

    /// Adds a member with a name that may need escapes.
    pub fn member(&mut self, name: &str, value: &Value) {
        self.separate();
        put_text(name, &mut self.out);
        self.out.push(b':');
        write(value, &mut self.out);
    }

    /// Ends the object and returns its JSON.
    pub fn finish(mut self) -> Vec<u8> {
        self.out.push(b'}');
        self.out
    }

    /// Writes a name of this program, which needs no escapes. Inlined, so that copying it costs a few instructions.
    #[inline(always)]
    fn own_name(&mut self, name: &'static str) {
        debug_assert_eq!(plain_len(name.as_bytes()), name.len(), "{name} stands for itself in JSON");
        self.separate();
        self.out.reserve(name.len() + 3);
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    #[inline(always)]
    fn separate(&mut self) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
    }
}

struct ValueWriter<'v, 'o> {
    out: &'o mut Vec<u8>,
    /// The last written large shared object, and its position in the output.
    shared: Option<(&'v Map, Range<usize>)>,
}

impl<'v> ValueWriter<'v, '_> {
    fn write_value(&mut self, value: &'v Value) {
        match value {
            Value::Null => self.out.extend_from_slice(b"null"),
            Value::Bool(true) => self.out.extend_from_slice(b"true"),
            Value::Bool(false) => self.out.extend_from_slice(b"false"),
            Value::Number(number) => put_number(number, self.out),
            Value::String(text) => put_text(text, self.out),
            Value::Array(elements) => {
                self.out.push(b'[');
                for (place, element) in elements.iter().enumerate() {
                    if place > 0 {
                        self.out.push(b',');
                    }
                    self.write_value(element);
                }
                self.out.push(b']');
            }
            Value::Object(members) => self.write_map(members),
        }
    }

    fn write_map(&mut self, members: &'v Map) {
        if let Some(text) = members.text() {
            self.out.extend_from_slice(text);
            return;
        }
        if let Some((_, written)) = self.shared.as_ref().filter(|(other, _)| members.is_identical_to(other)) {
            self.out.extend_from_within(written.clone());
            return;
        }
        let start = self.out.len();
        self.out.push(b'{');
        for (place, (name, value)) in members.entries().iter().enumerate() {
            if place > 0 {
                self.out.push(b',');
            }
            put_text(name, self.out);
            self.out.push(b':');
            self.write_value(value);
        }
        self.out.push(b'}');
        let written = start..self.out.len();
        if written.len() >= SHARED_BYTES_MIN && members.is_shared() {
            self.shared = Some((members, written));
        }
    }
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    if plain_len(text.as_bytes()) < text.len() {
        put_usual(text, out);
        return;
    }
    out.reserve(text.len() + 2);
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn put_number(number: &Number, out: &mut Vec<u8>) {
    let Some(mut left) = number.as_u64() else { return put_usual(number, out) };
    // A `u64` has at most 20 digits.
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] += (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

/// Writes a value by the serializer of `serde_json`.
fn put_usual(value: &(impl serde::Serialize + ?Sized), out: &mut Vec<u8>) {
    let written = serde_json::to_writer(&mut *out, value);
    debug_assert!(written.is_ok(), "texts and numbers can be written to memory: {written:?}");
}

impl fmt::Display for Value {
    /// Writes JSON; `{:#}` with line breaks and indentation.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if formatter.alternate() {
            return formatter.write_str(&crate::to_string_pretty(self).map_err(|_| fmt::Error)?);
        }
        let mut text = Vec::new();
        write(self, &mut text);
        formatter.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn an_object_that_is_written_by_its_members_is_as_others_are() {
        assert_eq!(ObjectWriter::with_capacity(0).finish(), b"{}");
        let mut object = ObjectWriter::with_capacity(0);
        object.text("a", "a \"quoted\"\nline");
        object.value("b", &json!({"c": 1}));
        object.members(json!({"d": null, "e": [true]}).as_object().unwrap());
        object.array_of("f", [&b"1"[..], b"{}"]);
        object.object("g", |_| {});
        object.object("h", |inner| {
            inner.text("i", "{");
            inner.member("\"", &json!(2));
        });
        let expected = json!({"a": "a \"quoted\"\nline", "b": {"c": 1}, "d": null, "e": [true], "f": [1, {}], "g": {},
                "h": {"i": "{", "\"": 2}});
        assert_eq!(String::from_utf8(object.finish()).unwrap(), expected.to_string());
    }
}
