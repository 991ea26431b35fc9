//! Values with the name of their type: custom fields and Attributes (reference types `CustomField` and `Attribute` of
//! the Import API).

use jiff::Timestamp;
use jiff::tz::Offset;
use kontor_json::{Value, json};

/// The expected form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Truth,
    Number,
    Text,
    Object,
    Money,
    Reference,
}

/// The suffixes of set types.
const SETS: [&str; 2] = ["Set", "-set"];

/// Returns the element type of a set type, or the type itself, and whether it is a set.
fn element(type_name: &str) -> (&str, bool) {
    match SETS.iter().find_map(|set| type_name.strip_suffix(set)) {
        Some(element) => (element, true),
        None => (type_name, false),
    }
}

fn expected(element: &str) -> Expected {
    match element {
        "Boolean" | "boolean" => Expected::Truth,
        "Number" | "number" => Expected::Number,
        "LocalizedString" | "ltext" => Expected::Object,
        "Money" | "money" => Expected::Money,
        "Reference" | "reference" => Expected::Reference,
        _ => Expected::Text,
    }
}

/// Checks that a value fits its type; the error describes the expected value.
pub(crate) fn check(type_name: &str, value: &Value) -> Result<(), &'static str> {
    let (element, is_set) = element(type_name);
    let expected = expected(element);
    match (is_set, value) {
        (true, Value::Array(items)) => items.iter().try_for_each(|item| fits(expected, item)),
        (true, _) => Err("an array"),
        (false, value) => fits(expected, value),
    }
}

fn fits(expected: Expected, value: &Value) -> Result<(), &'static str> {
    let has = |names: &[&str]| names.iter().all(|name| value.get(name).is_some());
    match expected {
        Expected::Truth if value.is_boolean() => Ok(()),
        Expected::Truth => Err("true or false"),
        Expected::Number if value.is_number() => Ok(()),
        Expected::Number => Err("a number"),
        Expected::Text if value.is_string() => Ok(()),
        Expected::Text => Err("a text"),
        Expected::Object if value.is_object() => Ok(()),
        Expected::Object => Err("an object"),
        Expected::Money if has(&["currencyCode"]) => Ok(()),
        Expected::Money => Err("an amount with currencyCode and centAmount"),
        Expected::Reference if reference(value).is_some() => Ok(()),
        Expected::Reference => Err("a reference with typeId and key"),
    }
}

/// Returns a reference by key: its `typeId`, its key, and the container of a Custom Object.
pub(crate) fn reference(value: &Value) -> Option<(&str, &str, Option<&str>)> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    Some((text("typeId")?, text("key")?, text("container")))
}

/// Returns the references in a typed value.
pub(crate) fn references<'v>(type_name: &str, value: &'v Value) -> Vec<(&'v str, &'v str, Option<&'v str>)> {
    if expected(element(type_name).0) != Expected::Reference {
        return Vec::new();
    }
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    items.iter().filter_map(reference).collect()
}

/// Whether a type is one of references.
pub(crate) fn is_reference(type_name: &str) -> bool {
    expected(element(type_name).0) == Expected::Reference
}

/// Returns a value in the form of the API: a date-time without a time zone is in UTC, and a time of day with a time
/// zone is converted to UTC (reference types `DateTimeField`, `TimeField`, `DateTimeAttribute`, `TimeAttribute`).
pub(crate) fn in_utc(type_name: &str, value: &Value) -> Value {
    let said = match (element(type_name).0, value.as_str()) {
        ("DateTime" | "datetime", Some(text)) => moment_in_utc(text),
        ("Time" | "time", Some(text)) => time_in_utc(text),
        _ => None,
    };
    said.map_or_else(|| value.clone(), |text| json!(text))
}

/// Adds UTC to a date-time; `None` if it has a time zone, or is invalid.
fn moment_in_utc(text: &str) -> Option<String> {
    let (_, time) = text.split_once('T')?;
    (!time.contains(['Z', 'z', '+', '-'])).then(|| format!("{text}Z"))
}

/// Converts a time of day to UTC; `None` if it has no time zone, or is invalid.
fn time_in_utc(text: &str) -> Option<String> {
    // The date does not matter.
    let at: Timestamp = format!("1970-01-01T{text}").parse().ok()?;
    Some(format!("{:.3}", Offset::UTC.to_datetime(at).time()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_times_to_utc() {
        for (type_name, given, utc) in [
            ("DateTime", "2027-01-01T10:00:00.000", "2027-01-01T10:00:00.000Z"),
            ("datetime-set", "2027-01-01T10:00:00.000Z", "2027-01-01T10:00:00.000Z"),
            ("DateTimeSet", "2027-01-01T10:00:00.000+02:00", "2027-01-01T10:00:00.000+02:00"),
            ("Time", "10:00:00.000", "10:00:00.000"),
            ("time", "10:00:00.000Z", "10:00:00.000"),
            ("TimeSet", "01:30:00.000+02:00", "23:30:00.000"),
            ("time-set", "23:00:00.000-01:30", "00:30:00.000"),
            ("Time", "10:00:00+00:00", "10:00:00.000"),
            ("Time", "25:00:00.000+02:00", "25:00:00.000+02:00"),
            ("String", "10:00:00.000Z", "10:00:00.000Z"),
        ] {
            assert_eq!(in_utc(type_name, &json!(given)), json!(utc), "{type_name} {given}");
        }
    }

    #[test]
    fn values_fit_their_types() {
        let reference = json!({"typeId": "category", "key": "a"});
        for (type_name, value, fits) in [
            ("boolean", json!(true), true),
            ("Boolean", json!("true"), false),
            ("NumberSet", json!([1, 2.5]), true),
            ("number-set", json!([1, "2"]), false),
            ("number-set", json!(1), false),
            ("lenum", json!("key"), true),
            ("LocalizedEnum", json!({"key": "a"}), false),
            ("ltext", json!({"en": "a"}), true),
            ("Money", json!({"currencyCode": "EUR", "centAmount": 1}), true),
            ("money", json!(1), false),
            ("reference", reference.clone(), true),
            ("Reference", json!({"typeId": "category", "id": "a"}), false),
            ("ReferenceSet", json!([reference]), true),
        ] {
            assert_eq!(check(type_name, &value).is_ok(), fits, "{type_name} {value}");
        }
    }
}
