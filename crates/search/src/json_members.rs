//! Reads members of JSON requests, and reports errors with their position in the body.

use crate::limits;
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::{Map, Value as Json};
use std::fmt;

/// A position in the body: `query.and[1].exact`.
#[derive(Debug, Clone)]
pub(crate) struct BodyPosition(String);

/// Maximum number of characters of a name in a position.
const NAME_CHARS: usize = 120;

impl BodyPosition {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(crate) fn member(&self, name: &str) -> Self {
        let name: String = name.chars().take(NAME_CHARS).collect();
        if self.0.is_empty() { Self(name) } else { Self(format!("{}.{name}", self.0)) }
    }

    pub(crate) fn element(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// Returns 400 `InvalidJsonInput`: another value was expected here.
    pub(crate) fn unexpected_value(&self, what: &str, found: &Json) -> ApiError {
        ApiError::invalid_json(format!("{self}: expected {what}, found {}", shortened(found)))
    }

    /// Returns 400 `InvalidJsonInput`: a required value is missing.
    pub(crate) fn missing_value(&self) -> ApiError {
        ApiError::invalid_json(format!("{self}: a value is required"))
    }

    /// Returns 400 `InvalidInput`: the value is well-formed but not allowed.
    pub(crate) fn invalid_value(&self, why: impl fmt::Display) -> ApiError {
        ApiError::invalid_input(format!("{self}: {why}"))
    }
}

impl fmt::Display for BodyPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "body" } else { &self.0 })
    }
}

pub(crate) fn object<'a>(json: &'a Json, position: &BodyPosition) -> ApiResult<&'a Map> {
    json.as_object().ok_or_else(|| position.unexpected_value("an object", json))
}

pub(crate) fn list<'a>(json: &'a Json, position: &BodyPosition) -> ApiResult<&'a [Json]> {
    json.as_array().map(Vec::as_slice).ok_or_else(|| position.unexpected_value("a list", json))
}

/// Returns a member that exists and is not null.
pub(crate) fn member<'a>(members: &'a Map, name: &str) -> Option<&'a Json> {
    members.get(name).filter(|value| !value.is_null())
}

/// Returns a text member; `None` if it is missing.
pub(crate) fn text<'a>(members: &'a Map, name: &str, position: &BodyPosition) -> ApiResult<Option<&'a str>> {
    let Some(value) = member(members, name) else { return Ok(None) };
    let text = value.as_str().ok_or_else(|| position.member(name).unexpected_value("a string", value))?;
    check_length(text, &position.member(name))?;
    Ok(Some(text))
}

/// Refuses a text that is too long.
pub(crate) fn check_length(text: &str, position: &BodyPosition) -> ApiResult<()> {
    if text.len() > limits::VALUE_CHARS_MAX && text.chars().nth(limits::VALUE_CHARS_MAX).is_some() {
        return Err(position.invalid_value(format_args!(
            "a text has at most {} characters, this one has {}",
            limits::VALUE_CHARS_MAX,
            text.chars().count(),
        )));
    }
    Ok(())
}

/// Returns a boolean member; false if it is missing.
pub(crate) fn bool_member(members: &Map, name: &str, position: &BodyPosition) -> ApiResult<bool> {
    let Some(value) = member(members, name) else { return Ok(false) };
    value.as_bool().ok_or_else(|| position.member(name).unexpected_value("true or false", value))
}

/// Returns the meaning of a member that must be one of some words.
pub(crate) fn choice_member<T: Copy>(
    members: &Map,
    name: &str,
    position: &BodyPosition,
    choices: &[(&str, T)],
) -> ApiResult<Option<T>> {
    let Some(value) = member(members, name) else { return Ok(None) };
    choices
        .iter()
        .find(|(word, _)| value.as_str() == Some(word))
        .map(|(_, meaning)| Some(*meaning))
        .ok_or_else(|| {
            let words: Vec<_> = choices.iter().map(|(word, _)| *word).collect();
            position.member(name).unexpected_value(&format!("one of {}", words.join(", ")), value)
        })
}

/// Returns an integer member; `4.0` is one.
pub(crate) fn integer_member(members: &Map, name: &str, position: &BodyPosition) -> ApiResult<Option<i64>> {
    let Some(value) = member(members, name) else { return Ok(None) };
    value
        .as_i64()
        .or_else(|| {
            value
                .as_f64()
                .filter(|number| number.fract() == 0.0 && number.abs() < 9e15)
                .map(|number| number as i64)
        })
        .map(Some)
        .ok_or_else(|| position.member(name).unexpected_value("a whole number", value))
}
