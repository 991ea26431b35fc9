//! Converts paths and values of predicates to those of index rows.

use kontor_query::{Number, Path, Value};
use kontor_storage::IndexValue;

pub(super) fn dotted(path: &Path) -> String {
    path.join(".")
}

pub(super) fn index_value(value: &Value) -> IndexValue {
    match value {
        Value::Text(text) => IndexValue::Text(text.to_string()),
        Value::Boolean(flag) => IndexValue::Integer(i64::from(*flag)),
        Value::Number(Number::Integer(whole)) => IndexValue::Integer(*whole),
        Value::Number(number) => IndexValue::Real(number.as_f64()),
        // Queries have no amounts, and no index contains one.
        Value::Amount(amount) => IndexValue::Text(amount.to_string()),
    }
}
