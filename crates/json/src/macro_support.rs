//! Support for expressions in [`json!`](crate::json): a [`Value`] is shared by a cheap clone, everything else is
//! serialized.
//!
//! Both traits have the same method. The compiler takes that of [`SharedExpression`] if it exists, since that of
//! [`SerializedExpression`] needs one more reference.

use serde::Serialize;

use crate::{Map, Value, to_value};

/// An expression in [`json!`](crate::json).
#[derive(Debug)]
pub struct JsonExpression<'v, T: ?Sized>(pub &'v T);

/// An expression that is a value already.
pub trait SharedExpression {
    /// Clones the value, which shares its objects.
    fn value(&self) -> Value;
}

/// An expression that is serialized.
pub trait SerializedExpression {
    /// Serializes the value. Panics if serialization fails.
    fn value(&self) -> Value;
}

impl SharedExpression for JsonExpression<'_, Value> {
    fn value(&self) -> Value {
        self.0.clone()
    }
}

impl SharedExpression for JsonExpression<'_, &Value> {
    fn value(&self) -> Value {
        (*self.0).clone()
    }
}

impl SharedExpression for JsonExpression<'_, Vec<Value>> {
    fn value(&self) -> Value {
        Value::Array(self.0.clone())
    }
}

impl SharedExpression for JsonExpression<'_, Map> {
    fn value(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

impl SharedExpression for JsonExpression<'_, &Map> {
    fn value(&self) -> Value {
        Value::Object((*self.0).clone())
    }
}

impl<T: Serialize + ?Sized> SerializedExpression for &JsonExpression<'_, T> {
    fn value(&self) -> Value {
        match to_value(self.0) {
            Ok(value) => value,
            Err(problem) => panic!("cannot be written as JSON: {problem}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Map, json};

    #[test]
    fn values_in_expressions_equal_serialized_ones() {
        let inner = json!({"a": [1, "two", null], "b": {"c": 0.5}});
        let members: Map = inner.as_object().unwrap().clone();
        let list = vec![inner.clone(), json!(true)];
        let written =
            json!({"value": inner, "lent": &inner, "members": members, "list": list, "some": Some(&inner)});
        for name in ["value", "lent", "members", "some"] {
            assert_eq!(written[name], crate::to_value(&inner).unwrap(), "{name}");
        }
        assert_eq!(written["list"], crate::to_value(&list).unwrap());
    }

    #[test]
    fn shares_values_in_expressions() {
        let inner = json!({"a": 1});
        let written = json!({"inner": inner});
        let (one, another) = (inner.as_object().unwrap(), written["inner"].as_object().unwrap());
        assert!(one.is_identical_to(another));
    }
}
