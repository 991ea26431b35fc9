//! Patterns of expected bodies: JSON with a few marks, and their comparison with an actual body. Begin at [`matches`].
//!
//! | mark | matches |
//! |---|---|
//! | `<name>` | any value at first, and binds it; from then on only that value. Also inside a string |
//! | `<name+1>` | the number after the one bound to the name |
//! | `<*>` | any value, `null` too |
//! | `<*id>`, `<*time>`, `<*number>` | a UUID; a time as the API writes it; any number |
//! | `<~part>` | a text that contains `part`; `<~one><~two>`: both ([`text_parts`](crate::text_parts)) |
//! | `<absent>` | as the value of a field: the object does not have the field |
//! | `...` | as an element of an array: any number of elements |
//!
//! Marks may be quoted or not. An object names only the fields that matter; an array without
//! `...` has exactly the elements named.

use crate::names::{BoundNames, whole_name};
use crate::text_parts::{contains_parts, is_parts};
use kontor_json::{Map, Value};
use regex::Regex;
use std::sync::LazyLock;

/// One difference between a response and the expected one.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// The path in the body: `$.errors[0].code`.
    pub path: String,
    /// The expected value, as text.
    pub expected: String,
    /// The actual value, as text.
    pub got: String,
}

/// The mark `...`, distinguished from a string of three dots by a character that no body contains.
const MORE: &str = "\0...";
const ANY: &str = "<*>";
const ABSENT: &str = "<absent>";

#[allow(clippy::expect_used)] // The expressions are constants that the tests below compile.
static ID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$").expect("a valid expression")
});
#[allow(clippy::expect_used)]
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$").expect("a valid expression")
});

/// Parses JSON with marks. The error is a sentence for the author of the conversation.
pub fn read_pattern(text: &str) -> Result<Value, String> {
    let mut json = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    while let Some(next) = rest.chars().next() {
        let mut length = next.len_utf8();
        if in_string {
            if next == '\\' {
                length += rest[1..].chars().next().map_or(0, char::len_utf8);
            }
            in_string = next != '"';
            json.push_str(&rest[..length]);
        } else if next == '"' {
            in_string = true;
            json.push(next);
        } else if next == '<' {
            length = rest.find('>').ok_or_else(|| format!("a mark without an end: {rest}"))? + 1;
            json.push('"');
            json.push_str(&rest[..length]);
            json.push('"');
        } else if rest.starts_with("...") {
            length = 3;
            json.push_str("\"\\u0000...\"");
        } else {
            json.push(next);
        }
        rest = &rest[length..];
    }
    kontor_json::from_str(&json).map_err(|error| format!("{error} in {text}"))
}

/// Compares `actual` with `expected` and binds new names, also if another part does not match, so that later
/// requests can still be sent. Returns the differences: an empty list means that the body matches.
pub fn matches(expected: &Value, actual: Option<&Value>, names: &mut BoundNames) -> Vec<Mismatch> {
    let mut found = Vec::new();
    compare(expected, actual, "$", names, &mut found);
    found
}

fn compare(
    expected: &Value,
    actual: Option<&Value>,
    path: &str,
    names: &mut BoundNames,
    found: &mut Vec<Mismatch>,
) {
    if expected == ABSENT {
        if let Some(value) = actual {
            found.push(mismatch(path, "nothing", &shortened(value)));
        }
        return;
    }
    let Some(actual) = actual else {
        found.push(mismatch(path, &shortened(expected), "nothing"));
        return;
    };
    match (expected, actual) {
        (Value::String(text), _) if text == ANY => {}
        (Value::String(text), _) if matches!(text.as_str(), "<*id>" | "<*time>" | "<*number>") => {
            if !fits(text, actual) {
                found.push(mismatch(path, text, &shortened(actual)));
            }
        }
        (Value::String(text), _) if whole_name(text).is_some() => {
            found.extend(compare_named(whole_name(text).unwrap_or_default(), text, actual, path, names));
        }
        (Value::String(text), _) if is_parts(text) => {
            if !actual.as_str().is_some_and(|value| contains_parts(text, value, names)) {
                let filled = names.fill_text(text).unwrap_or_else(|_| text.clone());
                found.push(mismatch(path, &filled, &shortened(actual)));
            }
        }
        (Value::String(text), Value::String(value)) if text.contains('<') => {
            if !bind_pieces(text, value, names) {
                let filled = names.fill_text(text).unwrap_or_else(|_| text.clone());
                found.push(mismatch(path, &format!("{filled:?}"), &format!("{value:?}")));
            }
        }
        (Value::Object(fields), Value::Object(_)) => {
            for (key, value) in fields {
                let key = names.fill_text(key).unwrap_or_else(|_| key.to_string());
                compare(value, actual.get(&key), &format!("{path}.{key}"), names, found);
            }
        }
        (Value::Array(items), Value::Array(values)) if items.iter().any(|item| item == MORE) => {
            match sequence(items, values, names) {
                Some(bound) => *names = bound,
                None => found.push(mismatch(path, &shortened(expected), &shortened(actual))),
            }
        }
        (Value::Array(items), Value::Array(values)) => {
            if items.len() != values.len() {
                let (wanted, there) = (items.len(), values.len());
                let got = format!("{there}: {}", shortened(actual));
                found.push(mismatch(path, &format!("{wanted} elements"), &got));
            }
            for (index, (item, value)) in items.iter().zip(values).enumerate() {
                compare(item, Some(value), &format!("{path}[{index}]"), names, found);
            }
        }
        _ if equal(expected, actual) => {}
        _ => found.push(mismatch(path, &shortened(expected), &shortened(actual))),
    }
}

/// Whether a value is of the kind in a mark, e.g. `id` of `<*id>`.
fn fits(kind: &str, value: &Value) -> bool {
    match (kind, value) {
        ("<*id>", Value::String(value)) => ID.is_match(value),
        ("<*time>", Value::String(value)) => TIME.is_match(value),
        (kind, value) => kind == "<*number>" && value.is_number(),
    }
}

/// Compares a value with the value of a name, or binds the name to it.
fn compare_named(
    name: &str,
    text: &str,
    actual: &Value,
    path: &str,
    names: &mut BoundNames,
) -> Option<Mismatch> {
    match names.get(name) {
        None if name.contains('+') => Some(mismatch(path, text, &shortened(actual))),
        None => {
            names.bind(name, actual.clone());
            None
        }
        Some(value) if equal(&value, actual) => None,
        Some(value) => {
            let expected = format!("{} (<{name}>)", shortened(&value));
            Some(mismatch(path, &expected, &shortened(actual)))
        }
    }
}

/// Matches `values` with `items`, in which `...` matches any elements. Returns the names bound, or `None` without a
/// match.
fn sequence(items: &[Value], values: &[Value], names: &BoundNames) -> Option<BoundNames> {
    let Some((first, items_left)) = items.split_first() else {
        return values.is_empty().then(|| names.clone());
    };
    if first == MORE {
        return (0..=values.len()).find_map(|skipped| sequence(items_left, &values[skipped..], names));
    }
    let (value, values_left) = values.split_first()?;
    let mut bound = names.clone();
    if matches(first, Some(value), &mut bound).is_empty() {
        sequence(items_left, values_left, &bound)
    } else {
        None
    }
}

/// Whether `value` has the literal pieces of `text` with the values of its names between them; binds the names that
/// have none.
fn bind_pieces(text: &str, value: &str, names: &mut BoundNames) -> bool {
    let (literals, unknown) = BoundNames::pieces(text);
    let mut expression = String::from("(?s)^");
    let mut unbound = Vec::new();
    for (index, literal) in literals.iter().enumerate() {
        for (part_index, part) in literal.split(ANY).enumerate() {
            if part_index > 0 {
                expression.push_str(".*?");
            }
            expression.push_str(&regex::escape(part));
        }
        if let Some(name) = unknown.get(index) {
            match names.fill_text(&format!("<{name}>")) {
                Ok(known) => expression.push_str(&regex::escape(&known)),
                Err(_) => {
                    expression.push_str("(.+?)");
                    unbound.push(*name);
                }
            }
        }
    }
    expression.push('$');
    let Ok(expression) = Regex::new(&expression) else { return false };
    let Some(captures) = expression.captures(value) else { return false };
    for (index, name) in unbound.iter().enumerate() {
        if let Some(part) = captures.get(index + 1) {
            names.bind(name, Value::String(part.as_str().to_owned()));
        }
    }
    true
}

/// Compares JSON values; `1` and `1.0` are equal.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => left == right,
    }
}

/// Reduces both bodies to the fields that the expectation names, for a diff that people read: matching parts
/// are identical on both sides, marks included.
pub fn side_by_side(expected: &Value, actual: &Value, names: &BoundNames) -> (Value, Value) {
    if matches(expected, Some(actual), &mut names.clone()).is_empty() && !expected.is_object() {
        return (actual.clone(), actual.clone());
    }
    match (expected, actual) {
        (Value::Object(fields), Value::Object(values)) => {
            let (mut left, mut right) = (Map::new(), Map::new());
            for (key, field) in fields {
                match values.get(key) {
                    Some(value) => {
                        let (wanted, there) = side_by_side(field, value, names);
                        left.insert(key.clone(), wanted);
                        right.insert(key.clone(), there);
                    }
                    None if field == ABSENT => {}
                    None => {
                        left.insert(key.clone(), names.fill(field).unwrap_or_else(|_| field.clone()));
                    }
                }
            }
            (Value::Object(left), Value::Object(right))
        }
        (Value::Array(items), Value::Array(values)) if !items.iter().any(|item| item == MORE) => {
            let mut left = Vec::new();
            let mut right = Vec::new();
            for index in 0..items.len().max(values.len()) {
                match (items.get(index), values.get(index)) {
                    (Some(item), Some(value)) => {
                        let (wanted, there) = side_by_side(item, value, names);
                        left.push(wanted);
                        right.push(there);
                    }
                    (Some(item), None) => left.push(names.fill(item).unwrap_or_else(|_| item.clone())),
                    (None, Some(value)) => right.push(value.clone()),
                    (None, None) => {}
                }
            }
            (Value::Array(left), Value::Array(right))
        }
        _ => (names.fill(expected).unwrap_or_else(|_| expected.clone()), actual.clone()),
    }
}

fn mismatch(path: &str, expected: &str, got: &str) -> Mismatch {
    Mismatch { path: path.to_owned(), expected: expected.to_owned(), got: got.to_owned() }
}

/// The number of characters after which a mismatch cuts a value off.
const SHOWN_CHARS_MAX: usize = 400;

fn shortened(value: &Value) -> String {
    let text = value.to_string().replace("\"\\u0000...\"", "...");
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Whether a value is the mark `...`.
pub(crate) fn is_more(value: &Value) -> bool {
    value == MORE
}

/// Whether a value is a mark or contains a name, i.e. matches more than its literal text.
pub(crate) fn is_mark(value: &Value) -> bool {
    value.as_str().is_some_and(|text| {
        text == ABSENT || text.contains("<*") || is_parts(text) || !BoundNames::pieces(text).1.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kontor_json::json;

    /// Returns the paths at which `actual` differs from the pattern `expected`.
    fn differences(expected: &str, actual: &Value) -> Vec<String> {
        let expected = read_pattern(expected).unwrap();
        matches(&expected, Some(actual), &mut BoundNames::default())
            .into_iter()
            .map(|found| found.path)
            .collect()
    }

    #[test]
    fn an_object_names_only_what_matters() {
        let actual = json!({"id": "a1", "version": 1, "key": "books"});
        assert!(differences(r#"{"key": "books"}"#, &actual).is_empty());
        assert_eq!(differences(r#"{"key": "toys", "version": 2}"#, &actual), ["$.key", "$.version"]);
        assert_eq!(differences(r#"{"name": "Books"}"#, &actual), ["$.name"]);
    }

    #[test]
    fn an_array_has_exactly_the_elements_named() {
        assert!(differences("[1, 2]", &json!([1, 2])).is_empty());
        assert_eq!(differences("[1]", &json!([1, 2])), ["$"]);
        assert_eq!(differences("[]", &json!([1])), ["$"]);
        assert_eq!(differences("[1, 3]", &json!([1, 2])), ["$[1]"]);
    }

    #[test]
    fn three_dots_stand_for_any_number_of_elements() {
        assert!(differences("[1, ...]", &json!([1, 2, 3])).is_empty());
        assert!(differences("[..., {\"a\": 2}, ...]", &json!([{"a": 1}, {"a": 2}, {"a": 3}])).is_empty());
        assert!(differences("[...]", &json!([])).is_empty());
        assert_eq!(differences("[..., 4, ...]", &json!([1, 2, 3])), ["$"]);
        assert_eq!(differences("[..., 2]", &json!([1, 2, 3])), ["$"]);
    }

    #[test]
    fn a_name_means_the_same_value_everywhere() {
        assert!(differences(r#"{"a": <x>, "b": "<x>"}"#, &json!({"a": 1, "b": 1})).is_empty());
        assert_eq!(differences(r#"{"a": <x>, "b": <x>}"#, &json!({"a": 1, "b": 2})), ["$.b"]);
    }

    #[test]
    fn a_name_inside_a_string_binds_that_part() {
        let expected = read_pattern(r#"{"scope": "manage_project:<key> <*>"}"#).unwrap();
        let mut names = BoundNames::default();
        let actual = json!({"scope": "manage_project:demo view_orders:demo"});
        assert_eq!(matches(&expected, Some(&actual), &mut names), []);
        assert_eq!(names.get("key"), Some(json!("demo")));
        assert_eq!(matches(&expected, Some(&json!({"scope": "manage_project:x y"})), &mut names).len(), 1);
        assert!(differences("\"<*>middle<*>\"", &json!("from the middle on")).is_empty());
    }

    #[test]
    fn absence_can_be_asked_for() {
        assert!(differences(r#"{"name": <absent>}"#, &json!({})).is_empty());
        assert_eq!(differences(r#"{"name": <absent>}"#, &json!({"name": null})), ["$.name"]);
    }

    #[test]
    fn kinds_of_values_can_be_asked_for() {
        let time = json!("2027-01-01T00:00:00.000Z");
        assert!(differences("<*time>", &time).is_empty());
        assert_eq!(differences("<*id>", &time), ["$"]);
        assert!(differences("<*id>", &json!("00000000-0000-4000-8000-000000000000")).is_empty());
        assert!(differences("<*number>", &json!(1.5)).is_empty());
        assert!(differences("<*>", &json!(null)).is_empty());
    }

    #[test]
    fn a_part_of_a_text_can_be_asked_for() {
        let actual = json!({"message": "The Cart is frozen."});
        assert!(differences(r#"{"message": "<~frozen>"}"#, &actual).is_empty());
        assert!(differences(r#"{"message": <~The Cart>}"#, &actual).is_empty());
        assert_eq!(differences(r#"{"message": "<~ordered>"}"#, &actual), ["$.message"]);
        assert_eq!(differences("[\"<~1>\"]", &json!([1])), ["$[0]"]);
    }

    #[test]
    fn numbers_are_compared_by_value() {
        assert!(differences("[1, 0.5]", &json!([1.0, 0.5])).is_empty());
        assert_eq!(differences("[1]", &json!(["1"])), ["$[0]"]);
    }

    #[test]
    fn marks_inside_strings_are_left_to_the_comparison() {
        let pattern = read_pattern(r#"{"a": "x \" <b> ...", "c": ["..."]}"#).unwrap();
        assert_eq!(pattern, json!({"a": "x \" <b> ...", "c": ["..."]}));
    }
}
