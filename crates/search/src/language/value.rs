//! Parses values, by the kind of their field.

use crate::json_members::{BodyPosition, check_length};
use crate::{Expressions, FieldKind, SearchValue, SearchableField};
use jiff::{Timestamp, civil};
use kontor_errors::{ApiError, ApiResult, shortened};
use kontor_json::Value as Json;
use kontor_model::parse_date_time;

/// Converts a JSON value to a value of a field.
pub(crate) fn typed_value(
    json: &Json,
    searchable_field: &SearchableField,
    position: &BodyPosition,
) -> ApiResult<SearchValue> {
    if let Some(text) = json.as_str() {
        check_length(text, position)?;
    }
    let value = match searchable_field.field.kind {
        FieldKind::Boolean => json.as_bool().map(SearchValue::Boolean),
        FieldKind::Long => long(json).map(SearchValue::Long),
        FieldKind::Double => json.as_f64().filter(|number| number.is_finite()).map(SearchValue::Double),
        FieldKind::Time => json.as_str().and_then(moment).map(SearchValue::Time),
        FieldKind::Keyword if searchable_field.expressions == Expressions::Ordered => {
            json.as_str().and_then(time_of_day).map(SearchValue::Text)
        }
        // The ids of variants are numbers in documents and keywords in the index.
        FieldKind::Keyword | FieldKind::Id => match json {
            Json::String(text) => Some(SearchValue::Text(text.clone())),
            Json::Number(number) if number.is_i64() || number.is_u64() => {
                Some(SearchValue::Text(number.to_string()))
            }
            _ => None,
        },
        FieldKind::Text => json.as_str().map(|text| SearchValue::Text(text.to_owned())),
    };
    value.ok_or_else(|| type_mismatch(json, searchable_field, position))
}

/// Returns 400 `InvalidInput`: the value does not fit the kind of the field.
pub(super) fn type_mismatch(
    json: &Json,
    searchable_field: &SearchableField,
    position: &BodyPosition,
) -> ApiError {
    let expected = match searchable_field.field.kind {
        FieldKind::Boolean => "true or false",
        FieldKind::Long => "a whole number",
        FieldKind::Double => "a number",
        FieldKind::Time => "a date or a date and time, as 2024-01-31 or 2024-01-31T09:30:00.000Z",
        FieldKind::Keyword if searchable_field.expressions == Expressions::Ordered => {
            "a time of day, as 09:30:00.000"
        }
        FieldKind::Keyword | FieldKind::Id | FieldKind::Text => "a string",
    };
    position.invalid_value(format_args!(
        "expected {expected} for the field {}, found {}",
        searchable_field.field.name,
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
