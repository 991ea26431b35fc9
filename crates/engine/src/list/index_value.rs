//! Converts paths and values of predicates to those of index rows.

use kontor_query::{ConditionValue, ExactNumber, Path};
use kontor_storage::IndexValue;

pub(super) fn dotted(path: &Path) -> String {
    path.join(".")
}

pub(super) fn index_value(value: &ConditionValue) -> IndexValue {
    match value {
        ConditionValue::Text(text) => IndexValue::Text(text.to_string()),
        ConditionValue::Boolean(flag) => IndexValue::Integer(i64::from(*flag)),
        ConditionValue::Number(ExactNumber::Integer(whole)) => IndexValue::Integer(*whole),
        ConditionValue::Number(number) => IndexValue::Real(number.as_f64()),
        // Queries have no amounts, and no index contains one.
        ConditionValue::Amount(amount) => IndexValue::Text(amount.to_string()),
    }
}
