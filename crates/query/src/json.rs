//! The part of a JSON value's interface that evaluation needs, so that it runs over raw bytes and over parsed
//! trees.

use crate::condition::Condition;
use crate::number::ExactNumber;
use crate::sieve;
use crate::value::Scalar;
use memchr::memchr;
use sonic_rs::LazyValue;
use std::borrow::Cow;

/// A JSON value that conditions can be evaluated on.
pub trait EvaluableJson: Sized {
    /// Returns the value at a path. `None` if it is missing or `null`, or if the path leads
    /// through a value that is not an object. An empty path returns the value itself.
    fn value_at(&self, path: &[Box<str>]) -> Option<Self>;

    /// Returns the comparable form of the value.
    fn scalar(&self) -> Scalar<'_>;

    /// Whether `test` is true for an element; `None` if the value is not a list.
    fn any_element(&self, test: impl FnMut(&Self) -> bool) -> Option<bool>;

    /// Returns the number of elements of a list or members of an object, at most `max`; `None` for other values.
    fn count(&self, max: usize) -> Option<usize>;

    /// Whether both values are equal, however they are written.
    fn is_equal(&self, other: &Self) -> bool;

    /// True only if `condition` cannot match, and a cheaper check than evaluation shows that.
    fn rules_out(&self, _condition: &Condition) -> bool {
        false
    }
}

impl EvaluableJson for &kontor_json::Value {
    fn value_at(&self, path: &[Box<str>]) -> Option<Self> {
        let mut value = *self;
        for name in path {
            value = value.as_object()?.get(&**name)?;
        }
        (!value.is_null()).then_some(value)
    }

    fn scalar(&self) -> Scalar<'_> {
        match self {
            kontor_json::Value::Bool(boolean) => Scalar::Boolean(*boolean),
            kontor_json::Value::String(text) => Scalar::Text(Cow::Borrowed(text)),
            kontor_json::Value::Number(number) => self::number(number),
            _ => Scalar::Other,
        }
    }

    fn any_element(&self, mut test: impl FnMut(&Self) -> bool) -> Option<bool> {
        self.as_array().map(|elements| elements.iter().any(|element| test(&element)))
    }

    fn count(&self, max: usize) -> Option<usize> {
        let count = match self {
            kontor_json::Value::Array(elements) => elements.len(),
            kontor_json::Value::Object(members) => members.len(),
            _ => return None,
        };
        Some(count.min(max))
    }

    fn is_equal(&self, other: &Self) -> bool {
        self == other
    }
}

/// Converts a number of a parsed document.
pub(crate) fn number(number: &kontor_json::Number) -> Scalar<'static> {
    match number.as_i64() {
        Some(integer) => Scalar::Number(ExactNumber::Integer(integer)),
        None => number.as_f64().and_then(ExactNumber::from_decimal).map_or(Scalar::Other, Scalar::Number),
    }
}

/// A JSON value as its text. It is parsed on demand.
///
/// Invalid JSON behaves as if it ended at the error; it never panics.
#[derive(Debug, Clone, Copy)]
pub struct RawJson<'a> {
    text: &'a str,
    /// Whether the text has no backslash, so that strings need no unescaping.
    is_plain: bool,
    /// Some members, collected by one walk before.
    members: &'a [RawMember<'a>],
}

/// The name of a member, and its text if the object has it.
type RawMember<'a> = (&'a str, Option<&'a str>);

impl<'a> RawJson<'a> {
    /// The document in `bytes`. `None` if they are not UTF-8.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.trim_ascii();
        Some(RawJson { text, is_plain: memchr(b'\\', bytes).is_none(), members: &[] })
    }

    /// The text itself.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// Extracts the members `names` in one pass: their text, unchanged.
    pub fn members<'n>(self, names: &[&'n str]) -> Vec<(&'n str, Option<&'a str>)> {
        let mut members: Vec<_> = names.iter().map(|name| (*name, None)).collect();
        let mut missing = members.len();
        if !self.text.starts_with('{') {
            return members;
        }
        for member in sonic_rs::to_object_iter(self.text) {
            let Ok((name, value)) = member else { break };
            if let Some(wanted) =
                members.iter_mut().find(|(wanted, found)| found.is_none() && *wanted == name)
            {
                wanted.1 = raw_text(&value);
                missing -= 1;
                if missing == 0 {
                    break;
                }
            }
        }
        members
    }

    /// Returns the same object with members that were collected before.
    pub(crate) fn with_members(self, members: &'a [RawMember<'a>]) -> Self {
        RawJson { members, ..self }
    }

    fn part(&self, text: &'a str) -> Self {
        RawJson { text, is_plain: self.is_plain, members: &[] }
    }

    fn lookup(&self, path: &[Box<str>]) -> Option<&'a str> {
        let Some((first, rest)) = path.split_first() else { return Some(self.text) };
        match self.members.iter().find(|(name, _)| *name == &**first) {
            None => walk(self.text, path),
            Some((_, member)) => match rest {
                [] => *member,
                rest => walk((*member)?, rest),
            },
        }
    }
}

fn walk<'a>(text: &'a str, path: &[Box<str>]) -> Option<&'a str> {
    raw_text(&sonic_rs::get(text, path.iter().map(|name| &**name)).ok()?)
}

fn raw_text<'a>(lazy: &LazyValue<'a>) -> Option<&'a str> {
    match lazy.as_raw_cow() {
        Cow::Borrowed(text) => Some(text),
        // Never happens for a borrowed text.
        Cow::Owned(_) => None,
    }
}

impl<'a> EvaluableJson for RawJson<'a> {
    fn value_at(&self, path: &[Box<str>]) -> Option<Self> {
        let found = self.lookup(path)?;
        (found != "null").then(|| self.part(found))
    }

    fn scalar(&self) -> Scalar<'_> {
        let text = self.text;
        match text.as_bytes().first() {
            Some(b'"') if !text.contains('\\') => match text.get(1..text.len() - 1) {
                Some(content) => Scalar::Text(Cow::Borrowed(content)),
                None => Scalar::Other,
            },
            Some(b'"') => match sonic_rs::from_str::<String>(text) {
                Ok(content) => Scalar::Text(Cow::Owned(content)),
                Err(_) => Scalar::Other,
            },
            Some(b't') => Scalar::Boolean(true),
            Some(b'f') => Scalar::Boolean(false),
            Some(b'-' | b'0'..=b'9') => ExactNumber::parse(text).map_or(Scalar::Other, Scalar::Number),
            _ => Scalar::Other,
        }
    }

    fn any_element(&self, mut test: impl FnMut(&Self) -> bool) -> Option<bool> {
        if !self.text.starts_with('[') {
            return None;
        }
        let mut elements = sonic_rs::to_array_iter(self.text);
        Some(elements.any(|element| {
            let element = element.ok().and_then(|element| raw_text(&element));
            element.is_some_and(|element| test(&self.part(element)))
        }))
    }

    fn count(&self, max: usize) -> Option<usize> {
        match self.text.as_bytes().first()? {
            b'[' => Some(sonic_rs::to_array_iter(self.text).take(max).filter(Result::is_ok).count()),
            b'{' => Some(sonic_rs::to_object_iter(self.text).take(max).filter(Result::is_ok).count()),
            _ => None,
        }
    }

    fn is_equal(&self, other: &Self) -> bool {
        let parsed = |raw: &Self| kontor_json::from_str::<kontor_json::Value>(raw.text).ok();
        self.text == other.text || parsed(self).is_some_and(|value| Some(value) == parsed(other))
    }

    fn rules_out(&self, condition: &Condition) -> bool {
        self.is_plain && sieve::cannot_hold(condition, self.text.as_bytes())
    }
}
