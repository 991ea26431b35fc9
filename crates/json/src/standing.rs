//! Support for expressions in [`json!`](crate::json): a [`Value`] is shared by a cheap clone, everything else is
//! serialized.
//!
//! Both traits have the same method. The compiler takes that of [`Shares`] if it exists, since that of
//! [`Serializes`] needs one more reference.

use serde::Serialize;

use crate::{Map, Value, to_value};

/// An expression in [`json!`](crate::json).
#[derive(Debug)]
pub struct Standing<'v, T: ?Sized>(pub &'v T);

/// An expression that is a value already.
pub trait Shares {
    /// Clones the value, which shares its objects.
    fn value(&self) -> Value;
}

/// An expression that is serialized.
pub trait Serializes {
    /// Serializes the value. Panics if serialization fails.
    fn value(&self) -> Value;
}

impl Shares for Standing<'_, Value> {
    fn value(&self) -> Value {
        self.0.clone()
    }
}

impl Shares for Standing<'_, &Value> {
    fn value(&self) -> Value {
        (*self.0).clone()
    }
}

impl Shares for Standing<'_, Vec<Value>> {
    fn value(&self) -> Value {
        Value::Array(self.0.clone())
    }
}

impl Shares for Standing<'_, Map> {
    fn value(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

impl Shares for Standing<'_, &Map> {
    fn value(&self) -> Value {
        Value::Object((*self.0).clone())
    }
}

impl<T: Serialize + ?Sized> Serializes for &Standing<'_, T> {
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
    fn what_stands_inside_is_the_same_as_what_is_serialized() {
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
    fn a_value_that_stands_inside_is_shared() {
        let inner = json!({"a": 1});
        let written = json!({"inner": inner});
        let (one, another) = (inner.as_object().unwrap(), written["inner"].as_object().unwrap());
        assert!(one.is_known_to_be(another));
    }
}
