//! Validates scalars: texts, numbers, times, codes.

use crate::location::Location;
use crate::shape::{Shape, ValueLimits};
use icu_locale_core::LanguageIdentifier;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use kontor_errors::ApiResult;
use kontor_json::{Map, Value, json};

/// Numbers with a fraction or an exponent (`5.0`, `1e3`) are parsed as doubles, which are exact up to here.
const WHOLE_DOUBLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Maximum number of languages of one localized text: more than there are Locales in use. Each of them has index
/// rows.
const LOCALES_MAX: usize = 1_000;

pub(super) fn check(
    shape: &Shape,
    limits: &ValueLimits,
    value: &mut Value,
    location: &Location<'_>,
) -> ApiResult<()> {
    match shape {
        Shape::Boolean => match value {
            Value::Bool(_) => Ok(()),
            other => Err(location.shape_error("true or false", other)),
        },
        Shape::Int => check_integer(i64::from(i32::MIN), i64::from(i32::MAX), limits, value, location),
        Shape::Long => check_integer(i64::MIN, i64::MAX, limits, value, location),
        Shape::Float => match value.as_f64() {
            Some(number) => check_bounds(number, limits, value, location),
            None => Err(location.shape_error("a number", value)),
        },
        Shape::Localized => localized(limits, value, location),
        _ => {
            let Value::String(text) = &*value else {
                return Err(location.shape_error("a text", value));
            };
            match shape {
                Shape::DateTime => match canonical_date_time(text) {
                    Some(stored) => {
                        *value = json!(stored);
                        Ok(())
                    }
                    None => Err(location.bounds_error(
                        value,
                        "Expected a date-time as ISO 8601, such as '2027-01-31T12:00:00.000Z'.",
                    )),
                },
                Shape::Date => match text.parse::<Date>() {
                    Ok(date) => {
                        *value = json!(date.to_string());
                        Ok(())
                    }
                    Err(_) => Err(location.bounds_error(value, "Expected a date YYYY-MM-DD.")),
                },
                Shape::Time => match text.parse::<Time>() {
                    Ok(time) => {
                        *value = json!(format_time(time));
                        Ok(())
                    }
                    Err(_) => Err(location.bounds_error(value, "Expected a time HH:MM:SS.SSS.")),
                },
                Shape::Locale => match canonical_locale(text) {
                    Some(tag) => {
                        *value = json!(tag);
                        Ok(())
                    }
                    None => Err(location
                        .bounds_error(value, "Expected an IETF language tag such as 'en' or 'de-AT'.")),
                },
                Shape::Country if !is_country(text) => {
                    Err(location.bounds_error(value, "Expected a two-letter country code of ISO 3166-1."))
                }
                Shape::Currency if kontor_currency::Currency::from_code(text).is_none() => {
                    Err(location.bounds_error(value, "Expected a three-letter currency code of ISO 4217."))
                }
                _ => plain_text(text, limits, value, location),
            }
        }
    }
}

/// Parses a date-time of ISO 8601. One without an offset is in UTC, and a date alone is its first moment in UTC:
/// `2027-01-31T12:00:00` is `2027-01-31T12:00:00.000Z`, `2027-01-31` is `2027-01-31T00:00:00.000Z`.
///
/// Clients of the platform send both forms, in bodies and in predicates. The last hours of the year 9999, by which they say
/// "without end", are later than any [`Timestamp`], and read as the last one.
pub fn parse_date_time(text: &str) -> Option<Timestamp> {
    exact(text).or_else(|| after_timestamps(text).map(|_| Timestamp::MAX))
}

/// Returns the stored form of a date-time: `2027-01-31T12:00:00.000Z`, in UTC with milliseconds, so that text order is time order. Accepts what
/// [`parse_date_time`] reads, and keeps the last hours of the year 9999 apart.
pub fn canonical_date_time(text: &str) -> Option<String> {
    let late = || after_timestamps(text).map(|at| format!("{at:.3}Z"));
    exact(text).map(format_date_time).or_else(late)
}

fn exact(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| {
        let time = text.split_once(['T', 't', ' ']).map_or("", |(_, time)| time);
        // The parser of times without an offset would ignore an offset or a time zone.
        let has_offset = time.contains(['Z', 'z', '+', '-', '[']);
        let at = (!has_offset).then(|| text.parse::<DateTime>().ok()).flatten()?;
        Offset::UTC.to_timestamp(at).ok()
    })
}

/// The date and time in UTC of a date-time after [`Timestamp::MAX`], which is `9999-12-30T22:00:00.999Z`, up to the end of that year.
fn after_timestamps(text: &str) -> Option<DateTime> {
    let parts = Pieces::parse(text).ok().filter(|parts| parts.time_zone_annotation().is_none())?;
    let offset = parts.to_numeric_offset().unwrap_or(Offset::UTC);
    let local = parts.date().to_datetime(parts.time().unwrap_or(Time::midnight()));
    let at = local.checked_sub(SignedDuration::from_secs(offset.seconds().into())).ok()?;
    (at > Offset::UTC.to_datetime(Timestamp::MAX)).then_some(at)
}

/// Formats a time, e.g. `2027-01-31T12:00:00.000Z`: always with milliseconds and `Z`, so that text order is time
/// order.
pub(crate) fn format_date_time(at: Timestamp) -> String {
    format!("{at:.3}")
}

fn format_time(time: Time) -> String {
    format!("{time:.3}")
}

/// Returns a language tag in its stored form (`en`, `de-AT`), whatever case was sent; `None` if it is invalid.
pub fn canonical_locale(text: &str) -> Option<String> {
    let tag = LanguageIdentifier::try_from_str(text).ok().filter(|tag| !tag.language.is_unknown())?;
    Some(tag.to_string())
}

/// Returns the stored form of a language in a localized text: a valid tag in its usual case, and a text that only
/// looks like one unchanged. The platform accepts `test`, `key-Temp` and `random-string-1b9d6bcd`, and clients use
/// such names.
fn locale_name(text: &str) -> Option<String> {
    let looks_so = || {
        let mut parts = text.split('-');
        let language = parts.next().unwrap_or_default();
        (2..=8).contains(&language.len())
            && language.bytes().all(|byte| byte.is_ascii_alphabetic())
            && parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    canonical_locale(text).or_else(|| looks_so().then(|| text.to_owned()))
}

/// Codes that ISO 3166-1 does not assign but reserves (exceptionally, transitionally or for former countries), and
/// Kosovo, whose user-assigned code is in general use. Clients send them, and the platform accepts them.
const COUNTRIES_RESERVED: &[&str] = &[
    "AC", "AN", "BU", "CP", "CQ", "CS", "DG", "EA", "EU", "EZ", "FX", "IC", "NT", "SF", "SU", "TA", "TP",
    "UK", "UN", "XK", "YU", "ZR",
];

/// Returns whether a text is a country code that country fields accept.
pub fn is_country(text: &str) -> bool {
    COUNTRIES_RESERVED.contains(&text) || isocountry::CountryCode::for_alpha2(text).is_ok()
}

fn check_integer(
    least: i64,
    most: i64,
    limits: &ValueLimits,
    value: &mut Value,
    location: &Location<'_>,
) -> ApiResult<()> {
    let whole = value.as_i64().or_else(|| {
        // `5.0` is the same JSON number as `5`.
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() <= WHOLE_DOUBLE_MAX)
            .map(|n| n as i64)
    });
    match whole {
        Some(number) if (least..=most).contains(&number) => {
            *value = json!(number);
            check_bounds(number as f64, limits, value, location)
        }
        _ if value.as_f64().is_some_and(|number| number.fract() == 0.0) => {
            let expected = format!("a whole number from {least} to {most}");
            Err(match limits.overflow {
                Some(code) => location.overflow_error(code, &expected, value),
                None => location.shape_error(&expected, value),
            })
        }
        _ => Err(location.shape_error("a whole number", value)),
    }
}

fn check_bounds(number: f64, limits: &ValueLimits, value: &Value, location: &Location<'_>) -> ApiResult<()> {
    let expected = match (limits.min, limits.max) {
        (Some(min), _) if number < min => format!("Expected at least {min}."),
        (_, Some(max)) if number > max => format!("Expected at most {max}."),
        _ => return Ok(()),
    };
    Err(location.bounds_error(value, &expected))
}

fn plain_text(text: &str, limits: &ValueLimits, value: &Value, location: &Location<'_>) -> ApiResult<()> {
    let Some(expected) = text_bounds(text, limits) else { return Ok(()) };
    if limits.pattern.is_none() {
        return Err(location.bounds_error(value, &expected));
    }
    // Clients of the platform look for this wording.
    Err(location.bounds_error(value, &format!("Invalid {}. {expected}", location.name())))
}

fn text_bounds(text: &str, limits: &ValueLimits) -> Option<String> {
    let length = text.chars().count();
    if let Some(min) = limits.length_min
        && length < min
    {
        return Some(format!("Expected at least {min} characters."));
    }
    if let Some(max) = limits.length_max
        && length > max
    {
        return Some(format!("Expected at most {max} characters."));
    }
    match &limits.pattern {
        Some(pattern) if !pattern.is_match(text) => Some(format!("Expected text that matches {pattern}.")),
        _ => None,
    }
}

/// Checks that the names in an object look like language tags, and converts them to their stored form. If two become
/// equal, the later one counts, as for two equal names.
pub(super) fn check_locales(entries: &mut Map, location: &Location<'_>) -> ApiResult<()> {
    let mut is_canonical = true;
    for name in entries.keys() {
        match locale_name(name) {
            Some(tag) => is_canonical &= tag == *name,
            None => {
                let expected = "Expected IETF language tags such as 'en' or 'de-AT' as names.";
                return Err(location.bounds_error(&json!(name), expected));
            }
        }
    }
    if !is_canonical {
        let sent = std::mem::take(entries);
        entries.extend(sent.into_iter().filter_map(|(name, text)| Some((locale_name(&name)?, text))));
    }
    Ok(())
}

fn localized(limits: &ValueLimits, value: &mut Value, location: &Location<'_>) -> ApiResult<()> {
    let Value::Object(entries) = value else {
        return Err(location.shape_error("an object of locales to texts", value));
    };
    entries.retain(|_, text| !text.is_null());
    if let Some(min) = limits.items_min.filter(|min| entries.len() < *min) {
        let expected = format!("Expected texts in at least {min} languages, found {}.", entries.len());
        return Err(location.bounds_error(value, &expected));
    }
    if entries.len() > LOCALES_MAX {
        let expected = format!("Expected texts in at most {LOCALES_MAX} languages, found {}.", entries.len());
        return Err(location.bounds_error(value, &expected));
    }
    check_locales(entries, location)?;
    for (locale, text) in entries.iter() {
        let Value::String(content) = text else {
            return Err(Location::Member(location, locale).shape_error("a text", text));
        };
        if let Some(expected) = text_bounds(content, limits) {
            return Err(Location::Member(location, locale).bounds_error(text, &expected));
        }
    }
    Ok(())
}
