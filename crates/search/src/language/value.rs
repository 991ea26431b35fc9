//! Parses values, by the kind of their field.

use crate::json::{Place, bounded};
use crate::{Expressions, Found, Kind, Value};
use jiff::{Timestamp, civil};
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::Value as Json;
use kontor_model::parse_date_time;

/// Converts a JSON value to a value of a field.
pub(crate) fn typed(json: &Json, found: &Found, place: &Place) -> ApiResult<Value> {
    if let Some(text) = json.as_str() {
        bounded(text, place)?;
    }
    let value = match found.field.kind {
        Kind::Boolean => json.as_bool().map(Value::Boolean),
        Kind::Long => long(json).map(Value::Long),
        Kind::Double => json.as_f64().filter(|number| number.is_finite()).map(Value::Double),
        Kind::Time => json.as_str().and_then(moment).map(Value::Time),
        Kind::Keyword if found.expressions == Expressions::Ordered => {
            json.as_str().and_then(time_of_day).map(Value::Text)
        }
        // The ids of variants are numbers in documents and keywords in the index.
        Kind::Keyword | Kind::Id => match json {
            Json::String(text) => Some(Value::Text(text.clone())),
            Json::Number(number) if number.is_i64() || number.is_u64() => {
                Some(Value::Text(number.to_string()))
            }
            _ => None,
        },
        Kind::Text => json.as_str().map(|text| Value::Text(text.to_owned())),
    };
    value.ok_or_else(|| mismatch(json, found, place))
}

/// Returns 400 `InvalidInput`: the value does not fit the kind of the field.
pub(super) fn mismatch(json: &Json, found: &Found, place: &Place) -> ApiError {
    let expected = match found.field.kind {
        Kind::Boolean => "true or false",
        Kind::Long => "a whole number",
        Kind::Double => "a number",
        Kind::Time => "a date or a date and time, as 2024-01-31 or 2024-01-31T09:30:00.000Z",
        Kind::Keyword if found.expressions == Expressions::Ordered => "a time of day, as 09:30:00.000",
        Kind::Keyword | Kind::Id | Kind::Text => "a string",
    };
    place.refused(format_args!(
        "expected {expected} for the field {}, found {}",
        found.field.name,
        shortened(json)
    ))
}

/// Converts an integer; `4.0` is one.
fn long(json: &Json) -> Option<i64> {
    json.as_i64().or_else(|| {
        json.as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() < 9e15)
            .map(|number| number as i64)
    })
}

/// Parses a date-time, or a date as its first moment in UTC, to milliseconds since 1970.
fn moment(text: &str) -> Option<i64> {
    parse_date_time(text).map(Timestamp::as_millisecond)
}

/// Normalizes a time of day to milliseconds, so that texts sort chronologically.
fn time_of_day(text: &str) -> Option<String> {
    let time = text.parse::<civil::Time>().ok()?;
    Some(format!("{:02}:{:02}:{:02}.{:03}", time.hour(), time.minute(), time.second(), time.millisecond()))
}
