//! The names that a conversation has bound so far: `<books>` is replaced by the value that it matched first,
//! `<version+1>` by the number after it.

use kontor_json::{Value, json};
use regex::{Captures, Regex};
use std::{collections::BTreeMap, sync::LazyLock};

/// Values by name. A response binds a name once; its value never changes within a conversation.
#[derive(Debug, Clone, Default)]
pub struct BoundNames {
    values: BTreeMap<String, Value>,
}

/// Matches a name inside a longer text: `key="<books>"`. Operators such as `<` and `<>` do not match.
#[allow(clippy::expect_used)] // The expression is a constant that the tests below compile.
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("<([a-z][A-Za-z0-9-]*(?:\\+[0-9]+)?)>").expect("a valid expression"));

impl BoundNames {
    /// Binds `name` to `value`.
    pub fn bind(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    /// Returns the value of `name`, or `None` if it is not bound.
    pub fn get(&self, name: &str) -> Option<Value> {
        match name.split_once('+') {
            None => self.values.get(name).cloned(),
            Some((name, more)) => Some(json!(self.values.get(name)?.as_i64()? + more.parse::<i64>().ok()?)),
        }
    }

    /// Returns each name that is bound to a text, with the text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }

    /// Returns `text` with each name replaced by its value. The error is the first name that is not bound.
    pub fn fill_text(&self, text: &str) -> Result<String, String> {
        let mut unbound = None;
        let filled = NAME.replace_all(text, |found: &Captures<'_>| match self.get(&found[1]) {
            Some(Value::String(value)) => value,
            Some(value) => value.to_string(),
            None => {
                unbound.get_or_insert_with(|| found[1].to_owned());
                String::new()
            }
        });
        match unbound {
            Some(name) => Err(name),
            None => Ok(filled.into_owned()),
        }
    }

    /// Returns `pattern` with each name replaced: a string that consists of one name becomes the value itself,
    /// a number for example; a name inside a longer string becomes text.
    pub fn fill(&self, pattern: &Value) -> Result<Value, String> {
        match pattern {
            Value::String(text) => match whole_name(text) {
                Some(name) => self.get(name).ok_or_else(|| name.to_owned()),
                None => self.fill_text(text).map(Value::String),
            },
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(fields) => {
                let filled: Result<_, String> =
                    fields.iter().map(|(key, value)| Ok((self.fill_text(key)?, self.fill(value)?))).collect();
                filled.map(Value::Object)
            }
            other => Ok(other.clone()),
        }
    }

    /// Splits `text` into literal pieces and names, which alternate: literal, name, literal, …, literal.
    pub(crate) fn pieces(text: &str) -> (Vec<&str>, Vec<&str>) {
        let (mut literals, mut names, mut end) = (Vec::new(), Vec::new(), 0);
        for found in NAME.find_iter(text) {
            literals.push(&text[end..found.start()]);
            names.push(&text[found.start() + 1..found.end() - 1]);
            end = found.end();
        }
        literals.push(&text[end..]);
        (literals, names)
    }
}

/// Returns the name if `text` consists of one name and nothing else.
pub(crate) fn whole_name(text: &str) -> Option<&str> {
    match BoundNames::pieces(text) {
        (literals, names) if names.len() == 1 && literals.iter().all(|piece| piece.is_empty()) => {
            Some(names[0])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound() -> BoundNames {
        let mut names = BoundNames::default();
        names.bind("books", json!("a1"));
        names.bind("version", json!(3));
        names
    }

    #[test]
    fn a_name_in_a_text_becomes_text() {
        assert_eq!(bound().fill_text("/shop/x/<books>?version=<version>").unwrap(), "/shop/x/a1?version=3");
    }

    #[test]
    fn operators_of_predicates_are_no_names() {
        let predicate = "version < 3 and version > 1 and version <> 2 and version <= 4";
        assert_eq!(bound().fill_text(predicate).unwrap(), predicate);
    }

    #[test]
    fn a_name_that_is_a_whole_value_keeps_its_kind() {
        let filled = bound().fill(&json!({"version": "<version>", "note": "version <version>"})).unwrap();
        assert_eq!(filled, json!({"version": 3, "note": "version 3"}));
    }

    #[test]
    fn the_next_version_can_be_named() {
        assert_eq!(bound().fill(&json!("<version+1>")).unwrap(), json!(4));
        assert_eq!(bound().fill(&json!("<books+1>")).unwrap_err(), "books+1", "no number");
    }

    #[test]
    fn a_name_without_a_value_is_named_in_the_error() {
        assert_eq!(bound().fill(&json!(["<books>", "<toys>"])).unwrap_err(), "toys");
    }
}
