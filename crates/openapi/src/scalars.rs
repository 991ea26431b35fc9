//! Schemas of scalar shapes: strings, numbers, times, codes.

use kontor_currency::Currency;
use kontor_json::{Map, Value, json};
use kontor_model::{Shape, ValueLimits};

/// Returns the schema of a scalar, with its name if it is shared. `None` for shapes with fields.
pub(crate) fn scalar(shape: &Shape, limits: &ValueLimits) -> Option<(Option<&'static str>, Value)> {
    Some(match shape {
        Shape::String => (None, Value::Object(text(limits))),
        Shape::Boolean => (None, json!({"type": "boolean"})),
        Shape::Int => (None, number("integer", "int32", limits)),
        Shape::Long => (None, number("integer", "int64", limits)),
        Shape::Float => (None, number("number", "double", limits)),
        Shape::DateTime => (None, json!({"type": "string", "format": "date-time"})),
        Shape::Date => (None, json!({"type": "string", "format": "date"})),
        Shape::Time => (
            Some("LocalTime"),
            json!({
                "type": "string",
                "description": "A time of day, `14:30:00.000`.",
                "pattern": "^[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?$",
            }),
        ),
        Shape::Locale => (
            Some("Locale"),
            json!({"type": "string", "description": "An IETF language tag such as `en` or `de-AT`.", "pattern": LOCALE}),
        ),
        Shape::Country => (
            Some("CountryCode"),
            json!({"type": "string", "description": "A country code with two letters (ISO 3166-1).", "pattern": "^[A-Z]{2}$"}),
        ),
        Shape::Currency => (
            Some("CurrencyCode"),
            json!({
                "type": "string",
                "description": "Three letters of ISO 4217, or one of the codes of currencies without fraction digits, such as `HUF0`.",
                "pattern": "^[A-Z]{3}0?$",
                "anyOf": [{"pattern": "^[A-Z]{3}$"}, {"$ref": format!("#/components/schemas/{NON_STANDARD_CURRENCY}")}],
            }),
        ),
        Shape::Localized => localized(limits),
        Shape::Json => (None, json!({"description": "Any JSON."})),
        Shape::AnyObject => (None, json!({"type": "object", "additionalProperties": true})),
        Shape::FieldContainer => (
            Some("FieldContainer"),
            json!({
                "type": "object",
                "description": "Values of custom fields by name, as their Type defines them.",
                "additionalProperties": true,
            }),
        ),
        _ => return None,
    })
}

/// The name of the schema of currencies without fraction digits.
pub(super) const NON_STANDARD_CURRENCY: &str = "NonStandardCurrency";

/// Returns the schema of currencies that are variants of others, without fraction digits.
pub(super) fn non_standard_currency() -> Value {
    let codes: Vec<_> = Currency::whole_codes().collect();
    json!({"type": "string", "description": "A currency without fraction digits.", "enum": codes})
}

/// The pattern of every language tag; not every match is one.
pub(super) const LOCALE: &str = "^([A-Za-z]{2,3}|[A-Za-z]{5,8})(-[A-Za-z0-9]{2,8})*$";
/// The pattern of locales of localized texts, including invalid tags of this form.
pub(super) const LOCALE_NAME: &str = "^[A-Za-z]{2,8}(-[A-Za-z0-9]+)*$";

fn localized(limits: &ValueLimits) -> (Option<&'static str>, Value) {
    let texts = text(limits);
    let is_shared = texts.len() == 1 && limits.items_min.is_none();
    let mut schema = json!({
        "type": "object",
        "description": "Texts by language tag.",
        "propertyNames": {"pattern": LOCALE_NAME},
        "additionalProperties": texts,
    });
    if let Some(min) = limits.items_min {
        schema["minProperties"] = json!(min);
    }
    (is_shared.then_some("LocalizedString"), schema)
}

fn text(limits: &ValueLimits) -> Map {
    let mut schema = Map::new();
    schema.insert("type", json!("string"));
    if let Some(min) = limits.length_min {
        schema.insert("minLength", json!(min));
    }
    if let Some(max) = limits.length_max {
        schema.insert("maxLength", json!(max));
    }
    if let Some(pattern) = &limits.pattern {
        schema.insert("pattern", json!(pattern.as_str()));
    }
    schema
}

fn number(json_type: &str, format: &str, limits: &ValueLimits) -> Value {
    let mut schema = Map::new();
    schema.insert("type", json!(json_type));
    schema.insert("format", json!(format));
    if let Some(min) = limits.min {
        schema.insert("minimum", to_json_number(min));
    }
    if let Some(max) = limits.max {
        schema.insert("maximum", to_json_number(max));
    }
    Value::Object(schema)
}

/// Returns a number as JSON, `5` instead of `5.0`.
fn to_json_number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
}
