//! Parses values of parameters, and builds the errors for invalid ones.

use crate::limits;
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::Value as Json;
use std::fmt;

/// The valid fuzzy levels.
pub(super) const LEVELS: &str = "0, 1 or 2";

/// Returns 400 `InvalidInput` with the usual beginning of the message for an invalid parameter.
pub(crate) fn malformed_parameter(name: &str, why: impl fmt::Display) -> ApiError {
    ApiError::invalid_input(format!("Malformed parameter: {name}: {why}."))
}

/// Quotes a text for messages.
pub(super) fn quoted_text(text: &str) -> String {
    shortened(&Json::String(text.to_owned())).to_string()
}

fn single_value<'p>(parameters: &'p [(String, String)], name: &str) -> ApiResult<Option<&'p str>> {
    let mut all = parameters.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
    match (all.next(), all.next()) {
        (value, None) => Ok(value),
        _ => Err(malformed_parameter(name, "it occurs more than once")),
    }
}

pub(crate) fn bool_parameter(parameters: &[(String, String)], name: &str) -> ApiResult<bool> {
    let Some(text) = single_value(parameters, name)? else { return Ok(false) };
    parse_bool(text).ok_or_else(|| {
        malformed_parameter(name, format_args!("{} was sent, expected true or false", quoted_text(text)))
    })
}

/// Parses `true` or `false` in any case: clients write them as their language does.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        text if text.eq_ignore_ascii_case("true") => Some(true),
        text if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Parses an integer; `expected` describes the valid ones.
pub(crate) fn number(
    parameters: &[(String, String)],
    name: &str,
    expected: impl fmt::Display,
) -> ApiResult<Option<i64>> {
    let Some(text) = single_value(parameters, name)? else { return Ok(None) };
    let value = text.parse().map_err(|_| unexpected_value(name, text, expected))?;
    Ok(Some(value))
}

/// Returns a number within limits, or the default.
pub(crate) fn bounded_number(name: &str, value: Option<i64>, max: usize, default: usize) -> ApiResult<usize> {
    let Some(value) = value else { return Ok(default) };
    let bounded = usize::try_from(value).ok().filter(|value| *value <= max);
    bounded.ok_or_else(|| unexpected_value(name, &value.to_string(), expected_range(max)))
}

pub(super) fn unexpected_value(name: &str, text: &str, expected: impl fmt::Display) -> ApiError {
    malformed_parameter(name, format_args!("{} was sent, expected {expected}", quoted_text(text)))
}

/// Describes the numbers from 0 to a maximum.
pub(crate) fn expected_range(max: usize) -> String {
    format!("0 to {max}")
}

/// Refuses too many values of one parameter.
pub(super) fn check_count(count: usize, name: &str) -> ApiResult<()> {
    if count > limits::REPEATED_MAX {
        let why = format!("at most {} are allowed, found {count}", limits::REPEATED_MAX);
        return Err(malformed_parameter(name, why));
    }
    Ok(())
}
