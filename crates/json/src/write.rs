//! Values written as JSON.

use crate::plain::plain_len;
use crate::{Map, Number, Value};
use std::fmt;

/// Writes a value as JSON without spaces. Objects that were [`read`](crate::read) and have not changed are written as their text,
/// with the spaces and the forms of numbers that it has.
pub fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => put_number(number, out),
        Value::String(text) => put_text(text, out),
        Value::Array(elements) => {
            out.push(b'[');
            for (place, element) in elements.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write(element, out);
            }
            out.push(b']');
        }
        Value::Object(members) => put_object(members, out),
    }
}

fn put_object(members: &Map<String, Value>, out: &mut Vec<u8>) {
    if let Some(text) = members.text() {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'{');
    for (place, (name, value)) in members.entries().iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        put_text(name, out);
        out.push(b':');
        write(value, out);
    }
    out.push(b'}');
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
    // As many digits as a `u64` has at most.
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

/// As the usual writer does it.
fn put_usual(value: &(impl serde::Serialize + ?Sized), out: &mut Vec<u8>) {
    let written = serde_json::to_writer(&mut *out, value);
    debug_assert!(written.is_ok(), "texts and numbers can be written to memory: {written:?}");
}

impl fmt::Display for Value {
    /// As JSON; `{:#}` in many lines.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if formatter.alternate() {
            return formatter.write_str(&crate::to_string_pretty(self).map_err(|_| fmt::Error)?);
        }
        let mut text = Vec::new();
        write(self, &mut text);
        formatter.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}
