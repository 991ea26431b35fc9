//! Values of Attributes in a form in which equal numbers are equal texts.

use kontor_json::{Map, Number, Value, json};
use std::borrow::Cow;

/// Whole numbers below this size are exact as floating-point numbers: 2^53.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;

/// Returns a value in which each number has its shortest form: `1.0` and `1` are one number, and so are `1.50` and `1.5`.
/// Clients write them differently; sets and constraints compare what they mean.
pub(crate) fn normalize_numbers(value: &Value) -> Cow<'_, Value> {
    match value {
        Value::Number(number) => {
            let short = shortest(number);
            if short == *value { Cow::Borrowed(value) } else { Cow::Owned(short) }
        }
        Value::Array(items) if items.iter().any(is_written_longer) => {
            Cow::Owned(items.iter().map(|item| normalize_numbers(item).into_owned()).collect())
        }
        Value::Object(members) if members.values().any(is_written_longer) => {
            let members =
                members.iter().map(|(name, value)| (name.clone(), normalize_numbers(value).into_owned()));
            Cow::Owned(Value::Object(members.collect::<Map>()))
        }
        _ => Cow::Borrowed(value),
    }
}

fn is_written_longer(value: &Value) -> bool {
    matches!(normalize_numbers(value), Cow::Owned(_))
}

fn shortest(number: &Number) -> Value {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(whole), ..) => json!(whole),
        (None, Some(whole), _) => json!(whole),
        (None, None, Some(real)) if real.fract() == 0.0 && real.abs() < EXACT_BELOW => json!(real as i64),
        (None, None, Some(real)) => json!(real),
        (None, None, None) => Value::Number(number.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_alike() {
        let read = |text: &str| kontor_json::from_str::<Value>(text).unwrap();
        for (one, other) in [("1", "1.0"), ("1.5", "1.50"), ("100", "1e2"), ("[1]", "[1.0]")] {
            assert_eq!(normalize_numbers(&read(one)), normalize_numbers(&read(other)), "{one} and {other}");
        }
        assert_eq!(
            normalize_numbers(&read(r#"{"a": [2.0, "b"]}"#)),
            normalize_numbers(&read(r#"{"a": [2, "b"]}"#))
        );
        for (one, other) in
            [("1", "1.1"), ("1", "\"1\""), ("[1, 2]", "[2, 1]"), ("9007199254740993", "9007199254740992")]
        {
            assert_ne!(normalize_numbers(&read(one)), normalize_numbers(&read(other)), "{one} and {other}");
        }
    }
}
