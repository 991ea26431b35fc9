//! JSON read: documents that this server wrote, with their text, and what was sent to it.

use crate::plain::plain_len;
use crate::{Error, Map, Number, Value};
use bytes::Bytes;

/// Objects of fewer bytes are written again rather than to keep their text.
const KEPT_BYTES_MIN: usize = 96;
/// Objects of so many bytes are shared with the one before them where they are the same.
pub(crate) const SHARED_BYTES_MIN: usize = 256;
/// So many objects and lists may stand in each other; what is deeper is left to the usual parser.
const DEPTH_MAX: usize = 120;

/// Reads a document that was written as JSON: the same as [`from_slice`](crate::from_slice), with objects that keep their
/// text.
///
/// # Errors
/// Those of the usual parser, for what is no JSON object.
pub fn read(text: &Bytes) -> Result<Map<String, Value>, Error> {
    read_without(&[], text)
}

/// Reads such a document for who does not look at the object at this path: it may be missing. Passing over an object takes a
/// tenth of what reading it does; nothing in it is checked.
///
/// # Errors
/// Those of [`read`], elsewhere than in that object.
pub fn read_without(path: &[&str], text: &Bytes) -> Result<Map<String, Value>, Error> {
    match Reader::all_of(text, path, Some(text)) {
        Some(Value::Object(members)) => Ok(members),
        // What is not plain to see is left to who says what is wrong with it.
        _ => crate::from_slice(text),
    }
}

/// Reads any JSON: the same as [`from_slice`](crate::from_slice), in less time. Nothing of the text is kept.
///
/// # Errors
/// Those of the usual parser.
pub fn parse(text: &[u8]) -> Result<Value, Error> {
    Reader::all_of(text, &[], None).map_or_else(|| crate::from_slice(text), Ok)
}

struct Reader<'t> {
    json: &'t str,
    bytes: &'t [u8],
    /// What objects keep their part of.
    kept: Option<&'t Bytes>,
    at: usize,
    depth: usize,
    /// Members of all objects that are begun.
    members: Vec<(String, Value)>,
}

impl<'t> Reader<'t> {
    /// The value that a text is, without the object at a path, where that is plain to see.
    fn all_of(text: &'t [u8], without: &[&str], kept: Option<&'t Bytes>) -> Option<Value> {
        let json = std::str::from_utf8(text).ok()?;
        let mut reader = Self { json, bytes: text, kept, at: 0, depth: 0, members: Vec::new() };
        let value = reader.value(without)?;
        reader.pass_space();
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

    /// Goes on behind this byte.
    fn pass(&mut self, expected: u8) -> Option<()> {
        self.pass_space();
        (self.peek()? == expected).then(|| self.at += 1)
    }

    /// A value, without the object at this path in it.
    fn value(&mut self, without: &[&str]) -> Option<Value> {
        self.pass_space();
        match self.peek()? {
            b'"' => self.text().map(Value::String),
            b'{' => self.deeper(|reader| reader.object(without)),
            b'[' => self.deeper(Self::array),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number().map(Value::Number),
        }
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Option<Value>) -> Option<Value> {
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

    fn object(&mut self, without: &[&str]) -> Option<Value> {
        let (start, first) = (self.at, self.members.len());
        self.at += 1;
        self.pass_space();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(Value::Object(Map::new()));
        }
        loop {
            self.pass_space();
            let name = self.text()?;
            self.pass(b':')?;
            match without.split_first() {
                Some((step, [])) if *step == name => self.pass_object()?,
                Some((step, rest)) if *step == name => {
                    let value = self.value(rest)?;
                    self.members.push((name, value));
                }
                _ => {
                    let value = match self.same_as_before(first) {
                        Some(value) => value,
                        None => self.value(&[])?,
                    };
                    self.members.push((name, value));
                }
            }
            self.pass_space();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return None,
            }
        }
        self.at += 1;
        let kept = self.kept.filter(|_| without.is_empty() && self.at - start >= KEPT_BYTES_MIN);
        let text = kept.map(|whole| whole.slice(start..self.at));
        let members = Map::of(self.members.drain(first..).collect(), text);
        // Which of two members counts is for the usual parser to say.
        (!members.has_name_twice()).then_some(Value::Object(members))
    }

    /// The object that begins here, where it is written as the member before it, and large. `first` is the place of the first
    /// member of the object that both are in.
    fn same_as_before(&mut self, first: usize) -> Option<Value> {
        let (_, before) = self.members[first..].last()?;
        let text = before.as_object()?.text().filter(|text| text.len() >= SHARED_BYTES_MIN)?;
        let is_same = self.bytes[self.at..].starts_with(text);
        is_same.then(|| {
            self.at += text.len();
            before.clone()
        })
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
            elements.push(self.value(&[])?);
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

    /// Goes on behind an object.
    fn pass_object(&mut self) -> Option<()> {
        self.pass_space();
        let mut depth = 0;
        loop {
            match self.peek()? {
                b'"' => {
                    self.pass_text()?;
                    continue;
                }
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ if depth == 0 => return None,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Goes on behind a text. True where nothing in it stands for something else.
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
        let start = self.at;
        let is_plain = self.pass_text()?;
        match is_plain {
            true => self.json.get(start + 1..self.at - 1).map(str::to_owned),
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
mod tests {
    use super::*;
    use crate::{json, write};
    use proptest::prelude::*;

    fn written(document: &Map<String, Value>) -> String {
        let mut bytes = Vec::new();
        write(&Value::Object(document.clone()), &mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 80, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((".{0,6}", inner), 0..8).prop_map(Value::from_iter),
            ]
        })
    }

    fn documents() -> impl Strategy<Value = Map<String, Value>> {
        prop::collection::vec((".{0,6}", values()), 0..8).prop_map(|members| members.into_iter().collect())
    }

    proptest! {
        #[test]
        fn reads_and_writes_what_the_usual_parser_does(document in documents()) {
            let text = Bytes::from(serde_json::to_vec(&document).unwrap());
            let usual: Map<String, Value> = serde_json::from_slice(&text).unwrap();
            let quick = read(&text).unwrap();
            prop_assert_eq!(&quick, &usual);
            prop_assert_eq!(written(&quick), written(&usual));
            prop_assert_eq!(written(&usual), String::from_utf8(text.to_vec()).unwrap());
        }

        #[test]
        fn what_is_not_looked_at_is_left_out(document in documents(), left_out in documents()) {
            let mut whole = document.clone();
            let mut inner = document.clone();
            inner.insert("out".into(), Value::Object(left_out));
            whole.insert("in".into(), Value::Object(inner));
            let text = Bytes::from(serde_json::to_vec(&whole).unwrap());
            let read = read_without(&["in", "out"], &text).unwrap();
            whole.insert("in".into(), Value::Object(document));
            prop_assert_eq!(&read, &whole);
            prop_assert_eq!(written(&read), written(&whole));
        }

        #[test]
        fn what_is_changed_is_written_so(document in documents(), value in values(), place in any::<prop::sample::Index>()) {
            let text = Bytes::from(serde_json::to_vec(&document).unwrap());
            let (mut quick, mut usual) = (read(&text).unwrap(), document.clone());
            let kept = quick.clone();
            for changed in [&mut quick, &mut usual] {
                let names: Vec<String> = changed.keys().cloned().collect();
                let Some(name) = (!names.is_empty()).then(|| &names[place.index(names.len())]) else { continue };
                match &mut changed[name] {
                    Value::Object(inner) => drop(inner.insert("changed".into(), value.clone())),
                    Value::Array(inner) => inner.push(value.clone()),
                    other => *other = value.clone(),
                }
            }
            prop_assert_eq!(written(&quick), written(&usual));
            prop_assert_eq!(written(&kept), written(&document));
        }

        #[test]
        fn what_stands_twice_is_shared_and_changes_apart(side in documents(), value in values()) {
            let sides = json!({"one": &side, "other": &side, "less": value});
            let text = Bytes::from(sides.to_string());
            let mut quick = read(&text).unwrap();
            prop_assert_eq!(&Value::Object(quick.clone()), &sides);
            prop_assert_eq!(parse(&text).unwrap(), sides);
            quick["other"]["changed"] = value.clone();
            let mut changed = side.clone();
            changed.insert("changed".into(), value.clone());
            let expected = json!({"one": side, "other": changed, "less": value});
            prop_assert_eq!(written(&quick), expected.to_string());
        }

        #[test]
        fn whatever_the_text_it_is_read_as_by_the_usual_parser(text in "[\\[\\]{}\",:0-9a-z.\\\\ -]{0,24}") {
            let text = format!("{{\"a\":{text}}}");
            let usual = serde_json::from_str::<Map<String, Value>>(&text).ok();
            let parsed = parse(text.as_bytes()).ok();
            prop_assert_eq!(parsed, usual.clone().map(Value::Object));
            prop_assert_eq!(read(&Bytes::from(text)).ok(), usual);
        }
    }

    #[test]
    fn what_is_no_object_is_refused_and_what_is_deep_is_read() {
        for text in ["", "[]", "{", "{\"a\":1}}", "{\"a\":01}", "{\"a\":\u{1}}", "{\"a\" 1}"] {
            assert!(read(&Bytes::from(text)).is_err(), "{text}");
        }
        for depth in [DEPTH_MAX, DEPTH_MAX + 1, 126, 127, 128, 10_000] {
            let deep = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
            assert_eq!(read(&Bytes::from(deep.clone())).ok(), crate::from_str(&deep).ok(), "{depth}");
        }
    }

    #[test]
    fn of_a_name_that_stands_there_twice_the_last_counts() {
        let long = "x".repeat(KEPT_BYTES_MIN);
        let many: String = (0..100).map(|number| format!("\"{number}\":0,")).collect();
        for text in [
            r#"{"a":1,"b":2,"a":3}"#.to_owned(),
            r#"{"a":1,"\u0061":3}"#.to_owned(),
            format!(r#"{{"in":[{{"a":1,"long":"{long}","a":3}}]}}"#),
            format!(r#"{{{many}"a":1,"7":3}}"#),
        ] {
            let usual: Map<String, Value> = crate::from_str(&text).unwrap();
            let document = read(&Bytes::from(text)).unwrap();
            assert_eq!(document, usual);
            assert_eq!(written(&document), written(&usual));
        }
    }

    #[test]
    fn no_way_to_change_what_was_read_leaves_its_text() {
        let long = "x".repeat(KEPT_BYTES_MIN);
        let text = Bytes::from(json!({"in": {"a": 1, "b": [{"c": 2}], "long": long}}).to_string());
        let ways: [fn(&mut Map<String, Value>); 16] = [
            |inner| drop(inner.insert("a".into(), json!(9))),
            |inner| drop(inner.insert("new".into(), json!(9))),
            |inner| drop(inner.shift_insert(0, "long".into(), json!(9))),
            |inner| drop(inner.shift_remove("a")),
            |inner| inner.retain(|name, _| name == "a"),
            |inner| inner.clear(),
            |inner| inner.append(&mut Map::from([("new".to_owned(), json!(9))])),
            |inner| inner["b"][0]["c"] = json!(9),
            |inner| inner["b"][0]["new"]["newer"] = json!(9),
            |inner| *inner.get_mut("a").unwrap() = json!(9),
            |inner| *inner.entry("a").or_insert(json!(8)) = json!(9),
            |inner| *inner.entry("a").and_modify(|value| *value = json!(9)).or_insert(json!(8)) = json!(7),
            |inner| inner.iter_mut().for_each(|(_, value)| *value = json!(9)),
            |inner| inner.values_mut().for_each(|value| drop(value.take())),
            |inner| *inner["b"].pointer_mut("/0/c").unwrap() = json!(9),
            |inner| inner["b"].as_array_mut().unwrap()[0].as_object_mut().unwrap().clear(),
        ];
        for (number, way) in ways.into_iter().enumerate() {
            let usual: Map<String, Value> = crate::from_slice(&text).unwrap();
            for is_shared in [false, true] {
                let (mut quick, mut usual) = (read(&text).unwrap(), usual.clone());
                let shared = is_shared.then(|| quick.clone());
                way(quick["in"].as_object_mut().unwrap());
                way(usual["in"].as_object_mut().unwrap());
                assert_eq!(written(&quick), written(&usual), "{number}");
                assert_ne!(written(&quick).as_bytes(), text, "{number}");
                assert!(shared.is_none_or(|shared| written(&shared).as_bytes() == text), "{number}");
            }
        }
    }

    #[test]
    fn a_clone_and_its_original_change_apart() {
        let long = "x".repeat(KEPT_BYTES_MIN);
        let text = Bytes::from(json!({"a": {"b": [{"c": 1, "long": long}]}, "d": 2}).to_string());
        let before = read(&text).unwrap();
        let mut after = before.clone();
        after["a"]["b"][0]["c"] = json!(3);
        assert_eq!(written(&before).as_bytes(), text);
        assert!(written(&after).contains("\"c\":3"));
    }
}
