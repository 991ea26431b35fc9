//! A JSON writer: records consist of parts of documents, which are not copied into a tree first.

use kontor_engine::Document;
use kontor_json::Value;

/// Writes one JSON object, field by field.
pub(crate) struct JsonObjectWriter(Vec<u8>);

/// The usual size of a record, in bytes.
const BYTES: usize = 1024;
/// The usual size of a record's changes, in bytes.
const BYTES_OF_CHANGES: usize = 512;

impl JsonObjectWriter {
    /// Begins an object.
    pub(crate) fn object() -> Self {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.push(b'{');
        Self(bytes)
    }

    /// Begins a field. Names are those of the reference, which need no escaping.
    fn name(&mut self, name: &str) {
        if self.0.len() > 1 && self.0.last() != Some(&b'{') {
            self.0.push(b',');
        }
        self.0.push(b'"');
        self.0.extend_from_slice(name.as_bytes());
        self.0.extend_from_slice(b"\":");
    }

    /// Writes a field with any value.
    pub(crate) fn value(&mut self, name: &str, value: &Value) {
        self.name(name);
        kontor_json::write(value, &mut self.0);
    }

    /// Writes a field with a text.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        // Writing into a vector does not fail.
        _ = kontor_json::to_writer(&mut self.0, text);
    }

    /// Writes a field with a text in two parts, which need no escaping.
    pub(crate) fn word(&mut self, name: &str, first: &str, last: &str) {
        self.name(name);
        self.0.push(b'"');
        self.0.extend_from_slice(first.as_bytes());
        self.0.extend_from_slice(last.as_bytes());
        self.0.push(b'"');
    }

    /// Writes a field with a list of values.
    pub(crate) fn values<'v>(&mut self, name: &str, values: impl Iterator<Item = &'v Value>) {
        self.name(name);
        self.0.push(b'[');
        for (place, value) in values.enumerate() {
            if place > 0 {
                self.0.push(b',');
            }
            kontor_json::write(value, &mut self.0);
        }
        self.0.push(b']');
    }

    /// Writes a field with a number.
    pub(crate) fn number(&mut self, name: &str, number: i64) {
        self.name(name);
        self.0.extend_from_slice(number.to_string().as_bytes());
    }

    /// Writes a field with a boolean.
    pub(crate) fn flag(&mut self, name: &str, is: bool) {
        self.name(name);
        self.0.extend_from_slice(if is { b"true" } else { b"false" });
    }

    /// Writes a field whose value is JSON already.
    pub(crate) fn json(&mut self, name: &str, json: &[u8]) {
        self.name(name);
        self.0.extend_from_slice(json);
    }

    /// Copies the fields of these names from an object.
    pub(crate) fn copies(&mut self, of: &Document, names: &[&str]) {
        for name in names {
            if let Some(value) = of.get(*name) {
                self.value(name, value);
            }
        }
    }

    /// Writes a field with an object, whose fields `write` adds.
    pub(crate) fn write_object(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.name(name);
        self.0.push(b'{');
        write(self);
        self.0.push(b'}');
    }

    /// Ends the object and returns its text.
    pub(crate) fn end(mut self) -> Vec<u8> {
        self.0.push(b'}');
        self.0
    }
}

/// Writes a JSON list of objects, one after the other.
pub(crate) struct JsonListWriter(Vec<u8>);

impl JsonListWriter {
    /// Begins an empty list.
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an object, whose fields `write` adds.
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut JsonObjectWriter)) {
        let mut bytes = std::mem::take(&mut self.0);
        if bytes.is_empty() {
            bytes.reserve(BYTES_OF_CHANGES);
        }
        bytes.extend_from_slice(if bytes.is_empty() { b"[{" } else { b",{" });
        let mut object = JsonObjectWriter(bytes);
        write(&mut object);
        self.0 = object.end();
    }

    /// Ends the list and returns its text.
    pub(crate) fn end(mut self) -> Vec<u8> {
        self.0.extend_from_slice(if self.0.is_empty() { b"[]" } else { b"]" });
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    #[test]
    fn writes_the_object() {
        let mut written = JsonObjectWriter::object();
        written.write_object("empty", |_| {});
        written.text("text", "a \"quoted\" one");
        written.number("number", -3);
        written.flag("flag", true);
        written.write_object("inside", |inside| {
            inside.value("value", &json!({"a": [1]}));
            inside.json("json", b"[]");
        });
        let Value::Object(of) = json!({"key": "k", "other": 1}) else { panic!() };
        written.copies(&of, &["key", "none"]);
        let mut list = JsonListWriter::new();
        assert!(list.is_empty());
        list.push(|object| object.json("first", &written.end()));
        list.push(|_| {});
        let expected = json!([
            {"first": {"empty": {}, "text": "a \"quoted\" one", "number": -3, "flag": true,
                       "inside": {"value": {"a": [1]}, "json": []}, "key": "k"}},
            {},
        ]);
        assert_eq!(kontor_json::from_slice::<Value>(&list.end()).unwrap(), expected);
        assert_eq!(JsonListWriter::new().end(), b"[]");
    }
}
