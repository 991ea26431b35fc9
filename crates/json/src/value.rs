//! [`Value`]: any JSON value, with the methods of the type of that name in `serde_json`.

use crate::{Map, Number};
use std::fmt;

/// Any JSON value.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Map),
}

impl Value {
    /// Returns the value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match value {
                Value::Object(members) => members.get(&step),
                Value::Array(elements) => elements.get(parse_position(&step)?),
                _ => None,
            }
        })
    }

    /// Like [`pointer`](Self::pointer), mutable.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| {
            let step = step.replace("~1", "/").replace("~0", "~");
            match value {
                Value::Object(members) => members.get_mut(&step),
                Value::Array(elements) => elements.get_mut(parse_position(&step)?),
                _ => None,
            }
        })
    }

    /// Whether both values are written as the same JSON text. Such values are equal, but equal values need not be
    /// written the same: members may have another order, and zero has a sign.
    pub(crate) fn is_written_as(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Number(one), Value::Number(another)) => {
                let sign = |number: &Number| number.as_f64().map(f64::is_sign_negative);
                one == another && sign(one) == sign(another)
            }
            (Value::Array(one), Value::Array(another)) => {
                one.len() == another.len()
                    && one.iter().zip(another).all(|(one, another)| one.is_written_as(another))
            }
            (Value::Object(one), Value::Object(another)) => one.is_written_as(another),
            _ => self == other,
        }
    }

    /// Returns the value and leaves `null`.
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }

    /// Returns whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Returns whether this is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Value::Bool(_))
    }

    /// Returns whether this is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Value::Number(_))
    }

    /// Returns whether this is an integer that fits into an `i64`.
    pub fn is_i64(&self) -> bool {
        matches!(self, Value::Number(number) if number.is_i64())
    }

    /// Returns whether this is an integer that fits into a `u64`.
    pub fn is_u64(&self) -> bool {
        matches!(self, Value::Number(number) if number.is_u64())
    }

    /// Returns whether this is a number that is not an integer.
    pub fn is_f64(&self) -> bool {
        matches!(self, Value::Number(number) if number.is_f64())
    }

    /// Returns whether this is a string.
    pub fn is_string(&self) -> bool {
        matches!(self, Value::String(_))
    }

    /// Returns whether this is an array.
    pub fn is_array(&self) -> bool {
        matches!(self, Value::Array(_))
    }

    /// Returns whether this is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Value::Object(_))
    }

    /// Returns the boolean, or `None` for every other value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    /// Returns the number.
    pub fn as_number(&self) -> Option<&Number> {
        if let Value::Number(number) = self { Some(number) } else { None }
    }

    /// Returns the number, if it is an integer that fits into an `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Returns the number, if it is an integer that fits into a `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Returns the number, rounded to an `f64`.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// Returns the string.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = self { Some(text) } else { None }
    }

    /// Returns the array.
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        if let Value::Array(elements) = self { Some(elements) } else { None }
    }

    /// Returns the array, mutable.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Value::Array(elements) = self { Some(elements) } else { None }
    }

    /// Returns the object.
    pub fn as_object(&self) -> Option<&Map> {
        if let Value::Object(members) = self { Some(members) } else { None }
    }

    /// Returns the object, mutable.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        if let Value::Object(members) = self { Some(members) } else { None }
    }
}

/// Parses a position in a list, as JSON pointers write it.
fn parse_position(step: &str) -> Option<usize> {
    let is_written_so = step == "0" || !step.starts_with(['0', '+']);
    step.parse().ok().filter(|_| is_written_so)
}

impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => formatter.write_str("Null"),
            Value::Bool(value) => write!(formatter, "Bool({value})"),
            Value::Number(number) => write!(formatter, "Number({number})"),
            Value::String(text) => write!(formatter, "String({text:?})"),
            Value::Array(elements) => {
                formatter.write_str("Array ")?;
                fmt::Debug::fmt(elements, formatter)
            }
            Value::Object(members) => {
                formatter.write_str("Object ")?;
                fmt::Debug::fmt(members, formatter)
            }
        }
    }
}
